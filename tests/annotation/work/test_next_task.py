"""References in the place of ordinary tasks: what a worker can see follows from the ordinary task alone."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from annotation.models import Assignment, Enrolment, Project, Task
from annotation.references.references import retire
from annotation.work.claims import TooManyReturns, claim_next
from annotation.work.leases import SLOT_DELAY_S, free_slots, release, report
from annotation.work.posting import change_redundancy
from annotation.work.reference_draw import count_again
from audit.models import AuditEvent
from lib.faults import CrosswalkError
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, make_worker
from tests.support.crowds import check, fresh, make_enrolments, post_many
from tests.support.pages import words_of
from workforce.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.by_chance]

LATE = NOON + timedelta(seconds=SLOT_DELAY_S[1])


def project_of(tasks: int, references: int, *, rate: float = 0.5, **changes: Any) -> Project:
    project = make_project(reference_rate=rate, **changes)
    post_many(project, tasks)
    post_many(project, references, truth="success")
    return project


def claim_at(project: Project, worker: Worker, at: datetime, chance: Callable[[], float]) -> Assignment | None:
    return claim_next(enrolment=fresh(make_enrolment(project, worker)), at=at, chance=chance)


def held_reference(project: Project, worker: Worker) -> Assignment:
    """A hold on a reference, in the place of an ordinary task."""
    held = claim(project, worker, chance=lambda: 0.0)
    assert held.task.is_reference
    assert held.slot_of is not None
    assert not held.slot_of.is_reference
    return held


def ignore(_: Assignment) -> None:
    """Let the lease end."""


def give_back(held: Assignment) -> None:
    release(assignment=held, at=NOON)


# One process -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [give_back, ignore])
def test_a_reference_that_ended_without_an_answer_comes_back_like_every_task(
    end: Callable[[Assignment], None], alice: Worker
) -> None:
    project = project_of(4, 4)
    chance, at = Random(3).random, NOON
    first: list[int] = []
    for _ in range(4):
        held = claim_at(project, alice, at, chance)
        assert held is not None
        first.append(held.task_id)
        end(held)
        at += timedelta(seconds=project.lease_s)
    kinds = set(Task.objects.filter(pk__in=first).values_list("is_reference", flat=True))
    assert kinds == {True, False}, "the seed brings both kinds"

    again = []
    for _ in range(4):
        held = claim_at(project, alice, at, chance)
        assert held is not None
        again.append(held.task_id)
        annotate(held, at=at)
    assert sorted(again) == sorted(first)
    check(project)


def test_a_reference_takes_the_slot_of_its_task_and_gives_it_back_some_time_after_the_answer(
    alice: Worker, bob: Worker
) -> None:
    project = project_of(1, 1)
    held = held_reference(project, alice)
    check(project)
    assert claim_at(project, bob, NOON, lambda: 0.99) is None
    annotate(held)
    check(project)
    assert claim_at(project, bob, NOON, lambda: 0.99) is None, "it would have been open at once"

    assert free_slots(at=NOON + timedelta(seconds=SLOT_DELAY_S[0] - 1)) == 0
    assert free_slots(at=LATE) == 1
    check(project)
    assert claim_at(project, bob, LATE, lambda: 0.99) is not None


def give_an_answer(held: Assignment) -> None:
    annotate(held)


def say_that_nobody_can_judge_it(held: Assignment) -> None:
    report(assignment=held, problem="ambiguous", text="", at=NOON)


@pytest.mark.parametrize("end", [give_an_answer, say_that_nobody_can_judge_it])
@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_the_slot_of_a_reference_waits_only_where_references_are_hidden(
    end: Callable[[Assignment], None], rate: float, alice: Worker, bob: Worker
) -> None:
    project = project_of(1, 1, rate=rate)
    end(held := held_reference(project, alice))
    check(project)
    held.refresh_from_db()
    is_hidden = rate < 1
    assert (held.slot_free_at is not None, held.slot_of_id is not None) == (is_hidden, is_hidden)
    count_again(project)
    Task.objects.references().filter(project=project).update(open=False)
    served = claim_at(project, bob, NOON, lambda: 0.99)
    assert (served is None) == is_hidden


def test_a_sweep_that_may_free_few_slots_frees_those_first_that_are_due_for_longest(alice: Worker, bob: Worker) -> None:
    project = project_of(2, 2)
    ends = {}
    for worker, minutes in ((alice, 2), (bob, 1)):
        annotate(held := held_reference(project, worker))
        Assignment.objects.filter(pk=held.pk).update(slot_free_at=NOON + timedelta(minutes=minutes))
        ends[held.pk] = minutes
    assert free_slots(at=LATE, limit=1) == 1
    [left] = Assignment.objects.filter(slot_free_at__isnull=False)
    assert ends[left.pk] == 2


def test_a_released_reference_frees_the_slot_at_once_as_a_task_does(alice: Worker, bob: Worker) -> None:
    project = project_of(1, 1)
    give_back(held_reference(project, alice))
    others = claim(project, bob, chance=lambda: 0.99)
    assert not others.task.is_reference
    annotate(others)
    assert claim_at(project, alice, NOON, lambda: 0.0) is None, "her reference went with the task"


def test_a_reported_reference_never_comes_back_but_its_task_does(alice: Worker) -> None:
    project = project_of(1, 1)
    held = held_reference(project, alice)
    report(assignment=held, problem="ambiguous", text="", at=NOON)
    assert claim(project, alice, chance=lambda: 0.0).task_id == held.slot_of_id


def test_a_reference_that_came_back_and_was_answered_leaves_its_task_unmet(alice: Worker) -> None:
    project = project_of(1, 1)
    given_back = held_reference(project, alice)
    give_back(given_back)
    again = claim(project, alice, chance=lambda: 0.0)
    assert again.task_id == given_back.task_id
    annotate(again)
    free_slots(at=LATE)
    assert claim_at(project, alice, LATE, lambda: 0.0) == claim(project, alice, chance=lambda: 0.0)
    last = Assignment.objects.held().get(worker=alice)
    assert last.task_id == given_back.slot_of_id


def test_who_works_to_the_end_meets_every_task_and_no_reference_twice() -> None:
    project = project_of(20, 6, rate=0.25, redundancy=3)
    tasks = set(Task.objects.ordinary().filter(project=project).values_list("pk", flat=True))
    for number, enrolment in enumerate(make_enrolments(project, 3)):
        chance, met = Random(number).random, []
        while held := claim_next(enrolment=fresh(enrolment), at=NOON, chance=chance):
            annotate(held)
            met.append(held.task_id)
        assert len(met) == len(set(met))
        assert tasks <= set(met)
        assert len(met) > len(tasks)
    check(project)
    assert set(Task.objects.ordinary().filter(project=project).values_list("status", flat=True)) == {"done"}


def test_a_slot_that_is_wanted_no_more_is_not_served(alice: Worker, bob: Worker) -> None:
    project = project_of(1, 1, redundancy=2)
    annotate(held_reference(project, alice))
    annotate(claim(project, bob, chance=lambda: 0.99))
    change_redundancy(project=project, redundancy=1, at=NOON)
    assert claim_at(project, alice, NOON, lambda: 0.0) is None


def test_a_retired_reference_makes_room_for_the_task_itself(alice: Worker) -> None:
    project = project_of(1, 1)
    held = held_reference(project, alice)
    give_back(held)
    retire(reference=held.task, reason="wrong video", by="staff:dora", at=NOON)
    assert claim(project, alice, chance=lambda: 0.0).task_id == held.slot_of_id
    check(project)


# The rate ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "references", "changes", "share"),
    [
        (10, 10, {"rate": 0.4}, 1.0),
        (30, 3, {"rate": 0.2}, 3 / 6.6),
        (30, 3, {"rate": 0.2, "limit_per_worker": 15}, 1.0),
        (8, 2, {"rate": 0.1, "start_tasks": 4, "start_reference_rate": 0.85}, 2 / 4.0),
        (5, 0, {"rate": 0.3}, 0.0),
    ],
)
def test_the_rate_is_lowered_so_that_the_references_last(
    tasks: int, references: int, changes: dict[str, Any], share: float, alice: Worker
) -> None:
    project = project_of(tasks, references, **changes)
    claim(project, alice, chance=lambda: 0.99)
    assert Enrolment.objects.get(worker=alice).reference_share == pytest.approx(share)


def test_new_references_raise_the_rate_again(alice: Worker) -> None:
    project = project_of(9, 0, rate=0.5)
    annotate(claim(project, alice, chance=lambda: 0.0))
    post_many(project, 9, truth="failure")
    assert claim(project, alice, chance=lambda: 0.0).task.is_reference


def test_where_all_references_were_met_staff_see_it_by_the_share(alice: Worker) -> None:
    project = project_of(3, 1)
    annotate(claim(project, alice, chance=lambda: 0.0))
    assert not claim(project, alice, chance=lambda: 0.0).task.is_reference
    assert Enrolment.objects.get(worker=alice).reference_share == 0.0
    count_again(project)
    assert Enrolment.objects.get(worker=alice).reference_share is None


# Returns -----------------------------------------------------------------------------------------------------


def test_who_gives_back_too_many_within_an_hour_waits_until_the_hour_is_over(
    alice: Worker, dora: Client, settings: Any
) -> None:
    settings.RETURNS_PER_HOUR = 3
    project = project_of(9, 0)
    for minute in range(3):
        held = claim_at(project, alice, NOON + timedelta(minutes=minute), lambda: 0.5)
        assert held is not None
        release(assignment=held, at=NOON + timedelta(minutes=minute))

    with pytest.raises(TooManyReturns) as refused:
        claim_at(project, alice, NOON + timedelta(minutes=30), lambda: 0.5)
    error: CrosswalkError = refused.value
    assert (error.code, error.status, refused.value.wait) == ("too_many_returns", 403, 30 * 60)
    with pytest.raises(TooManyReturns):
        claim_at(project, alice, NOON + timedelta(minutes=31), lambda: 0.5)
    [event] = AuditEvent.objects.filter(verb="worker.too_many_returns")
    assert (event.subject, event.project, event.detail) == (str(alice.pk), project.slug, {"most": 3})
    assert "gave back too many" in words_of(dora, f"/staff/workers/{alice.pk}/")
    assert claim_at(project, make_worker(), NOON, lambda: 0.5) is not None
    assert claim_at(project, alice, NOON + timedelta(hours=1), lambda: 0.5) is not None
