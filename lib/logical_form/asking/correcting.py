"""Correct a guess: the part that is wrong is asked anew, and of the parts below it those that must be. Pure.

A guess is a record: the answers that give the guessed form. When the worker says that an answer of it is wrong, that
answer is taken out with all that depends on it. As the worker answers, the steps that open are answered from what was
taken out, wherever such an answer still fits; only the rest is asked.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lib.logical_form.asking.questions import Answers, Question, Step, answer_faults, tidy
from lib.logical_form.asking.walk import Record, cut, walk

AT = "?"
"""Between a step and one of its questions, in the name of a part: `/event_sequence/0#parts?tells`."""
_MOST_FILLED = 300


class Corrected(NamedTuple):
    """A record from which a wrong part is taken out, and the answers that may be used again (`hints`)."""

    record: dict[str, Answers]
    hints: dict[str, Answers]


class Rest(NamedTuple):
    """The questions of a step that are still to be asked.

    Attributes:
        known: Answers that are there already, by question.
        asks: The ids of the questions to ask; an answer in `known` to one of these is what was there before.
    """

    known: dict[str, Any]
    asks: list[str]


def part_name(step: str, question: str) -> str:
    """The name of a part: a question of a step."""
    return f"{step}{AT}{question}"


def step_of(part: str) -> str:
    """The step of a part, which may be named without its question."""
    return part.rpartition(AT)[0] or part


def parts_of(record: Record) -> list[tuple[Step, Question]]:
    """Everything of a record that can be wrong, in the order in which it was asked."""
    return [(step, question) for step in walk(record).done for question in step.questions]


def corrected(record: Record, part: str, hints: Record) -> Corrected:
    """Take a wrong part out of a record. The answers that go with it become hints; earlier hints stay."""
    key = step_of(part)
    question = part.removeprefix(key).removeprefix(AT)
    left = cut(record, key)
    gone = {name: answers for name, answers in record.items() if name not in left}
    if key in gone:
        asked = next((step for step in walk(record).done if step.key == key), None)
        gone[key] = _without(asked, gone[key], question) if asked and question else {}
    return Corrected(dict(left), {**{name: answers for name, answers in hints.items() if name not in gone}, **gone})


def _without(step: Step, answers: Answers, question: str) -> Answers:
    """The answers but that to one question. Several choices stay, for one of them may be right."""
    several = {one.id for one in step.questions if one.kind == "choices"}
    kept = {name: value for name, value in answers.items() if name != question or name in several}
    return {**kept, AT: question}


def filled(record: Record, hints: Record) -> dict[str, Answers]:
    """The record with each open step answered whose hints answer all of it.

    Args:
        hints: Answers by step. An answer named `AT` holds the question that must be asked again.
    """
    found = dict(record)
    for _ in range(_MOST_FILLED):
        fitting = ((step, _whole(step, hints)) for step in walk(found).open)
        step, answers = next((pair for pair in fitting if pair[1] is not None), (None, None))
        if step is None or answers is None:
            return found
        after = {**found, step.key: answers}
        if any(clash.step == step.key for clash in walk(after).faults):
            return found
        found = after
    return found


def _whole(step: Step, hints: Record) -> dict[str, Any] | None:
    """The hints for a step if they answer all of it; otherwise None."""
    if step.key not in hints or rest_of(step, hints).asks:
        return None
    return tidy(step, rest_of(step, hints).known)


def rest_of(step: Step, hints: Record) -> Rest:
    """Split a step into what hints tell and what is to be asked. Without hints all of it is asked."""
    names = [question.id for question in step.questions]
    if step.key not in hints or not hints[step.key]:
        return Rest({}, names)
    given = hints[step.key]
    known = {one.id: given[one.id] for one in step.questions if _fits(one, given)}
    again = given.get(AT)
    asks = [one.id for one in step.questions if one.id == again or (one.needed and one.id not in known)]
    return Rest(known, asks)


def _fits(question: Question, given: Mapping[str, Any]) -> bool:
    if given.get(question.id) in (None, []):
        return False
    alone = Step("", "", "", (), (question,))
    # The words were checked when the guess was read: any number of words will do here.
    return not answer_faults(alone, {question.id: given[question.id]}, words=10**6)
