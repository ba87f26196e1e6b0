"""What is right at each step of a command whose right forms are known. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from annotation.logical_form.normal import same
from annotation.logical_form.walk import Record, record_of, walk
from annotation.tools import Json
from annotation.tools.parse.agreement import ANSWERS, without_pointers
from annotation.tools.parse.steps import CONFIRM, open_steps
from common.values import canonical


class KnownStep(NamedTuple):
    """A step that a right form leads to: what was answered before it, and what is right there."""

    key: str
    record: Json
    answers: list[Json]


def right_answers(forms: Sequence[Json], record: Record, key: str) -> list[Json]:
    """What is right at a step, given what was answered before; nothing if that has left every right form.

    Of the last step something is always right: yes where the form means what one of the right ones does, else no.
    """
    if key == CONFIRM:
        walked = walk(record)
        is_right = not walked.open and any(same(walked.form, form) for form in forms)
        return [{ANSWERS: {"right": is_right}}] if forms else []
    found = [record_of(form).get(key) for form in forms if _fits(form, record)]
    distinct = {canonical(without_pointers(answers)): {ANSWERS: answers} for answers in found if answers is not None}
    return list(distinct.values())


def known_steps(forms: Sequence[Json]) -> Iterator[KnownStep]:
    """Each step that a right form leads to, in the order in which it is asked; each once."""
    seen: set[str] = set()
    for form in forms:
        true, record = record_of(form), dict[str, Any]()
        while opened := open_steps(record):
            key = opened[0].key
            name = canonical([key, record])
            if name not in seen:
                seen.add(name)
                yield KnownStep(key, dict(record), right_answers(forms, record, key))
            record[key] = {"right": True} if key == CONFIRM else true[key]


def _fits(form: Json, record: Record) -> bool:
    """Whether all that is answered is what somebody who knows this form answers."""
    true = record_of(form)
    return all(
        key == CONFIRM or (key in true and without_pointers(true[key]) == without_pointers(answers))
        for key, answers in record.items()
    )
