"""A noisy crowd of three against each of its members, in both ways of giving out steps."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from annotation.models import Annotation, Chain, Consensus
from annotation.tool_registry import Json
from annotation.tools.parse import steps
from annotation.tools.parse.agreement import merged
from annotation.tools.parse.assembly import common_form
from lib.logical_form.asking.walk import walk
from lib.logical_form.normal import same
from lib.logical_form.spans import tokenise
from tests.support.builders import make_worker
from tests.support.shared_data import OURS, form_of, valid_pairs
from tests.support.tool_workers import Answer, make_parse_project, noisy, post_commands, work_through

CROWD = 3
COMMANDS = 60
MOST_STEPS = 40
UNKNOWN: Json = {"answers": {}, "unknown": True, "step": ""}


class Accuracy(NamedTuple):
    """Shares of commands whose form came out exactly."""

    single: float
    one_worker: float
    many_workers: float


def _answer(text: str, record: Json, step: Any, worker: Answer) -> Json:
    """The accepted answer of a worker: "cannot tell" where the answer is refused, as over HTTP."""
    tokens = tokenise(text)
    asked = [
        {
            "id": one.id,
            "kind": one.kind,
            "optional": not one.needed,
            "options": [{"value": o.value} for o in one.options],
        }
        for one in step.questions
    ]
    given = worker({"text": text, "tokens": tokens, "node": {"step": step.key}, "questions": asked})["answers"]
    faults = steps.faults_of(record, step, given, words=len(tokens))
    return UNKNOWN if faults else {"answers": steps.tidied(step, given)}


def _alone(text: str, worker: Answer) -> Chain:
    """The chain of one worker who goes through the whole command."""
    record: Json = {}
    for _ in range(MOST_STEPS):
        opened = steps.open_steps(record)
        if not opened:
            return Chain(record=record, status=Chain.Status.DONE)
        answer = _answer(text, record, opened[0], worker)
        if answer is UNKNOWN:
            break
        record = steps.after_answer(record, opened[0].key, answer).record
    return Chain(record=record, status=Chain.Status.UNKNOWN)


def _together(text: str, workers: Sequence[Answer]) -> Json | None:
    """The form where each step is asked of all, and the next follows from what they come to."""
    record: Json = {}
    for _ in range(MOST_STEPS):
        opened = steps.open_steps(record)
        if not opened:
            return walk(record).form
        found = merged([_answer(text, record, opened[0], worker) for worker in workers]).answer
        if found.get("unknown"):
            break
        record = steps.after_answer(record, opened[0].key, found).record
    return None


def _measure(error: float) -> Accuracy:
    drawn = random.Random(1).sample(valid_pairs(), COMMANDS)
    forms = {pair.text: form for pair in drawn if (form := form_of(pair)) is not None}
    crowd = [noisy(forms, error=error, rng=random.Random(seed)) for seed in range(CROWD)]
    again = [noisy(forms, error=error, rng=random.Random(100 + seed)) for seed in range(CROWD)]
    single = one = many = 0
    for text, form in forms.items():
        chains = [_alone(text, worker) for worker in crowd]
        single += sum(chain.status == "done" and same(walk(chain.record).form, form) for chain in chains)
        found, _ = common_form([(chain, 1.0) for chain in chains])
        one += found is not None and same(found, form)
        shared = _together(text, again)
        many += shared is not None and same(shared, form)
    n = len(forms)
    return Accuracy(single / n / CROWD, one / n, many / n)


@pytest.mark.parametrize(("error", "alone", "shared"), [(0.05, 0.12, 0.2), (0.1, 0.1, 0.3)])
def test_three_noisy_workers_are_better_than_one(error: float, alone: float, shared: float) -> None:
    found = _measure(error)
    assert found.single > 0.1, "or the commands are too hard to tell anything"
    assert found.one_worker >= found.single + alone
    assert found.many_workers >= found.single + shared


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_a_noisy_crowd_over_http_settles_every_command(given_to: str, as_worker: Any) -> None:
    forms = {pair.text: pair.form for pair in OURS[:4]}
    project = make_parse_project(given_to=given_to, redundancy=CROWD)
    tasks = post_commands(project, {f"c{number}": text for number, text in enumerate(forms)})
    crowd = [
        (as_worker(project, make_worker()), noisy(forms, error=0.05, rng=random.Random(seed))) for seed in range(CROWD)
    ]
    while sum(work_through(client, worker) for client, worker in crowd):
        pass
    found = {one.task_id: one for one in Consensus.objects.filter(task__in=tasks)}
    right = [same(found[task.pk].answer["form"] or {}, forms[task.payload["text"]]) for task in tasks]
    alone = [
        same(walk(chain.record).form, forms[chain.task.payload["text"]])
        for chain in Chain.objects.filter(task__in=tasks, worker__isnull=False).select_related("task")
    ]
    assert Annotation.objects.filter(project=project).count() > CROWD * len(tasks)
    assert all(one.settled_at for one in found.values())
    assert sum(right) / len(right) >= (sum(alone) / len(alone) if alone else 0.75)
