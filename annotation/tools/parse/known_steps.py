"""The right answers to each step of a command whose right forms are known. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from annotation.tool_registry import Json
from annotation.tools.parse.agreement import ANSWERS, without_pointers
from annotation.tools.parse.steps import CONFIRM, open_steps
from lib.canonical_json import canonical
from lib.logical_form.asking.walk import Record, record_of, walk
from lib.logical_form.normal import same


class KnownStep(NamedTuple):
    """A step on the way to a right form: the answers before it, and its right answers."""

    key: str
    record: Json
    answers: list[Json]


def right_answers(forms: Sequence[Json], record: Record, key: str) -> list[Json]:
    """The right answers to a step after these earlier answers; none if these lead to no right form.

    The last step always has one: yes if the form has the meaning of a right form, else no.
    """
    if key == CONFIRM:
        walked = walk(record)
        is_right = not walked.open and any(same(walked.form, form) for form in forms)
        return [{ANSWERS: {"right": is_right}}] if forms else []
    return _right(_records(forms), record, key)


def _records(forms: Sequence[Json]) -> list[Record]:
    return [record_of(form) for form in forms]


def _right(trues: Sequence[Record], record: Record, key: str) -> list[Json]:
    """The answers to a step in those right records that agree with all that is answered before it."""
    found = [true.get(key) for true in trues if _fits(true, record)]
    distinct = {canonical(without_pointers(answers)): {ANSWERS: answers} for answers in found if answers is not None}
    return list(distinct.values())


def known_steps(forms: Sequence[Json]) -> Iterator[KnownStep]:
    """Each step on the way to a right form once, in the order in which it is asked."""
    seen: set[str] = set()
    trues = _records(forms)
    for true in trues:
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
