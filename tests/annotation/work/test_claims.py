"""The next task of a worker, and the end of a hold, one step at a time; `tests/races` has many at once."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from annotation.models import Annotation, Assignment, Consensus, Project, Task
from annotation.work.claims import (
    BudgetSpent,
    claim_ahead,
    claim_next,
)
from annotation.work.leases import LeaseLost, expire_overdue, release, renew, report, save_draft
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_episode, make_project
from tests.support.crowds import PAY, check, fresh, make_enrolments, post_many
from workforce.models import LedgerEntry, Worker

pytestmark = pytest.mark.django_db

LEASE = timedelta(seconds=900)
LATE = NOON + LEASE


def next_for(
    project: Project, worker: Worker, *, at: datetime = NOON, chance: Callable[[], float] = lambda: 0.99
) -> Assignment | None:
    return claim_next(enrolment=fresh(make_enrolment(project, worker)), at=at, chance=chance)


def ahead_for(project: Project, worker: Worker) -> Assignment | None:
    return claim_ahead(enrolment=fresh(make_enrolment(project, worker)), at=NOON, chance=lambda: 0.99)


def work(project: Project, worker: Worker, number: int, *, chance: Callable[[], float] = lambda: 0.99) -> list[int]:
    """The tasks that the worker's next claims bring, each handed in before the next."""
    tasks = []
    for _ in range(number):
        annotate(held := claim(project, worker, chance=chance))
        tasks.append(held.task_id)
    return tasks


# Holds -------------------------------------------------------------------------------------------------------


def test_a_repeated_claim_returns_the_same_hold_and_ahead_of_the_last_task_is_none(alice: Worker) -> None:
    project = make_project()
    post_many(project, 1)

    assert claim(project, alice) == claim(project, alice, at=LATE - timedelta(seconds=1))
    assert ahead_for(project, alice) is None
    assert Assignment.objects.count() == 1


def test_a_claim_takes_one_slot_and_shuts_the_task_with_the_last(alice: Worker, bob: Worker) -> None:
    project = make_project(redundancy=2)
    [task] = post_many(project, 1)
    for worker, left in ((alice, (1, True)), (bob, (0, False))):
        annotate(claim(project, worker))
        task.refresh_from_db()
        assert (task.slots_left, task.open) == left
        assert next_for(project, alice) is None, "alice has answered it"


def test_nothing_is_open_to_a_worker_who_did_all_while_others_still_may(alice: Worker, bob: Worker) -> None:
    project = make_project(redundancy=2)
    post_many(project, 2)
    for _ in range(2):
        annotate(claim(project, alice))

    assert next_for(project, alice) is None
    assert next_for(project, bob) is not None


def test_a_task_of_its_own_redundancy_takes_as_many_workers_as_it_says() -> None:
    project = make_project(redundancy=1)
    [wide] = post_many(project, 1, redundancy=3)
    [narrow] = post_many(project, 1)
    crowd = make_enrolments(project, 5)

    held = [claim_next(enrolment=one, at=NOON, chance=lambda: 0.99) for one in crowd]

    assert [one and one.task_id for one in held] == [wide.pk, wide.pk, wide.pk, narrow.pk, None]


@pytest.mark.parametrize("end", [annotate, lambda held: release(assignment=held, at=NOON)])
def test_claim_ahead_reserves_exactly_one_more_and_claim_next_gives_it_when_the_present_hold_has_ended(
    end: Callable[[Assignment], Any], alice: Worker
) -> None:
    project = make_project()
    post_many(project, 4)
    present = claim(project, alice)

    ahead = ahead_for(project, alice)
    assert ahead is not None
    assert ahead.task_id != present.task_id
    assert ahead_for(project, alice) == ahead
    assert claim(project, alice) == present
    assert Assignment.objects.count() == 2

    end(present)
    assert claim(project, alice) == ahead


# Returns -----------------------------------------------------------------------------------------------------


def test_a_released_task_is_open_to_others_at_once_and_to_its_worker_after_fresh_ones(
    alice: Worker, bob: Worker
) -> None:
    project = make_project()
    first, second = post_many(project, 2)
    held = claim(project, alice)
    assert held.task_id == first.pk
    release(assignment=held, at=NOON)

    assert work(project, alice, 1) == [second.pk]
    others = claim(project, bob)
    assert others.task_id == first.pk
    release(assignment=others, at=NOON)
    again = claim(project, alice)
    assert again.task_id == first.pk
    assert again.public_id != held.public_id


def test_an_expired_hold_comes_back_by_itself_with_the_next_claim(alice: Worker, bob: Worker) -> None:
    project = make_project()
    [task] = post_many(project, 1)
    lapsed = claim(project, alice)

    assert next_for(project, bob, at=LATE - timedelta(seconds=1)) is None
    assert claim(project, bob, at=LATE).task_id == task.pk

    lapsed.refresh_from_db()
    assert (lapsed.status, lapsed.closed_at) == (Assignment.Status.EXPIRED, LATE)
    check(project)


def test_a_claim_finds_the_one_lapsed_hold_of_its_project_behind_many_of_others(bob: Worker) -> None:
    elsewhere, project = make_project(redundancy=50, lease_s=10), make_project(lease_s=60)
    post_many(elsewhere, 1)
    post_many(project, 25)
    for enrolment in make_enrolments(elsewhere, 45):
        claim_next(enrolment=enrolment, at=NOON)
    for enrolment in make_enrolments(project, 25):
        claim_next(enrolment=enrolment, at=NOON)

    late = NOON + timedelta(seconds=60)
    assert next_for(project, bob, at=late) is not None
    assert not Assignment.objects.overdue(at=late).filter(task__project=project).exists()
    assert Assignment.objects.overdue(at=late).count() == 25
    check(project)


@pytest.mark.parametrize("end", [release, lambda **held: report(**held, problem="other", text="")])
def test_giving_back_twice_opens_one_slot_and_ends_the_hold(
    alice: Worker, bob: Worker, end: Callable[..., None]
) -> None:
    project = make_project(redundancy=2)
    post_many(project, 1)
    claim(project, bob)
    held = claim(project, alice)
    for _ in range(2):
        end(assignment=held, at=NOON)
        check(project)
    with pytest.raises(LeaseLost):
        annotate(held)
    check(project)


def test_a_hold_given_back_after_the_redundancy_was_lowered_opens_nothing(alice: Worker, bob: Worker) -> None:
    project = make_project(redundancy=3)
    [task] = post_many(project, 1)
    held = claim(project, alice)
    claim(project, bob)
    Task.objects.filter(pk=task.pk).update(wanted=1, slots_left=0, open=False)

    release(assignment=held, at=NOON)

    task.refresh_from_db()
    assert (task.slots_left, task.open) == (0, False)


# Leases ------------------------------------------------------------------------------------------------------


def test_a_heartbeat_begins_the_lease_again_and_after_it_comes_too_late_like_a_draft(alice: Worker) -> None:
    project = make_project()
    post_many(project, 2)
    held = claim(project, alice)
    until = NOON + timedelta(seconds=1500)

    assert renew(assignment=held, project=project, at=NOON + timedelta(seconds=600)) == until
    assert claim(project, alice, at=LATE) == held
    with pytest.raises(LeaseLost):
        renew(assignment=held, project=project, at=until)
    with pytest.raises(LeaseLost):
        save_draft(assignment=held, project=project, draft={"frame": 4}, at=until)
    save_draft(assignment=held, project=project, draft={"frame": 3}, at=until - timedelta(seconds=1))
    held.refresh_from_db()
    assert held.draft == {"frame": 3}


@pytest.mark.parametrize("is_swept", [True, False])
@pytest.mark.parametrize("redundancy", [1, 2])
def test_a_late_answer_counts_while_the_slot_is_free(alice: Worker, is_swept: bool, redundancy: int) -> None:
    project = make_project(redundancy=redundancy)
    [task] = post_many(project, 1)
    held = claim(project, alice)
    if is_swept:
        expire_overdue(at=LATE)

    annotate(held, at=LATE)

    task.refresh_from_db()
    assert task.slots_left == redundancy - 1
    check(project)


@pytest.mark.parametrize(
    ("tasks", "changes", "by"),
    [
        pytest.param(1, {}, "bob", id="another has the slot"),
        pytest.param(1, {}, "alice", id="the worker has claimed it again"),
        pytest.param(2, {"limit_per_worker": 1}, "alice", id="the limit is reached"),
        pytest.param(1, {"budget": PAY, "base_pay": PAY, "redundancy": 2}, "bob", id="the pay is promised to another"),
    ],
)
def test_a_late_answer_is_refused_once(
    tasks: int, changes: dict[str, Any], by: str, alice: Worker, bob: Worker
) -> None:
    project = make_project(**changes)
    post_many(project, tasks)
    late = claim(project, alice)
    now = claim(project, {"alice": alice, "bob": bob}[by], at=LATE)
    assert (now.task_id == late.task_id) is (tasks == 1)

    with pytest.raises(LeaseLost):
        annotate(late, at=LATE)
    assert not Annotation.objects.exists()
    annotate(now, at=LATE)
    check(project)
    project.refresh_from_db()
    assert project.spent == (project.base_pay or 0)


# Limits ------------------------------------------------------------------------------------------------------


def test_a_late_answer_is_paid_from_what_is_left(alice: Worker) -> None:
    project = make_project(budget=Decimal("0.30"), limit_per_worker=1, base_pay=PAY)
    post_many(project, 2)
    late = claim(project, alice)
    expire_overdue(at=LATE)

    annotate(late, at=LATE)

    assert LedgerEntry.objects.get(worker=alice).amount == Decimal("0.30")


def test_the_budget_counts_what_is_promised_and_frees_what_is_given_back(alice: Worker, bob: Worker) -> None:
    project = make_project(budget=Decimal("0.59"), base_pay=PAY)
    post_many(project, 5)
    held = claim(project, alice)
    with pytest.raises(BudgetSpent):
        next_for(project, bob)

    release(assignment=held, at=NOON)

    annotate(claim(project, bob))
    with pytest.raises(BudgetSpent):
        next_for(project, alice)


# Order -------------------------------------------------------------------------------------------------------


def test_higher_priorities_come_first_and_within_one_the_oldest(alice: Worker) -> None:
    project = make_project()
    low, high, negative = (post_many(project, 2, priority=priority) for priority in (0, 7, -3))
    assert work(project, alice, 6) == [task.pk for task in (*high, *low, *negative)]


def test_tasks_of_a_higher_priority_that_arrive_later_come_next(alice: Worker, bob: Worker) -> None:
    project = make_project()
    post_many(project, 4)
    work(project, alice, 1)
    [urgent] = post_many(project, 1, priority=5, redundancy=2)
    assert [claim(project, worker).task_id for worker in (alice, bob)] == [urgent.pk] * 2


def test_tasks_of_a_lower_or_equal_priority_that_arrive_later_wait_their_turn(alice: Worker) -> None:
    project = make_project()
    first, second = post_many(project, 2, priority=5)
    assert work(project, alice, 1) == [first.pk]
    [low], [equal] = post_many(project, 1), post_many(project, 1, priority=5)
    assert work(project, alice, 3) == [second.pk, equal.pk, low.pk]


def test_a_task_that_opens_again_is_drawn_with_the_others_of_its_priority_and_before_those_below(
    alice: Worker, bob: Worker
) -> None:
    project = make_project()
    first, second = post_many(project, 2, priority=5)
    held = claim(project, bob)
    [low, lower] = post_many(project, 2)
    assert work(project, alice, 2) == [second.pk, low.pk]
    release(assignment=held, at=NOON)
    [third] = post_many(project, 1)
    assert work(project, alice, 3) == [lower.pk, third.pk, first.pk], "she goes up again when nothing is left below"


@pytest.mark.by_chance
def test_no_two_workers_meet_the_tasks_of_a_priority_in_one_order_and_all_meet_each_once() -> None:
    project = make_project(redundancy=6)
    tasks = [task.pk for task in post_many(project, 12)]
    orders = {
        tuple(work(project, one.worker, 12, chance=Random(n).random))
        for n, one in enumerate(make_enrolments(project, 6))
    }
    assert len(orders) == 6
    assert all(sorted(order) == tasks for order in orders)


# References --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_references_come_at_the_rate_and_at_random_places(alice: Worker) -> None:
    rate, number = 0.2, 120
    project = make_project(reference_rate=rate)
    episode = make_episode().external_id
    post_many(project, number, episode=episode)
    post_many(project, 60, episode=episode, truth="success")

    chance, served = Random(20).random, []
    for _ in range(number):
        held = next_for(project, alice, chance=chance)
        assert held is not None
        # Closed as `submit` closes it, without the cost of an answer.
        Assignment.objects.filter(pk=held.pk).update(status=Assignment.Status.SUBMITTED, closed_at=NOON)
        served.append(held.task.is_reference)
    share, deviation = sum(served) / number, (rate * (1 - rate) / number) ** 0.5
    assert abs(share - rate) < 3 * deviation

    places = [index for index, is_reference in enumerate(served) if is_reference]
    gaps = Counter(later - earlier for earlier, later in pairwise(places))
    assert len(gaps) >= 5
    assert gaps.most_common(1)[0][1] < len(places) / 2


def _serve(project: Project, worker: Worker, *, chance: Callable[[], float]) -> bool:
    """Hand in the next task; whether it was a reference."""
    held = next_for(project, worker, chance=chance)
    assert held is not None
    # Not through `submit`, which is not what is asked about here: closed as it closes it.
    Assignment.objects.filter(pk=held.pk).update(status=Assignment.Status.SUBMITTED, closed_at=NOON)
    return held.task.is_reference


def test_at_a_rate_of_1_all_references_come_first_each_once(alice: Worker) -> None:
    project = make_project(reference_rate=1.0)
    ordinary = post_many(project, 3)
    references = post_many(project, 4, truth="success")
    random = Random(7)

    met = work(project, alice, 7, chance=random.random)

    assert sorted(met[:4]) == [task.pk for task in references]
    assert sorted(met[4:]) == [task.pk for task in ordinary]
    assert next_for(project, alice, chance=random.random) is None


def test_without_an_ordinary_task_no_reference_is_served(alice: Worker) -> None:
    project = make_project(reference_rate=1.0)
    post_many(project, 3, truth="success")
    assert next_for(project, alice, chance=lambda: 0.0) is None

    post_many(project, 1)
    assert claim(project, alice, chance=lambda: 0.0).task.is_reference


def test_a_reference_serves_any_number_of_workers_and_is_never_done() -> None:
    project = make_project(reference_rate=1.0)
    [ordinary], [reference] = post_many(project, 1), post_many(project, 1, truth="success")
    for enrolment in make_enrolments(project, 4):
        assert work(project, enrolment.worker, 1, chance=lambda: 0.0) == [reference.pk]
    reference.refresh_from_db()
    assert (reference.open, reference.status) == (True, Task.Status.OPEN)
    ordinary.refresh_from_db()
    assert (ordinary.slots_left, ordinary.open) == (1, True)
    assert not Consensus.objects.exists()
    check(project)


def test_workers_meet_references_in_different_orders() -> None:
    project = make_project(reference_rate=1.0)
    post_many(project, 6, redundancy=4)
    post_many(project, 6, truth="success")
    random = Random(11)
    crowd = make_enrolments(project, 4)
    assert len({tuple(work(project, one.worker, 6, chance=random.random)) for one in crowd}) == 4
