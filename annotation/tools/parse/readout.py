"""Answers of the parse annotator in words, for staff: questions and answers. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation.tool_registry import Json
from annotation.tools.parse import steps
from lib.logical_form import Form
from lib.logical_form.asking.correcting import part_name, parts_of
from lib.logical_form.asking.questions import Question, Step
from lib.logical_form.english.differences import Difference, differences
from lib.logical_form.english.outline import Line, outline, sentence
from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import Fault, faults_of

CANNOT_TELL = "I cannot tell"
NO_COMMAND = "this is not a command"
NO_FORM = "no form"
NOTHING = "nothing"


class AnsweredQuestion(NamedTuple):
    """One question and the answer to it."""

    ask: str
    text: str


class Reading(NamedTuple):
    """A form, whole or partial, and its text; `words` is empty if nothing is known."""

    form: Form
    words: str
    outline: list[Line]


def reading(form: Form | None, tokens: Sequence[str]) -> Reading:
    return Reading(form or {}, sentence(form, tokens) if form else "", outline(form, tokens) if form else [])


def agent_reading(payload: Json) -> tuple[Reading, list[Fault]]:
    """The agent's parse of a command in words or, if it is not a valid form, its faults.

    A pipeline may post any JSON as the parse, and only a valid form can be put into words.
    """
    tokens = tokenise(payload["text"])
    form = upgraded(payload.get("form") or {})[0]
    faults = faults_of(form, words=len(tokens)) if form else []
    return (Reading(form, "", []), faults) if faults else (reading(form, tokens), [])


def differences_between(a: Form | None, b: Form | None, tokens: Sequence[str]) -> list[Difference]:
    """How `b` differs from `a`, both valid; nothing if either is missing, because there is nothing to compare."""
    return differences(a, b, tokens) if a and b else []


def answer_in_words(answer: Json, text: str) -> str:
    """An answer, a consensus or a truth in one line; `text` is the command."""
    tokens = tokenise(text)
    if "form" in answer:
        return (sentence(answer["form"], tokens) or NO_FORM) if answer["form"] else NO_FORM
    if (beside := _beside(answer)) is not None:
        return beside
    return ", ".join(_plainly(value, tokens) for value in answer.get("answers", {}).values()) or NOTHING


def answered_questions(step: Step | None, answer: Json, tokens: Sequence[str]) -> list[AnsweredQuestion]:
    """The answer to each question of a step; without a step (it is not asked any more), by the questions' ids."""
    beside = _beside(answer)
    if beside is not None:
        return [AnsweredQuestion("", beside)]
    given: Mapping[str, Any] = answer.get("answers", {})
    if step is None:
        return [AnsweredQuestion(name, _plainly(value, tokens)) for name, value in given.items()]
    return [
        AnsweredQuestion(question.ask, _told(question, given.get(question.id), tokens)) for question in step.questions
    ]


def _beside(answer: Json) -> str | None:
    """The statement that was given in place of answers; None if there is none."""
    if answer.get("unknown"):
        return CANNOT_TELL
    if answer.get("not_a_command"):
        return NO_COMMAND
    if answer.get("accept"):
        return "the guess is right"
    if "wrong" in answer:
        return f"wrong in the guess: {_name_of(answer)}"
    if "back" in answer:
        return "back to an earlier question"
    return None


def _name_of(answer: Json) -> str:
    """The part of a guess that a worker named as wrong, in words."""
    for step, question in parts_of(answer.get("guess", {})):
        if answer["wrong"] in (step.key, part_name(step.key, question.id)):
            return question.name or steps.label_of(step)
    return str(answer["wrong"])


def _told(question: Question, value: Any, tokens: Sequence[str]) -> str:
    if value is None or value == []:
        return NOTHING
    labels = {option.value: option.label for option in question.options}
    if question.kind in ("choice", "choices"):
        values = value if isinstance(value, list) else [value]
        return ", ".join(labels.get(one, str(one)) for one in values)
    return _plainly(value, tokens)


def _plainly(value: Any, tokens: Sequence[str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return " … ".join(f"“{' '.join(tokens[first : last + 1])}”" for first, last in value)
    if isinstance(value, list):
        return ", ".join(str(one) for one in value) or NOTHING
    return str(value)


def step_of(payload: Json) -> Step | None:
    """The step that the payload of a small task asks; None if the grammar does not ask it any more."""
    return steps.step_named(payload["record"], payload["step"])


def label_of(payload: Json) -> str:
    """The step of a small task in words, different from the other steps of its command."""
    step = step_of(payload)
    return str(payload["step"]) if step is None else steps.label_of(step)
