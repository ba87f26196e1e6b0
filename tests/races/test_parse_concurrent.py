"""Steps of commands claimed and answered at the same moment, with real threads on a real database."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from annotation.models import Annotation, Assignment, Chain, Consensus, Enrolment, Step, Task
from annotation.tools.parse.chains import IDLE_AFTER, leave_idle
from annotation.tools.parse.steps import CONFIRM
from annotation.work.claims import claim_next
from annotation.work.leases import release
from annotation.work.submissions import submit
from lib.logical_form.normal import same
from tests.annotation.tools.test_parse import STEPS, TEXT, TOWER
from tests.support.builders import NOON
from tests.support.crowds import fresh, make_enrolments, race, succeed
from tests.support.tool_workers import make_parse_project, perfect, post_commands

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ROUNDS = 3
knows = perfect({TEXT: TOWER})


def _hold(enrolment: Enrolment, *, at: datetime = NOON) -> Assignment | None:
    return claim_next(enrolment=fresh(enrolment), at=at)


def _give_back(held: Assignment) -> None:
    release(assignment=Assignment.objects.select_related("task__project").get(pk=held.pk), at=NOON)


def _answer(enrolment: Enrolment, held: Assignment) -> Annotation:
    held = Assignment.objects.select_related("task").get(pk=held.pk)
    step = held.task.payload["step"]
    shown = {"text": TEXT, "questions": [{"id": "right" if step == CONFIRM else ""}], "node": {"step": step}}
    return submit(enrolment=fresh(enrolment), assignment=held, answer=knows(shown), active_s=None, at=NOON)


def _go_on(enrolment: Enrolment, steps: int) -> None:
    for _ in range(steps):
        held = _hold(enrolment)
        assert held is not None
        _answer(enrolment, held)


def test_two_tabs_of_one_worker_hold_one_step_and_answer_it_once() -> None:
    for number in range(ROUNDS):
        project = make_parse_project()
        post_commands(project, {"c1": TEXT, "c2": TEXT})
        (worker,) = make_enrolments(project, 1)
        _go_on(worker, number)
        held = succeed(race(partial(_hold, worker), partial(_hold, worker)))
        assert held[0] == held[1] is not None
        done = succeed(race(partial(_answer, worker, held[0]), partial(_answer, worker, held[1])))
        assert done[0] == done[1]
        chain = Chain.objects.get(worker=worker.worker)
        assert len(chain.record) == number + 1
        assert chain.steps.filter(task__status=Task.Status.OPEN).count() == 1


@pytest.mark.parametrize("given_to", ["one_worker", "many_workers"])
def test_two_workers_finish_a_command_at_once(given_to: str) -> None:
    for _ in range(ROUNDS):
        project = make_parse_project(given_to=given_to, redundancy=2)
        (task,) = post_commands(project, {"c1": TEXT})
        crowd = make_enrolments(project, 2)
        for _ in range(STEPS - 1):
            for worker in crowd:
                _go_on(worker, 1)
        held = [_hold(worker) for worker in crowd]
        acts = [partial(_answer, worker, one) for worker, one in zip(crowd, held, strict=True) if one]
        succeed(race(*acts))
        found = Consensus.objects.get(task=task)
        assert same(found.answer["form"], TOWER)
        assert found.settled_at is not None
        assert found.annotations == (2 if given_to == "one_worker" else 2 * STEPS)
        assert not task.parts.filter(status=Task.Status.OPEN).exists()
        assert Step.objects.filter(chain__task=task, round__gt=0).count() == 0


def test_two_workers_answer_parallel_steps_at_once() -> None:
    for _ in range(ROUNDS):
        project = make_parse_project(given_to="many_workers")
        (task,) = post_commands(project, {"c1": TEXT})
        crowd = make_enrolments(project, 2)
        while task.parts.filter(open=True).count() < 2:
            _go_on(crowd[0], 1)
        held = [_hold(worker) for worker in crowd]
        assert held[0] != held[1]
        acts = [partial(_answer, worker, one) for worker, one in zip(crowd, held, strict=True) if one]
        succeed(race(*acts))
        chain = Chain.objects.get(task=task)
        assert {one.task.payload["step"] for one in held if one} <= set(chain.record)
        keys = list(Step.objects.filter(chain=chain).values_list("key", flat=True))
        assert len(keys) == len(set(keys)), "no step was made twice"


def test_a_chain_is_left_or_held_but_never_both() -> None:
    for _ in range(ROUNDS):
        project = make_parse_project()
        (task,) = post_commands(project, {"c1": TEXT})
        (worker,) = make_enrolments(project, 1)
        _go_on(worker, 2)
        late = NOON + IDLE_AFTER + timedelta(minutes=1)
        held, left = succeed(race(partial(_hold, worker, at=late), partial(leave_idle, at=late)))
        chain = Chain.objects.get(task=task, worker=worker.worker)
        assert (held is None) == (left == 1) == (chain.status == Chain.Status.LEFT)


def test_a_step_is_given_back_or_answered_but_never_both() -> None:
    for _ in range(ROUNDS):
        project = make_parse_project()
        (task,) = post_commands(project, {"c1": TEXT})
        (worker,) = make_enrolments(project, 1)
        _go_on(worker, 2)
        held = _hold(worker)
        assert held is not None
        race(partial(_answer, worker, held), partial(_give_back, held))
        held.refresh_from_db()
        chain = Chain.objects.get(task=task, worker=worker.worker)
        assert (held.status == "released") == (chain.status == Chain.Status.LEFT)
        assert len(chain.record) == (2 if held.status == "released" else 3)
