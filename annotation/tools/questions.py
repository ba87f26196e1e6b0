"""Real tasks of the tools as questions of a quiz: the `TaskKind` that workforce asks for."""

from typing import Any

from rest_framework.exceptions import ValidationError

from annotation.models import Task
from annotation.tools import Json, Tool, tool_named, tool_names
from common.api import read
from common.errors import Fault, Invalid, NotFound, problem_of
from workforce.models import Attempt
from workforce.questions import Question, moved

_PREFIX = "quiz:"


class ToolQuestions:
    """Checks, shows and grades a question with the tool that it names."""

    def check(self, question: Question) -> Question:
        name = question.get("tool") or _only_tool_for(question["payload"])
        if name not in tool_names():
            raise Invalid.at("#/tool", f"The tool {name!r} is not installed here; there is {', '.join(tool_names())}.")
        tool = tool_named(name)
        payload = _read(tool.payload, question["payload"], "#/payload")
        _at("#/payload", tool.check_payload, payload)
        truths = []
        for number, truth in enumerate(question["accept"]):
            place = f"#/accept/{number}"
            truths.append(_read(tool.truth, truth, place))
            # Only looked at, and completed when it is graded: what `GET` gives back must be what `PUT` took.
            _at(place, tool.check_truth, payload, truths[-1])
        return Question(
            id=question["id"],
            ask=question["ask"],
            kind=question["kind"],
            tool=name,
            payload=payload,
            tolerance_s=question.get("tolerance_s"),
            accept=truths,
        )

    def present(self, question: Question, *, hold: str) -> Json:
        # A task that is never saved: tools serve tasks, and this is one in all but that nobody claims it.
        return tool_named(question["tool"]).present(Task(payload=question["payload"]), hold=hold)

    def check_answer(self, question: Question, answer: Json) -> Json:
        tool = tool_named(question["tool"])
        try:
            return tool.check(question["payload"], _read(tool.answer, answer, "#"))
        except Invalid as error:
            raise Invalid(
                faults=[Fault(fault.pointer.replace("#/answer", "#", 1), fault.detail) for fault in error.faults]
            ) from None

    def score(self, question: Question, answer: Json) -> float:
        tool = tool_named(question["tool"])
        truths = [tool.check_truth(question["payload"], truth) for truth in question["accept"]]
        return max(tool.score(answer, truth, question.get("tolerance_s")) or 0.0 for truth in truths)


def _only_tool_for(payload: Json) -> str:
    """The one tool that takes such a payload.

    Raises:
        Invalid: there is none, or there are several, so the question must name its tool.
    """
    fitting = [name for name in tool_names() if _takes(tool_named(name), payload)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise Invalid.at("#/tool", f"Several tools take this payload: name one of {', '.join(fitting)}.")
    raise Invalid.at("#/payload", f"No tool takes this payload; there is {', '.join(tool_names())}.")


def _takes(tool: Tool, payload: Json) -> bool:
    try:
        read(tool.payload, payload)
    except (ValidationError, Invalid):
        return False
    return True


def _read(serializer: Any, data: Any, pointer: str) -> Json:
    """`read`, with its faults below `pointer`."""
    try:
        return read(serializer, data)
    except ValidationError as error:
        problem = problem_of(error) or {"errors": []}
        raise Invalid(faults=moved([Fault(**fault) for fault in problem["errors"]], pointer)) from None
    except Invalid as error:
        raise Invalid(faults=moved(error.faults, pointer)) from None


def _at(pointer: str, check: Any, *parts: Json) -> Any:
    try:
        return check(*parts)
    except Invalid as error:
        raise Invalid(faults=moved(error.faults, pointer)) from None


# The hold, by which an address of a video finds its way back ---------------------------------------------------


def hold_of(attempt: Attempt, question: Question) -> str:
    """What stands in signed addresses for one question of one attempt; it tells nothing of the payload."""
    return f"{_PREFIX}{attempt.pk}:{question['id']}"


def is_hold_of_question(hold: str) -> bool:
    return hold.startswith(_PREFIX)


def payload_held(hold: str) -> Json:
    """The payload of the question behind a hold. 1 query.

    Raises:
        NotFound: the attempt is not there, or did not ask that.
    """
    pk, _, name = hold.removeprefix(_PREFIX).partition(":")
    asked = Attempt.objects.filter(pk=int(pk)).values_list("questions", flat=True).first()
    for question in asked or []:
        if question["id"] == name and "payload" in question:
            payload: Json = question["payload"]
            return payload
    raise NotFound
