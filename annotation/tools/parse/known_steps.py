"""The right answers to each step of a command whose right forms are known. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from annotation.tool_registry import Json
from annotation.tools.parse.agreement import ANSWERS, GUESS_IS_RIGHT, without_pointers
from annotation.tools.parse.steps import CONFIRM, ROOT, open_steps
from lib.canonical_json import canonical
from lib.logical_form.asking.walk import Record, record_of, walk
from lib.logical_form.normal import same


class KnownStep(NamedTuple):
    """A step on the way to a right form: the answers before it, and its right answers."""

    key: str
    record: Json
    answers: list[Json]


def right_answers(forms: Sequence[Json], record: Record, key: str, *, with_guess: bool = False) -> list[Json]:
    """The right answers to a step after these earlier answers; none if these lead to no right form.

    The last step always has one: yes if the form has the meaning of a right form, else no.

    Args:
        with_guess: The record began with a guess. A part of it that is wrong and not corrected yet then spoils only
            the steps below that part.
    """
    if key == CONFIRM:
        walked = walk(record)
        is_right = not walked.open and any(same(walked.form, form) for form in forms)
        return [{ANSWERS: {"right": is_right}}] if forms else []
    return _right(_records(forms), _above(record, key) if with_guess else record, key)


def right_first_answers(forms: Sequence[Json], guess: Record | None) -> list[Json]:
    """The right answers to the first step, each with whether the guess that may be shown beside it is right."""
    answers = right_answers(forms, {}, ROOT)
    if guess is None:
        return answers
    guessed = walk(guess).form
    is_right = any(same(guessed, form) for form in forms)
    return [{**answer, GUESS_IS_RIGHT: is_right} for answer in answers]


def _above(record: Record, key: str) -> Json:
    """The answers about the parts that contain the part of this step, and about that part itself."""
    path = key.partition("#")[0]
    return {
        name: answers
        for name, answers in record.items()
        if name != CONFIRM and f"{path}/".startswith(f"{name.partition('#')[0]}/")
    }


def _records(forms: Sequence[Json]) -> list[Record]:
    """Both ways to each form: a command of one action is named by that action, or told step by step."""
    found = [record_of(form, joins=joins) for form in forms for joins in (True, False)]
    return list({canonical(record): record for record in found}.values())


def _right(trues: Sequence[Record], record: Record, key: str) -> list[Json]:
    """The answers to a step in those right records that agree with all that is answered before it."""
    found = [true.get(key) for true in trues if _fits(true, record)]
    distinct = {canonical(without_pointers(answers)): {ANSWERS: answers} for answers in found if answers is not None}
    return list(distinct.values())


def known_steps(forms: Sequence[Json]) -> Iterator[KnownStep]:
    """Each step on the way to a right form once, in the order in which it is asked."""
    seen: set[str] = set()
    trues = _records(forms)
    for true in (record_of(form) for form in forms):
        record: dict[str, Any] = {}
        while opened := open_steps(record):
            key = opened[0].key
            name = canonical([key, record])
            if name not in seen:
                seen.add(name)
                right = right_answers(forms, record, key) if key == CONFIRM else _right(trues, record, key)
                yield KnownStep(key, dict(record), right)
            record[key] = {"right": True} if key == CONFIRM else true[key]


def _fits(true: Record, record: Record) -> bool:
    """True if all answers are those of the right record `true`."""
    return all(
        key == CONFIRM or (key in true and without_pointers(true[key]) == without_pointers(answers))
        for key, answers in record.items()
    )
