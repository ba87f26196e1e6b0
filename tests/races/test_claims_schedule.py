"""Any schedule of what three workers may do adds up, checked against a model."""

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from annotation.models import Annotation, Assignment, Consensus, Enrolment, Task
from annotation.work.claims import claim_ahead, claim_next, holds_of
from annotation.work.leases import LeaseLost, expire_overdue, release, report
from annotation.work.submissions import submit
from tests.support.builders import NOON, make_episode, make_project
from tests.support.crowds import check, fresh, make_enrolments, post_many

pytestmark = [pytest.mark.django_db, pytest.mark.by_chance]

ANSWER = {"outcome": "success", "frame": 20}


class Schedule(RuleBasedStateMachine):
    """Three workers, any order of what they may do, against a model of what must hold. Rolled back at the end."""

    workers = st.integers(0, 2)
    picks = st.integers(0, 1000)

    def __init__(self) -> None:
        super().__init__()
        self.whole = transaction.atomic()
        self.whole.__enter__()
        self.at = NOON
        self.project = make_project(redundancy=2, reference_rate=0.25, lease_s=60)
        self.episode = make_episode().external_id
        self.crowd = make_enrolments(self.project, 3)
        post_many(self.project, 4, episode=self.episode)
        post_many(self.project, 2, episode=self.episode, truth="failure")
        self.random = Random(5)
        self.last: Assignment | None = None

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.whole.__exit__(None, None, None)

    @rule(who=workers)
    def claim_next(self, who: int) -> None:
        enrolment = self.crowd[who]
        before = list(holds_of(enrolment, at=self.at))
        expire_overdue(at=self.at)
        open_to, unmet = self._open_to(enrolment), self._unmet_by(enrolment)
        held = claim_next(enrolment=fresh(enrolment), at=self.at, chance=self.random.random)
        if before:
            assert held == before[0], "an unexpired hold is returned again"
            return
        assert (held is None) == (not open_to), f"{held} of {open_to}"
        if held is None:
            return
        if held.task.is_reference:
            assert held.task_id in unmet, "a reference repeats"
        else:
            assert held.task_id in open_to
            assert held.task_id in unmet or not (open_to & unmet), "a task came back though fresh ones remain"

    @rule(who=workers)
    def claim_ahead(self, who: int) -> None:
        enrolment = self.crowd[who]
        before = list(holds_of(enrolment, at=self.at))
        held = claim_ahead(enrolment=fresh(enrolment), at=self.at, chance=self.random.random)
        after = list(holds_of(enrolment, at=self.at))
        assert after[: len(before)] == before
        assert len(after) <= max(len(before), min(len(before) + 1, 2))
        assert held is None or held == after[-1]

    @rule(pick=picks)
    def hand_in(self, pick: int) -> None:
        """Any assignment there ever was, in whatever state."""
        assignment = self._any(Assignment.objects.filter(task__project=self.project), pick)
        if assignment is None:
            return
        before, count = assignment.status, Annotation.objects.count()
        enrolment = next(one for one in self.crowd if one.worker_id == assignment.worker_id)
        try:
            annotation = submit(
                enrolment=fresh(enrolment), assignment=assignment, answer=ANSWER, active_s=None, at=self.at
            )
        except LeaseLost:
            assert before not in {Assignment.Status.CLAIMED, Assignment.Status.SUBMITTED}
            assert Annotation.objects.count() == count
        else:
            assert annotation.assignment_id == assignment.pk
            assert before not in {Assignment.Status.RELEASED, Assignment.Status.REPORTED}
            assert Annotation.objects.count() == count + (before != Assignment.Status.SUBMITTED)

    @rule(pick=picks, is_report=st.booleans())
    def give_back(self, pick: int, is_report: bool) -> None:
        assignment = self._any(Assignment.objects.held().filter(task__project=self.project), pick)
        if assignment is None:
            return
        if is_report:
            report(assignment=assignment, problem="other", text="", at=self.at)
        else:
            release(assignment=assignment, at=self.at)

    @rule(seconds=st.sampled_from([20, 61]))
    def wait(self, seconds: int) -> None:
        self.at += timedelta(seconds=seconds)

    @rule(priority=st.integers(-1, 2), redundancy=st.sampled_from([None, 1, 3]))
    @precondition(lambda self: Task.objects.filter(project=self.project).count() < 9)
    def post(self, priority: int, redundancy: int | None) -> None:
        post_many(self.project, 1, episode=self.episode, priority=priority, redundancy=redundancy)

    @invariant()
    def everything_adds_up(self) -> None:
        check(self.project)
        for task in Task.objects.ordinary().filter(project=self.project):
            consensus = Consensus.objects.filter(task=task).first()
            count = Annotation.objects.filter(task=task).count()
            assert (consensus is not None) == (count > 0)
            assert (consensus is not None and consensus.settled_at is not None) == (count == task.wanted)
            assert consensus is None or consensus.annotations == count
        for enrolment in self.crowd:
            own = Annotation.objects.filter(project=self.project, worker=enrolment.worker)
            assert fresh(enrolment).submitted == own.count()

    def _open_to(self, enrolment: Enrolment) -> set[int]:
        """Ordinary tasks with a free slot that nothing keeps from this worker; worked out from assignments alone."""
        found = set()
        for task in Task.objects.ordinary().filter(project=self.project):
            ones = list(Assignment.objects.filter(task=task))
            takers = [one for one in ones if one.status in {"claimed", "submitted"}]
            own = {one.status for one in ones if one.worker_id == enrolment.worker_id}
            if len(takers) < task.wanted and not own & {"claimed", "submitted", "reported"}:
                found.add(task.pk)
        return found

    def _unmet_by(self, enrolment: Enrolment) -> set[int]:
        met = Assignment.objects.filter(worker=enrolment.worker).values("task")
        return set(Task.objects.filter(project=self.project).exclude(pk__in=met).values_list("pk", flat=True))

    @staticmethod
    def _any(assignments: Any, pick: int) -> Assignment | None:
        found = list(assignments.select_related("task").order_by("pk"))
        return found[pick % len(found)] if found else None


@pytest.mark.slow
def test_any_schedule_adds_up() -> None:
    run_state_machine_as_test(
        Schedule,
        settings=settings(
            max_examples=10,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
