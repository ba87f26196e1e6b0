"""Claims and submissions by many at once, with real threads on a real database: the embedded one, and PostgreSQL
where `DATABASE_URL` names it."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Sum

from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task
from annotation.work.claims import BudgetSpent, LimitReached, claim_ahead, claim_next, holds_of
from annotation.work.leases import AlreadySubmitted, LeaseLost, expire_overdue, release, renew, report
from annotation.work.posting import TaskBody, change_redundancy, post_tasks
from annotation.work.submissions import submit
from tests.support.builders import NOON, make_enrolment, make_episode, make_project, make_worker
from tests.support.crowds import PAY, check, check_drained, fresh, make_enrolments, post_many, race, succeed
from workforce.models import LedgerEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.by_chance]

ANSWER = {"outcome": "success", "frame": 20}
LATE = NOON + timedelta(hours=1)
ROUNDS = 6


def hand_in(
    enrolment: Enrolment, held: Assignment, *, at: datetime = NOON, answer: dict[str, Any] = ANSWER
) -> Annotation:
    return submit(
        enrolment=fresh(enrolment),
        assignment=Assignment.objects.select_related("task").get(pk=held.pk),
        answer=answer,
        active_s=None,
        at=at,
    )


def next_for(enrolment: Enrolment, *, at: datetime = NOON) -> Assignment | None:
    return claim_next(enrolment=fresh(enrolment), at=at)


def hold(enrolment: Enrolment, *, at: datetime = NOON) -> Assignment:
    held = next_for(enrolment, at=at)
    assert held is not None
    return held


def set_redundancy(project: Project, redundancy: int) -> None:
    with transaction.atomic():
        locked = Project.objects.select_for_update().get(pk=project.pk)
        change_redundancy(project=locked, redundancy=redundancy, at=NOON)


def kinds(results: Iterable[Any]) -> Counter[type]:
    return Counter(type(result) for result in results)


def work_until_done(
    enrolment: Enrolment, *, random: Random, mistakes: float = 0.0, patience_s: float = 30.0
) -> tuple[int, set[int]]:
    """Claim and hand in until every task is done, now and then giving one back, reporting one or claiming ahead.

    Returns:
        How many were handed in, and the tasks that were reported.
    """
    done = 0
    reported: set[int] = set()
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        now = fresh(enrolment)
        if random.random() < 0.3:
            claim_ahead(enrolment=now, at=NOON)
        held = claim_next(enrolment=now, at=NOON)
        if held is None:
            if not Task.objects.ordinary().filter(project=now.project, status=Task.Status.OPEN).exists():
                return done, reported
            time.sleep(0.002)
            continue
        assert held.task_id not in reported, "a reported task came back to its reporter"
        if random.random() >= mistakes:
            hand_in(enrolment, held)
            done += 1
        elif random.random() < 0.8:
            release(assignment=held, at=NOON)
        else:
            report(assignment=held, problem="ambiguous", text="", at=NOON)
            reported.add(held.task_id)
    raise AssertionError("the project never drains")


@pytest.mark.parametrize("seed", range(3))
def test_a_crowd_drains_a_project_to_exactly_its_redundancy(seed: int) -> None:
    project = make_project(redundancy=3)
    episode = make_episode().external_id
    for priority in (0, 5, 0):
        post_many(project, 4, episode=episode, priority=priority)
    crowd = make_enrolments(project, 6)

    # Three never report: enough stay for every task to find its three.
    mistakes = [0.0] * 3 + [0.25] * 3
    results = succeed(
        race(
            *(
                partial(work_until_done, one, random=Random(seed * 100 + index), mistakes=mistakes[index])
                for index, one in enumerate(crowd)
            )
        )
    )

    check_drained(project, redundancy=3)
    assert sum(done for done, _ in results) == 3 * 12
    for one, (done, _) in zip(crowd, results, strict=True):
        assert fresh(one).submitted == done


def test_a_crowd_with_references_gets_each_reference_at_most_once_each() -> None:
    project = make_project(redundancy=2, reference_rate=0.4)
    episode = make_episode().external_id
    post_many(project, 8, episode=episode)
    post_many(project, 4, episode=episode, truth="success")
    crowd = make_enrolments(project, 4)

    succeed(race(*(partial(work_until_done, one, random=Random(index)) for index, one in enumerate(crowd))))

    check_drained(project, redundancy=2)
    met = Counter(Annotation.objects.on_references().filter(project=project).values_list("worker", "task"))
    assert met
    assert max(met.values()) == 1
    references = Task.objects.references().filter(project=project)
    assert set(references.values_list("open", "status")) == {(True, "open")}


@pytest.mark.parametrize("claimer", [claim_next, claim_ahead])
def test_tabs_of_one_worker_racing_get_one_assignment(claimer: Callable[..., Assignment | None]) -> None:
    project = make_project(redundancy=2)
    post_many(project, ROUNDS * 4)
    for _ in range(ROUNDS):
        [enrolment] = make_enrolments(project, 1)
        if claimer is claim_ahead:
            hold(enrolment)

        tabs = succeed(race(*(lambda one=enrolment: claimer(enrolment=fresh(one), at=NOON) for _ in range(4))))

        assert len({held.pk for held in tabs}) == 1
        assert holds_of(enrolment, at=NOON).count() == (2 if claimer is claim_ahead else 1)
        check(project)


@pytest.mark.parametrize("slots", [1, 4])
def test_of_four_workers_racing_for_slots_as_many_get_one_as_there_are_slots(slots: int) -> None:
    project = make_project()
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        post_many(project, max(slots // 2, 1), episode=episode, redundancy=min(slots, 2))

        held = succeed(race(*(partial(next_for, one) for one in make_enrolments(project, 4))))

        assert sum(one is not None for one in held) == slots
        check(project)


def test_the_limit_per_worker_holds_in_racing_tabs() -> None:
    project = make_project(limit_per_worker=3, redundancy=2)
    post_many(project, 20)
    for _ in range(2):
        [enrolment] = make_enrolments(project, 1)

        def tab(one: Enrolment = enrolment) -> None:
            while True:
                with suppress(LimitReached):
                    claim_ahead(enrolment=fresh(one), at=NOON)
                hand_in(one, hold(one))

        ends = race(*(tab for _ in range(3)))

        assert set(kinds(ends)) == {LimitReached}
        assert fresh(enrolment).submitted == 3
        assert Annotation.objects.filter(worker=enrolment.worker).count() == 3
        assert not holds_of(enrolment, at=NOON).exists()
    check(project)


@pytest.mark.parametrize("late", [0, 2])
def test_racing_workers_never_overspend_the_budget(late: int) -> None:
    """With two who hand in late: the money of a lapsed hold is promised to the next who claims."""
    project = make_project(budget=Decimal("2.10"), base_pay=PAY)
    post_many(project, 30)
    crowd = make_enrolments(project, 6)
    early = [(one, hold(one)) for one in crowd[:late]]

    def work(one: Enrolment) -> None:
        while True:
            hand_in(one, hold(one, at=LATE), at=LATE)

    ends = race(
        *(partial(hand_in, one, held, at=LATE) for one, held in early), *(partial(work, one) for one in crowd[late:])
    )

    assert set(kinds(ends[late:])) == {BudgetSpent}
    assert set(kinds(ends[:late])) <= {Annotation, LeaseLost}
    project.refresh_from_db()
    assert project.spent == Decimal("2.10")
    assert LedgerEntry.objects.aggregate(paid=Sum("amount"))["paid"] == Decimal("2.10")
    assert Annotation.objects.filter(project=project).count() == 7
    check(project)


def test_a_double_submit_makes_one_annotation_and_one_payment_and_of_two_answers_one_counts() -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 2 * ROUNDS)
    [enrolment] = make_enrolments(project, 1)
    for number in range(1, 2 * ROUNDS + 1):
        frames = (20, 20, 20) if number % 2 else (20, 30)
        held = hold(enrolment)

        results = race(*(partial(hand_in, enrolment, held, answer=ANSWER | {"frame": frame}) for frame in frames))

        if number % 2:
            assert len({annotation.pk for annotation in succeed(results)}) == 1
        else:
            assert kinds(results) == {Annotation: 1, AlreadySubmitted: 1}
        assert Annotation.objects.filter(project=project).count() == number
        assert LedgerEntry.objects.filter(worker=enrolment.worker).count() == number
        now = fresh(enrolment)
        assert (now.submitted, now.earned, now.project.spent) == (number, *[number * PAY] * 2)
    check(project)


@pytest.mark.parametrize("by", ["another", "the same worker"])
def test_a_late_submit_racing_with_a_claim_leaves_one_owner_of_the_slot(by: str) -> None:
    project = make_project()
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        [task] = post_many(project, 1, episode=episode)
        slow, other = make_enrolments(project, 2)
        quick = other if by == "another" else slow
        late = hold(slow)
        if by == "the same worker":
            expire_overdue(at=LATE)

        submitted, claimed = race(partial(hand_in, slow, late, at=LATE), partial(next_for, quick, at=LATE))

        check(project)
        if isinstance(submitted, Annotation):
            assert claimed is None
        else:
            assert isinstance(submitted, LeaseLost)
            assert claimed.task_id == task.pk
            hand_in(quick, claimed, at=LATE)
        check_drained(project, redundancy=1)


def test_a_submit_racing_with_the_end_of_its_lease_counts_while_the_slot_is_free() -> None:
    project = make_project()
    episode = make_episode().external_id
    for _ in range(ROUNDS * 2):
        post_many(project, 1, episode=episode)
        [enrolment] = make_enrolments(project, 1)
        held = hold(enrolment)

        submitted, *_ = succeed(
            race(partial(hand_in, enrolment, held, at=LATE), *(lambda: expire_overdue(at=LATE) for _ in range(2)))
        )

        assert isinstance(submitted, Annotation)
        check_drained(project, redundancy=1)


def test_a_heartbeat_racing_with_the_sweep_either_keeps_the_hold_or_loses_it() -> None:
    project = make_project(lease_s=60)
    post_many(project, ROUNDS)
    end = NOON + timedelta(seconds=60)
    for enrolment in make_enrolments(project, ROUNDS):
        held = hold(enrolment)

        renewed, _ = race(
            partial(renew, assignment=held, project=project, at=end - timedelta(seconds=1)),
            lambda: expire_overdue(at=end),
        )

        held.refresh_from_db()
        if isinstance(renewed, datetime):
            assert held.status == Assignment.Status.CLAIMED
            release(assignment=held, at=NOON)
        else:
            assert isinstance(renewed, LeaseLost)
            assert held.status == Assignment.Status.EXPIRED
        check(project)


def test_a_release_racing_with_a_submit_ends_in_one_of_them() -> None:
    project = make_project()
    post_many(project, ROUNDS)
    for enrolment in make_enrolments(project, ROUNDS):
        held = hold(enrolment)

        submitted, released = race(partial(hand_in, enrolment, held), partial(release, assignment=held, at=NOON))

        held.refresh_from_db()
        if isinstance(submitted, Annotation):
            assert isinstance(released, AlreadySubmitted)
            assert held.status == Assignment.Status.SUBMITTED
        else:
            assert isinstance(submitted, LeaseLost)
            assert held.status == Assignment.Status.RELEASED
        check(project)


@pytest.mark.parametrize("outcomes", [("success", "success"), ("success", "failure")])
def test_the_last_two_annotations_at_once_make_one_consensus_of_both(outcomes: tuple[str, str]) -> None:
    project = make_project(redundancy=2)
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        [task] = post_many(project, 1, episode=episode)
        held = [(one, hold(one)) for one in make_enrolments(project, 2)]
        answers = [{"outcome": outcome, "frame": 20} for outcome in outcomes]

        succeed(race(*(partial(hand_in, *pair, answer=answer) for pair, answer in zip(held, answers, strict=True))))

        consensus = Consensus.objects.get(task=task)
        assert consensus.annotations == 2
        assert consensus.answer["outcome"] == ("success" if len(set(outcomes)) == 1 else None)
    check_drained(project, redundancy=2)


def test_a_reader_of_the_numbers_never_sees_a_gap_that_fills_later() -> None:
    project = make_project(redundancy=4)
    post_many(project, 6)
    crowd = make_enrolments(project, 4)
    seen: list[list[int]] = []

    def read() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            seen.append(
                list(Annotation.objects.filter(project=project).order_by("number").values_list("number", flat=True))
            )
            if len(seen[-1]) == 24:
                return

    succeed(race(read, *(partial(work_until_done, one, random=Random(index)) for index, one in enumerate(crowd))))

    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in seen)
    assert len(seen[-1]) == 24


def test_sweeps_at_once_give_back_every_slot_once() -> None:
    project = make_project(redundancy=2)
    post_many(project, 24)

    def change() -> None:
        for _ in range(8):
            set_redundancy(project, 2)

    tasks = list(Task.objects.filter(project=project).order_by("pk"))
    up, down = make_worker(), make_worker()
    for _ in range(2):
        for worker, order in ((up, tasks), (down, tasks[::-1])):
            Assignment.objects.bulk_create(
                Assignment(
                    task=task,
                    slot_of=task,
                    worker=worker,
                    claimed_at=NOON,
                    lease_expires_at=NOON + timedelta(minutes=position),
                )
                for position, task in enumerate(order)
            )
        Task.objects.filter(project=project).update(slots_left=0, open=False)
        check(project)

        succeed(
            race(
                *(lambda: [expire_overdue(at=LATE, limit=8) for _ in range(8)] for _ in range(3)),
                change,
            )
        )

        assert not Assignment.objects.overdue(at=LATE).exists()
        assert set(Task.objects.filter(project=project).values_list("slots_left", "open")) == {(2, True)}
        check(project)


def test_tasks_of_higher_priority_may_arrive_while_a_crowd_works() -> None:
    project = make_project(budget=Decimal(1000), base_pay=PAY)
    episode = make_episode().external_id
    post_many(project, 30, episode=episode)
    crowd = make_enrolments(project, 3)
    posted: list[int] = []

    def post() -> None:
        for priority in range(1, 9):
            post_many(project, 2, episode=episode, priority=priority)
            posted.append(priority)

    def work(one: Enrolment) -> None:
        while True:
            top = posted[-1] if posted else 0
            left = Task.objects.ordinary().filter(project=project, open=True)
            held = claim_next(enrolment=fresh(one), at=NOON)
            if held is None:
                return
            hand_in(one, held)
            if top == 8 and held.task.priority < 8:
                assert not left.filter(priority__gt=held.task.priority).exists()

    succeed(race(post, *(partial(work, one) for one in crowd)))
    succeed(race(*(partial(work, one) for one in crowd)))

    check_drained(project, redundancy=1)


def test_a_first_claim_at_the_moment_of_a_higher_priority_does_not_pass_it_by() -> None:
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        project = make_project(redundancy=1)
        post_many(project, 6, episode=episode)
        crowd = make_enrolments(project, 3)

        *_, urgent = succeed(
            race(
                *(partial(next_for, one) for one in crowd),
                partial(post_many, project, 9, episode=episode, priority=9),
            )
        )

        assert len(urgent) == 9
        for one in crowd:
            hand_in(one, hold(one))
            assert hold(one).task.priority == 9


def test_the_redundancy_may_change_while_a_crowd_works() -> None:
    project = make_project(redundancy=2)
    post_many(project, 8)
    crowd = make_enrolments(project, 4)

    def work(one: Enrolment) -> None:
        for _ in range(6):
            held = next_for(one)
            if held is not None:
                hand_in(one, held)

    def change() -> None:
        for redundancy in (1, 3, 2, 1, 3):
            set_redundancy(project, redundancy)

    succeed(race(change, *(partial(work, one) for one in crowd)))
    check(project)

    succeed(race(*(partial(work_until_done, one, random=Random(index)) for index, one in enumerate(crowd))))
    check_drained(project, redundancy=3)


def test_enrolling_from_two_tabs_makes_one_enrolment() -> None:
    project = make_project()
    worker = make_worker()

    both = succeed(race(*(lambda: make_enrolment(project, worker) for _ in range(4))))

    assert len({one.pk for one in both}) == 1


def test_posting_the_same_tasks_twice_at_once_makes_them_once() -> None:
    project = make_project()
    payload = {"episode": make_episode().external_id}
    bodies = [TaskBody(key=f"task-{index}", payload=payload) for index in range(5)]

    posted = succeed(race(*(partial(post_tasks, project=project, bodies=bodies, at=NOON) for _ in range(3))))

    assert sorted(one.created for one in posted) == [0, 0, 5]
    assert Task.objects.filter(project=project).count() == 5
