"""Tasks of the tools as questions of a quiz."""

from datetime import datetime
from typing import Any

from django.db.models import Q

from annotation.models import Task
from annotation.tool_registry import Json, Tool, tool_named, tool_names
from common.serializers import read
from lib.faults import Fault, Invalid, NotFound, moved
from workforce.models import Attempt
from workforce.questions import Question, shown

_PREFIX = "quiz:"


class TaskQuestions:
    """The kind `task` of questions: the tool that a question names checks, shows and grades it."""

    fields = frozenset({"tool", "payload", "tolerance_s"})
    missing = "Please do this task."

    def check(self, question: Question) -> Question:
        if question.get("payload") is None:
            raise Invalid.at("#/payload", "A task question needs the payload of its task.")
        if not question["accept"]:
            raise Invalid.at("#/accept", "A task question needs at least one right answer.")
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
            # Only checked; grading completes it, because `GET` must return exactly what `PUT` took.
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

    def shown(self, question: Question, *, hold: str) -> Json:
        # Tools serve tasks, so this makes one and never saves it.
        payload = tool_named(question["tool"]).present(Task(payload=question["payload"]), hold=hold)
        return {"tool": question["tool"], "payload": payload}

    def check_answer(self, question: Question, answer: Any) -> Json:
        if not isinstance(answer, dict):
            raise Invalid.at("#", "Give the answer as the tool takes it.")
        tool = tool_named(question["tool"])
        try:
            return tool.check(question["payload"], _read(tool.answer, answer, "#"))
        except Invalid as error:
            raise Invalid(
                faults=[Fault(fault.pointer.replace("#/answer", "#", 1), fault.detail) for fault in error.faults]
            ) from None

    def is_right(self, question: Question, answer: Json) -> bool:
        """True if the answer has the tool's full score against one of the right answers."""
        tool = tool_named(question["tool"])
        truths = [tool.check_truth(question["payload"], truth) for truth in question["accept"]]
        return any((tool.score(answer, truth, question.get("tolerance_s")) or 0.0) >= 1 for truth in truths)


def _only_tool_for(payload: Json) -> str:
    """The one tool that accepts this payload.

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
    except Invalid:
        return False
    return True


def _read(serializer: Any, data: Any, pointer: str) -> Json:
    """`read`, with the pointers of its faults below `pointer`."""
    try:
        return read(serializer, data)
    except Invalid as error:
        raise Invalid(faults=moved(error.faults, pointer)) from None


def _at(pointer: str, check: Any, *parts: Json) -> Any:
    try:
        return check(*parts)
    except Invalid as error:
        raise Invalid(faults=moved(error.faults, pointer)) from None


# Holds: names of questions in signed addresses of videos ---------------------------------------------------------


def hold_of(attempt: Attempt, question: Question) -> str:
    """The name of one question of one attempt in signed addresses; it reveals nothing of the payload."""
    return f"{_PREFIX}{attempt.pk}:{question['id']}"


def is_hold_of_question(hold: str) -> bool:
    return hold.startswith(_PREFIX)


def payload_held(hold: str, *, since: datetime) -> Json:
    """The payload of the question with this hold. 1 query.

    Raises:
        NotFound: there is no such attempt, it was finished before `since`, or it has no such question.
    """
    pk, _, name = hold.removeprefix(_PREFIX).partition(":")
    running = Q(finished_at=None) | Q(finished_at__gt=since)
    asked = Attempt.objects.filter(running, pk=int(pk)).values_list("questions", flat=True).first()
    for question in asked or []:
        if question["id"] == name and "payload" in question:
            payload: Json = question["payload"]
            return payload
    raise NotFound


def shown_to(attempt: Attempt) -> list[Json]:
    """The questions of an attempt as its worker gets them, in their order. 1 query for each task among them."""
    return [shown(question, hold=hold_of(attempt, question)) for question in attempt.questions]
