"""A worker who knows the form and does nothing but answer the questions over HTTP writes that form."""

import os
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from annotation.models import Consensus, Task
from annotation.tool_registry import Json
from annotation.tools.parse.steps import faults_of as faults_of_step
from annotation.tools.parse.steps import moved, open_steps, tidied
from lib.logical_form.asking.walk import walk
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from tests.support.builders import make_worker
from tests.support.shared_data import OURS, Formed, form_of, valid_pairs
from tests.support.tool_workers import make_parse_project, perfect, post_commands, work_through

pytestmark = [pytest.mark.django_db, pytest.mark.long]

CHUNKS = 6
DRAWN = 25
WANTED = 0.95


def _round_trip(
    pairs: Sequence[Formed], as_worker: Any, *, given_to: str = "one_worker"
) -> tuple[list[str], list[int]]:
    """Why commands did not come back as they were, one line each; and how many steps each of the others took."""
    project = make_parse_project(given_to=given_to)
    forms = {pair.text: form for pair in pairs if (form := form_of(pair)) is not None}
    lost = [f"{pair.text!r}: its form is not valid" for pair in pairs if pair.text not in forms]
    texts = {f"c{number}": text for number, text in enumerate(forms)}
    tasks = post_commands(project, texts)
    work_through(as_worker(project, make_worker()), perfect(forms))
    steps: list[int] = []
    parts = Counter(Task.objects.filter(project=project, part_of__isnull=False).values_list("part_of", flat=True))
    for task in tasks:
        found = Consensus.objects.filter(task=task).first()
        form = found.answer["form"] if found and found.settled_at else None
        if form is None or not same(form, forms[task.payload["text"]]):
            lost.append(f"{task.payload['text']!r}: gave {form}")
        else:
            steps.append(parts[task.pk])
    return lost, steps


def _report(lost: Sequence[str], steps: Sequence[int]) -> None:
    n = len(lost) + len(steps)
    mean = sum(steps) / max(len(steps), 1)
    head = f"{len(steps)} of {n} forms came back; {mean:.1f} steps a command, {max(steps, default=0)} at most"
    print("\n  ".join(["", head, *(f"lost: {line}" for line in lost)]))  # noqa: T201 - the figures are wanted


def _asked(pair: Formed, form: Json) -> tuple[Json, int]:
    """The form that comes of the questions, each answer checked as when it is handed in; and how many steps it took."""
    knows, record, steps = perfect({pair.text: form}), dict[str, Any](), 0
    while opened := open_steps(record):
        step = opened[0]
        asked = {"text": pair.text, "node": {"step": step.key}, "questions": [{"id": step.questions[0].id}]}
        said = knows(asked)["answers"]
        assert faults_of_step(record, step, said, words=len(tokenise(pair.text))) == []
        record, steps = moved(record, step.key, {"answers": tidied(step, said)}).record, steps + 1
    return walk(record).form, steps


@pytest.mark.slow
def test_all_real_commands_come_back_of_their_questions() -> None:
    lost, steps = [], []
    for pair in valid_pairs():
        form = form_of(pair)
        if form is None:
            lost.append(f"{pair.text!r}: its form is not valid")
            continue
        found, asked = _asked(pair, form)
        if same(found, form):
            steps.append(asked)
        else:
            lost.append(f"{pair.text!r}: gave {found}")
    _report(lost, steps)
    assert len(steps) >= WANTED * len(valid_pairs())


@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_our_own_commands_come_back_as_they_are(given_to: str, as_worker: Any) -> None:
    lost, steps = _round_trip(OURS, as_worker, given_to=given_to)
    assert lost == []
    assert len(steps) == len(OURS)


def test_real_commands_come_back_as_they_are(as_worker: Any) -> None:
    drawn = random.Random(4).sample(valid_pairs(), DRAWN)
    lost, steps = _round_trip(drawn, as_worker)
    _report(lost, steps)
    assert len(steps) >= WANTED * DRAWN


@pytest.mark.slow
@pytest.mark.skipif("ALL_REAL_PAIRS" not in os.environ, reason="takes minutes: set ALL_REAL_PAIRS=1")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_all_real_commands_come_back_as_they_are(chunk: int, as_worker: Any) -> None:
    pairs = valid_pairs()[chunk::CHUNKS]
    lost, steps = _round_trip(pairs, as_worker)
    _report(lost, steps)
    assert len(steps) >= WANTED * len(pairs)
