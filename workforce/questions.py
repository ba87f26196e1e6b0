"""The questions of a quiz: what makes a good one, what a worker sees of it, and whether an answer is right.

No database here. The right answers (`accept`) stay with the server: `shown` is all that ever goes out.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, NotRequired, Protocol, TypedDict

from common.errors import Fault, Invalid
from common.values import canonical, escaped

Json = dict[str, Any]

SINGLE, MULTIPLE, TEXT, TASK = "single", "multiple", "text", "task"
KINDS = (SINGLE, MULTIPLE, TEXT, TASK)
MOST_TEXT = 5000
"""Characters of a text answer."""
EMPTY: tuple[object, ...] = (None, "", [], {})
"""What stands for no answer at all."""


class Question(TypedDict):
    """One question as it is kept.

    `accept` are the right answers, any of which will do: for `single` options; for `multiple` sets of options (or one
    set, written flat); for `text` strings (none: whatever is not blank); for `task` answers as the tool takes them.
    """

    id: str
    ask: str
    kind: str
    options: NotRequired[list[str]]
    tool: NotRequired[str]
    payload: NotRequired[Json]
    tolerance_s: NotRequired[float | None]
    accept: list[Any]


class TaskKind(Protocol):
    """What the app that owns the tools knows of questions of the kind `task`. Pointers begin at the question's `#`."""

    def check(self, question: Question) -> Question:
        """The question with its tool named, after a look at its payload and right answers.

        Raises:
            Invalid
        """

    def present(self, question: Question, *, hold: str) -> Json:
        """The payload as a worker is served it; `hold` names this question of this attempt, for signing addresses."""

    def check_answer(self, question: Question, answer: Json) -> Json:
        """The answer completed.

        Raises:
            Invalid: with pointers below `#`, the answer.
        """

    def score(self, question: Question, answer: Json) -> float:
        """How well a completed answer fits the nearest right one, 0..1."""


_kinds: dict[str, TaskKind] = {}


def register_task_kind(kind: TaskKind) -> None:
    """Fill in what this app cannot know; called once, when the apps are ready."""
    _kinds[TASK] = kind


def task_kind() -> TaskKind:
    return _kinds[TASK]


# Making ------------------------------------------------------------------------------------------------------


def check_questions(questions: Sequence[Question], *, draw: int | None) -> list[Question]:
    """The questions, completed.

    Raises:
        Invalid: with a pointer to each fault: an id twice, an answer that is no option, more drawn than there are.
    """
    faults: list[Fault] = []
    complete: list[Question] = []
    seen: set[str] = set()
    for number, question in enumerate(questions):
        here = f"#/questions/{number}"
        if question["id"] in seen:
            faults.append(Fault(f"{here}/id", f"There are two questions {question['id']!r}."))
        seen.add(question["id"])
        try:
            complete.append(_check_question(question))
        except Invalid as error:
            faults += moved(error.faults, here)
    if draw is not None and draw > len(questions):
        faults.append(Fault("#/draw", f"There are only {len(questions)} questions to draw from."))
    if faults:
        raise Invalid(faults=faults)
    return complete


def moved(faults: Iterable[Fault], pointer: str) -> list[Fault]:
    """The faults of a part, as faults of the whole in which it stands at `pointer`."""
    return [Fault(pointer + fault.pointer.removeprefix("#"), fault.detail) for fault in faults]


def _check_question(question: Question) -> Question:
    kind = question["kind"]
    wanted = {"single": ("options",), "multiple": ("options",), "text": (), "task": ("tool", "payload", "tolerance_s")}
    _refuse(
        Fault(f"#/{name}", f"A question of the kind {kind} has no {name}.")
        for name in ("options", "tool", "payload", "tolerance_s")
        if name not in wanted[kind] and question.get(name) not in EMPTY
    )
    kept = Question(id=question["id"], ask=question["ask"], kind=kind, accept=question["accept"])
    if kind == TASK:
        if question.get("payload") is None:
            raise Invalid.at("#/payload", "A task question needs the payload of its task.")
        if not question["accept"]:
            raise Invalid.at("#/accept", "A task question needs at least one right answer.")
        return task_kind().check(question)
    if kind == TEXT:
        _refuse(
            Fault(f"#/accept/{number}", "An accepted text is a text, and not blank.")
            for number, text in enumerate(question["accept"])
            if not isinstance(text, str) or not text.strip()
        )
        return kept
    kept["options"] = question.get("options") or []
    _check_choices(kept)
    return kept


def _check_choices(question: Question) -> None:
    options, accept = question["options"], question["accept"]
    if len(options) < 2:
        raise Invalid.at("#/options", "Give at least two options to choose from.")
    if len(set(options)) < len(options):
        raise Invalid.at("#/options", "Two options read the same.")
    if not accept:
        raise Invalid.at("#/accept", "Name at least one right answer.")
    is_flat = question["kind"] == SINGLE or isinstance(accept[0], str)
    groups = [(f"#/accept/{number}", [one] if is_flat else one) for number, one in enumerate(accept)]
    for pointer, group in groups:
        if not isinstance(group, list) or not all(isinstance(option, str) for option in group):
            raise Invalid.at(pointer, "Give options, or for the kind multiple lists of options; not both kinds mixed.")
        if not group:
            raise Invalid.at(pointer, "Nothing chosen counts as no answer; offer an option such as “none of these”.")
        if len(set(group)) < len(group):
            raise Invalid.at(pointer, "An option is named twice.")
        _refuse(Fault(pointer, f"{option!r} is not among the options.") for option in group if option not in options)


def _refuse(faults: Iterable[Fault]) -> None:
    found = list(faults)
    if found:
        raise Invalid(faults=found)


# Asking ------------------------------------------------------------------------------------------------------


def drawn(questions: Sequence[Question], *, draw: int | None, chance: Random) -> list[Question]:
    """The questions of one attempt: `draw` of the bank at random, in the bank's order, the options of each shuffled.

    Shuffled, because "the third one" is the easiest thing to pass on to a friend.
    """
    places = range(len(questions)) if draw is None else sorted(chance.sample(range(len(questions)), draw))
    return [_shuffled(questions[place], chance) for place in places]


def _shuffled(question: Question, chance: Random) -> Question:
    copy = question.copy()
    if "options" in copy:
        copy["options"] = chance.sample(copy["options"], len(copy["options"]))
    return copy


def shown(question: Question, *, hold: str) -> Json:
    """What a worker gets of a question: never the right answers, the tolerance or the payload as it was put."""
    seen: Json = {"id": question["id"], "ask": question["ask"], "kind": question["kind"]}
    if "options" in question:
        seen["options"] = question["options"]
    if question["kind"] == TASK:
        seen |= {"tool": question["tool"], "payload": task_kind().present(question, hold=hold)}
    return seen


def is_same(copy: Question, present: Question) -> bool:
    """Whether a question that was drawn once still asks and accepts the same; the order of options does not count."""
    return _content(copy) == _content(present)


def _content(question: Question) -> str:
    return canonical({**question, "options": sorted(question.get("options", []))})


# Answering ---------------------------------------------------------------------------------------------------


def check_answers(questions: Sequence[Question], answers: Mapping[str, Any], *, partly: bool = False) -> Json:
    """The answers completed, by question id.

    Args:
        partly: Whether some may be missing.

    Raises:
        Invalid: with a pointer below `#/answers` to each that is missing, unknown or no answer to its question.
    """
    known = {question["id"] for question in questions}
    faults = [Fault(f"#/answers/{escaped(name)}", "This was not asked.") for name in answers if name not in known]
    complete: Json = {}
    for question in questions:
        name = question["id"]
        given = answers.get(name)
        if given in EMPTY or (isinstance(given, str) and not given.strip()):
            if not partly:
                faults.append(Fault(f"#/answers/{name}", _MISSING[question["kind"]]))
            continue
        try:
            complete[name] = _CHECKS[question["kind"]](question, given)
        except Invalid as error:
            faults += moved(error.faults, f"#/answers/{name}")
    if faults:
        raise Invalid(faults=faults)
    return complete


def is_right(question: Question, answer: Any) -> bool:
    """Whether a completed answer is among the right ones; a task is right with the tool's full score."""
    accept = question["accept"]
    match question["kind"]:
        case "single":
            return answer in accept
        case "multiple":
            groups = [accept] if isinstance(accept[0], str) else accept
            return set(answer) in [set(group) for group in groups]
        case "text":
            return not accept or _folded(answer) in map(_folded, accept)
        case _:
            return task_kind().score(question, answer) >= 1


def _folded(text: str) -> str:
    return text.strip().casefold()


_MISSING = {
    SINGLE: "Please choose an answer.",
    MULTIPLE: "Please choose at least one.",
    TEXT: "Please write an answer.",
    TASK: "Please do this task.",
}


def _check_single(question: Question, given: Any) -> str:
    if not isinstance(given, str) or given not in question["options"]:
        raise Invalid.at("#", "Choose one of the options.")
    return given


def _check_multiple(question: Question, given: Any) -> list[str]:
    options = question["options"]
    if not isinstance(given, list) or any(not isinstance(one, str) or one not in options for one in given):
        raise Invalid.at("#", "Give a list of the options that you choose.")
    if len(set(given)) < len(given):
        raise Invalid.at("#", "An option is chosen twice.")
    return given


def _check_text(question: Question, given: Any) -> str:
    if not isinstance(given, str) or len(given) > MOST_TEXT:
        raise Invalid.at("#", f"Give a text of at most {MOST_TEXT} characters.")
    return given


def _check_task(question: Question, given: Any) -> Json:
    if not isinstance(given, dict):
        raise Invalid.at("#", "Give the answer as the tool takes it.")
    return task_kind().check_answer(question, given)


_CHECKS: dict[str, Callable[[Question, Any], Any]] = {
    SINGLE: _check_single,
    MULTIPLE: _check_multiple,
    TEXT: _check_text,
    TASK: _check_task,
}
