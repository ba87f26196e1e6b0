"""The work on each step of the parse annotator: its time, its answers that were taken back, its wrong answers."""

import re
from typing import Any

from annotation.models import Annotation, Project, Task
from annotation.tool_registry import Json
from annotation.tools.parse.agreement import ANSWERS, BACK
from annotation.tools.parse.readout import label_of
from annotation.tools.parse.steps import CONFIRM
from lib.logical_form.asking.correcting import step_of
from lib.question_effort import MOST_ROWS, QuestionEffort, Tally

WHOLE = "whole"
"""The name of the question that experts answer: the whole form."""


def question_efforts(project: Project) -> list[QuestionEffort]:
    """The work on each step. The first and the second thing to do have the same questions. 2 queries."""
    newest = Annotation.objects.current().filter(project=project).order_by("-number")
    rows = newest.values_list("worker", "task__part_of", "task", "task__step__key", "active_s", "score", "answer")
    tally, examples, given = Tally(), dict[str, int](), set[tuple[int, int | None, str]]()
    for worker, whole, task, key, active_s, score, answer in reversed(list(rows[:MOST_ROWS])):
        question = _question(key)
        examples[question] = task
        tally.answered(question, seconds=active_s, score=score)
        undone = _undone(answer, key)
        # A wrong part of a guess was nobody's answer.
        if undone and (worker, whole, undone) in given:
            given.remove((worker, whole, undone))
            tally.undone(_question(undone))
        if key and answer.get(ANSWERS):
            given.add((worker, whole, key))
    payloads = dict(Task.objects.filter(pk__in=examples.values()).values_list("pk", "payload"))
    return tally.efforts({question: _label(question, payloads[task]) for question, task in examples.items()})


def _question(key: str | None) -> str:
    """The name of a step without its place in lists.

    >>> _question("/event_sequence/1/schematic#parts")
    '/event_sequence/*/schematic#parts'
    """
    return re.sub(r"(?<=/)\d+(?=[/#]|$)", "*", key) if key else WHOLE


def _label(question: str, payload: Json) -> str:
    return "the whole form" if question == WHOLE else label_of(payload)


def _undone(answer: Json, key: str | None) -> str:
    """The step that an answer takes back; "" for none."""
    if BACK in answer:
        return str(answer[BACK])
    wrong: Any = answer.get(ANSWERS, {}).get("wrong") if key == CONFIRM else None
    return step_of(wrong) if wrong else ""
