"""The questions of a quiz: checking them, showing them to a worker, and grading the answers.

No database here. The right answers (`accept`) stay with the server: workers receive only the result of `shown`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, NotRequired, Protocol, TypedDict

from lib.canonical_json import canonical, escaped
from lib.faults import Fault, Invalid, moved
from lib.name_patterns import NOT_BLANK

Json = dict[str, Any]

SINGLE, MULTIPLE, TEXT, TASK = "single", "multiple", "text", "task"
KINDS = (SINGLE, MULTIPLE, TEXT, TASK)
MOST_TEXT = 5000
"""The most characters of a text answer."""
EMPTY: tuple[object, ...] = (None, "", [], {})
"""Values that count as no answer."""


class Question(TypedDict):
    """One question as it is stored.

    `accept` are the right answers; any one of them is right. For `single` they are options; for `multiple` sets of
    options (or one set, written flat); for `text` strings (none: any text that is not blank); for `task` answers in the
    shape of the tool.
    """

    id: str
    ask: str
    kind: str
    options: NotRequired[list[str]]
    tool: NotRequired[str]
    payload: NotRequired[Json]
    tolerance_s: NotRequired[float | None]
    accept: list[Any]


class QuestionKind(Protocol):
    """The checking, showing and grading of questions of one kind. Pointers begin at the question's `#`."""

    @property
    def fields(self) -> frozenset[str]:
        """The fields of `Question` that this kind has and some others have not."""

    @property
    def missing(self) -> str:
        """A sentence for a worker who left the question without an answer."""

    def check(self, question: Question) -> Question:
        """The question, checked and completed.

        Raises:
            Invalid
        """

    def shown(self, question: Question, *, hold: str) -> Json:
        """The fields of this kind as a worker receives them.

        Args:
            hold: Names this question of this attempt, for signing addresses.
        """

    def check_answer(self, question: Question, answer: Any) -> Any:
        """The answer, checked and completed.

        Raises:
            Invalid: with pointers below `#`, the answer.
        """

    def is_right(self, question: Question, answer: Any) -> bool:
        """True if a completed answer is among the right ones."""


_kinds: dict[str, QuestionKind] = {}


def register_kind(name: str, kind: QuestionKind) -> None:
    """Add a kind of question, from an `AppConfig.ready`; the kinds of this module are registered here."""
    _kinds[name] = kind


# Making ------------------------------------------------------------------------------------------------------


def check_questions(questions: Sequence[Question], *, draw: int | None) -> list[Question]:
    """The questions, checked and completed.

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


def _check_question(question: Question) -> Question:
    kind = _kinds[question["kind"]]
    _refuse(
        Fault(f"#/{name}", f"A question of the kind {question['kind']} has no {name}.")
        for name in ("options", "tool", "payload", "tolerance_s")
        if name not in kind.fields and question.get(name) not in EMPTY
    )
    return kind.check(question)


def _plain(question: Question) -> Question:
    """The fields that every question has."""
    return Question(id=question["id"], ask=question["ask"], kind=question["kind"], accept=question["accept"])


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

    The options are shuffled because a worker could tell another "the third one".
    """
    places = range(len(questions)) if draw is None else sorted(chance.sample(range(len(questions)), draw))
    return [_shuffled(questions[place], chance) for place in places]


def _shuffled(question: Question, chance: Random) -> Question:
    copy = question.copy()
    if "options" in copy:
        copy["options"] = chance.sample(copy["options"], len(copy["options"]))
    return copy


def shown(question: Question, *, hold: str) -> Json:
    """The question as a worker receives it: never the right answers, the tolerance or the payload as it was put."""
    plain: Json = {"id": question["id"], "ask": question["ask"], "kind": question["kind"]}
    return plain | _kinds[question["kind"]].shown(question, hold=hold)


def is_same(copy: Question, present: Question) -> bool:
    """True if a question that was drawn once still asks and accepts the same; the order of options does not count."""
    return _content(copy) == _content(present)


def _content(question: Question) -> str:
    return canonical({**question, "options": sorted(question.get("options", []))})


# Answering ---------------------------------------------------------------------------------------------------


def check_answers(questions: Sequence[Question], answers: Mapping[str, Any], *, partly: bool = False) -> Json:
    """The answers, checked and completed, by question id.

    Args:
        partly: Some answers may be missing.

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
                faults.append(Fault(f"#/answers/{name}", _kinds[question["kind"]].missing))
            continue
        try:
            complete[name] = _kinds[question["kind"]].check_answer(question, given)
        except Invalid as error:
            faults += moved(error.faults, f"#/answers/{name}")
    if faults:
        raise Invalid(faults=faults)
    return complete


def is_right(question: Question, answer: Any) -> bool:
    """True if a completed answer is among the right ones."""
    return _kinds[question["kind"]].is_right(question, answer)


# Kinds -------------------------------------------------------------------------------------------------------


class _Choice:
    """Questions with options to choose from."""

    fields = frozenset({"options"})

    def check(self, question: Question) -> Question:
        kept = _plain(question)
        kept["options"] = question.get("options") or []
        _check_choices(kept)
        return kept

    def shown(self, question: Question, *, hold: str) -> Json:
        return {"options": question["options"]}


class _Single(_Choice):
    missing = "Please choose an answer."

    def check_answer(self, question: Question, answer: Any) -> str:
        if not isinstance(answer, str) or answer not in question["options"]:
            raise Invalid.at("#", "Choose one of the options.")
        return answer

    def is_right(self, question: Question, answer: Any) -> bool:
        return answer in question["accept"]


class _Multiple(_Choice):
    missing = "Please choose at least one."

    def check_answer(self, question: Question, answer: Any) -> list[str]:
        options = question["options"]
        if not isinstance(answer, list) or any(not isinstance(one, str) or one not in options for one in answer):
            raise Invalid.at("#", "Give a list of the options that you choose.")
        if len(set(answer)) < len(answer):
            raise Invalid.at("#", "An option is chosen twice.")
        return answer

    def is_right(self, question: Question, answer: Any) -> bool:
        accept = question["accept"]
        groups = [accept] if isinstance(accept[0], str) else accept
        return set(answer) in [set(group) for group in groups]


class _Text:
    """Questions that the worker answers in their own words."""

    fields: frozenset[str] = frozenset()
    missing = "Please write an answer."

    def check(self, question: Question) -> Question:
        _refuse(
            Fault(f"#/accept/{number}", "An accepted text is a text, and not blank.")
            for number, text in enumerate(question["accept"])
            if not isinstance(text, str) or not re.search(NOT_BLANK, text)
        )
        return _plain(question)

    def shown(self, question: Question, *, hold: str) -> Json:
        return {}

    def check_answer(self, question: Question, answer: Any) -> str:
        if not isinstance(answer, str) or len(answer) > MOST_TEXT:
            raise Invalid.at("#", f"Give a text of at most {MOST_TEXT} characters.")
        return answer

    def is_right(self, question: Question, answer: Any) -> bool:
        accept = question["accept"]
        return not accept or _folded(answer) in map(_folded, accept)


def _folded(text: str) -> str:
    return text.strip().casefold()


register_kind(SINGLE, _Single())
register_kind(MULTIPLE, _Multiple())
register_kind(TEXT, _Text())
