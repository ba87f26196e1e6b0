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
from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task
from annotation.work.claims import BudgetSpent, LimitReached, claim_ahead, claim_next, holds_of
from annotation.work.leases import AlreadySubmitted, LeaseLost, expire_overdue, release, renew, report
from annotation.work.posting import TaskBody, change_redundancy, post_tasks
from annotation.work.submissions import submit
from tests.support.builders import NOON, make_enrolment, make_episode, make_project, make_worker, token_for
from tests.support.crowds import PAY, check, check_drained, fresh, make_enrolments, post_many, race, succeed
from workforce.models import LedgerEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

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


def test_workers_racing_for_the_last_slot_share_nothing() -> None:
    project = make_project()
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        post_many(project, 1, episode=episode)
        crowd = make_enrolments(project, 4)

        held = succeed(race(*(partial(next_for, one) for one in crowd)))

        assert sum(one is not None for one in held) == 1
        check(project)


def test_workers_racing_for_as_many_slots_leave_none_unclaimed() -> None:
    """A row that another claim has locked is no reason for 204."""
    project = make_project(redundancy=2)
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        post_many(project, 2, episode=episode)
        crowd = make_enrolments(project, 4)

        held = succeed(race(*(partial(next_for, one) for one in crowd)))

        assert all(one is not None for one in held)
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


def test_racing_workers_never_overspend_the_budget() -> None:
    project = make_project(budget=Decimal("2.10"), base_pay=PAY)
    post_many(project, 30)
    crowd = make_enrolments(project, 6)

    def work(one: Enrolment) -> None:
        while True:
            hand_in(one, hold(one))

    ends = race(*(partial(work, one) for one in crowd))

    assert set(kinds(ends)) == {BudgetSpent}
    project.refresh_from_db()
    assert project.spent == Decimal("2.10")
    assert LedgerEntry.objects.aggregate(paid=Sum("amount"))["paid"] == Decimal("2.10")
    assert Annotation.objects.filter(project=project).count() == 7
    check(project)


def test_late_submissions_racing_with_claims_never_overspend_the_budget() -> None:
    """The money of a lapsed hold is promised to whoever claims next."""
    episode = make_episode().external_id
    for _ in range(3):
        project = make_project(budget=Decimal("0.60"), base_pay=PAY)
        post_many(project, 8, episode=episode)
        crowd = make_enrolments(project, 4)
        early = [(one, hold(one)) for one in crowd[:2]]

        def claim_and_work(one: Enrolment) -> None:
            hand_in(one, hold(one, at=LATE), at=LATE)

        race(
            *(partial(hand_in, one, held, at=LATE) for one, held in early),
            *(partial(claim_and_work, one) for one in crowd[2:]),
        )

        project.refresh_from_db()
        assert project.spent <= Decimal("0.60")
        check(project)


def test_a_double_submit_makes_one_annotation_and_one_payment() -> None:
    project = make_project(base_pay=PAY)
    post_many(project, ROUNDS)
    [enrolment] = make_enrolments(project, 1)
    for number in range(1, ROUNDS + 1):
        held = hold(enrolment)

        twice = succeed(race(*(partial(hand_in, enrolment, held) for _ in range(3))))

        assert len({annotation.pk for annotation in twice}) == 1
        assert Annotation.objects.filter(project=project).count() == number
        assert LedgerEntry.objects.filter(worker=enrolment.worker).count() == number
        now = fresh(enrolment)
        assert (now.submitted, now.earned, now.project.spent) == (number, *[number * Decimal("0.30")] * 2)
    check(project)


def test_of_two_different_answers_at_once_exactly_one_counts() -> None:
    project = make_project()
    post_many(project, ROUNDS)
    [enrolment] = make_enrolments(project, 1)
    for _ in range(ROUNDS):
        held = hold(enrolment)

        results = race(*(partial(hand_in, enrolment, held, answer=ANSWER | {"frame": frame}) for frame in (20, 30)))

        assert kinds(results) == {Annotation: 1, AlreadySubmitted: 1}
    check(project)


def test_a_late_submit_racing_with_a_claim_leaves_one_owner_of_the_slot() -> None:
    project = make_project()
    episode = make_episode().external_id
    winners: Counter[str] = Counter()
    for _ in range(ROUNDS):
        [task] = post_many(project, 1, episode=episode)
        slow, quick = make_enrolments(project, 2)
        late = hold(slow)

        submitted, claimed = race(
            partial(hand_in, slow, late, at=LATE),
            partial(next_for, quick, at=LATE),
        )

        check(project)
        if isinstance(submitted, Annotation):
            assert claimed is None
            winners["late"] += 1
        else:
            assert isinstance(submitted, LeaseLost)
            assert claimed.task_id == task.pk
            hand_in(quick, claimed, at=LATE)
            winners["claim"] += 1
    assert sum(winners.values()) == ROUNDS


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


def test_a_late_submit_racing_with_the_same_workers_new_claim_counts_once() -> None:
    project = make_project()
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        post_many(project, 1, episode=episode)
        [enrolment] = make_enrolments(project, 1)
        late = hold(enrolment)
        expire_overdue(at=LATE)

        submitted, claimed = race(
            partial(hand_in, enrolment, late, at=LATE),
            partial(next_for, enrolment, at=LATE),
        )

        check(project)
        if isinstance(submitted, Annotation):
            assert claimed is None
        else:
            assert isinstance(submitted, LeaseLost)
            hand_in(enrolment, claimed, at=LATE)
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


@pytest.mark.parametrize(
    ("outcomes", "merged"),
    [(("success", "success"), "success"), (("success", "failure"), None)],
)
def test_the_last_two_annotations_at_once_make_one_consensus_of_both(
    outcomes: tuple[str, str], merged: str | None
) -> None:
    project = make_project(redundancy=2)
    episode = make_episode().external_id
    for _ in range(ROUNDS):
        [task] = post_many(project, 1, episode=episode)
        held = [(one, hold(one)) for one in make_enrolments(project, 2)]

        succeed(
            race(
                *(
                    partial(hand_in, one, assignment, answer={"outcome": outcome, "frame": 20})
                    for (one, assignment), outcome in zip(held, outcomes, strict=True)
                )
            )
        )

        consensus = Consensus.objects.get(task=task)
        assert consensus.annotations == 2
        assert consensus.answer["outcome"] == merged
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
    """Sweeps, and whoever locks many tasks at once, meet the same tasks in different orders without waiting in a
    circle."""
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
    """Posting locks the project and rewinds enrolments; submitting locks both too. And nobody misses the rewind."""
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


def test_two_browser_tabs_claim_and_submit_as_one() -> None:
    """The same through the door that workers use, one token in both tabs."""
    project = make_project(base_pay=PAY)
    post_many(project, ROUNDS)
    worker = make_worker()
    token = token_for(project, worker)

    def call(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        tab = APIClient()
        tab.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
        answer = tab.post(f"/api/v1/work/{path}", body)
        return answer.status_code, answer.json()

    for _ in range(3):
        claims = succeed(race(*(partial(call, "claim/", {}) for _ in range(2))))
        assert [status for status, _ in claims] == [200, 200]
        [held] = {body["assignment"] for _, body in claims}

        path = f"assignments/{held}/submit/"
        submits = succeed(race(*(partial(call, path, {"answer": ANSWER}) for _ in range(2))))
        assert [status for status, _ in submits] == [201, 201]
        assert submits[0] == submits[1]

    assert LedgerEntry.objects.filter(worker=worker).count() == 3
    check(project)


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
