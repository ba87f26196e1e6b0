"""Answers, fits and changed weights at the same moment, with real threads on a real database."""

from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.consensus.rater_fit import refit
from annotation.consensus.reweighing import reweigh
from annotation.models import Annotation, Assignment, Consensus, Enrolment, Project, Task
from annotation.work.claims import claim_next
from annotation.work.posting import change_redundancy
from annotation.work.submissions import submit
from tests.support.builders import NOON, make_enrolment, make_episode, make_project
from tests.support.crowds import check, fresh, hold_on, make_enrolments, post_many, race, succeed
from workforce.models import Worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def work(enrolment: Enrolment, *, outcome: str) -> int:
    """Claim and hand in until nothing is left; how many."""
    done = 0
    while (held := claim_next(enrolment=fresh(enrolment), at=NOON)) is not None:
        hand_in(enrolment, held, outcome=outcome)
        done += 1
    return done


def hand_in(enrolment: Enrolment, held: Assignment, *, outcome: str) -> None:
    submit(
        enrolment=fresh(enrolment),
        assignment=Assignment.objects.select_related("task").get(pk=held.pk),
        answer={"outcome": outcome, "frame": 20},
        active_s=None,
        at=NOON,
    )


def check_consensus(project: Project) -> None:
    """Every ordinary task is done exactly if it has what it wants, and its consensus knows all that counts."""
    check(project)
    rows = {row.task_id: row for row in Consensus.objects.filter(project=project)}
    for task in Task.objects.ordinary().filter(project=project):
        n = Annotation.objects.counting().filter(task=task).count()
        row = rows.get(task.pk)
        assert (row.annotations if row else 0) == n
        assert (task.status == Task.Status.DONE) == (row is not None and row.settled_at is not None)
        if project.confidence_wanted is None:
            assert (task.status == Task.Status.DONE) == (n >= task.wanted)


def drop(worker: Worker) -> None:
    Worker.objects.filter(pk=worker.pk).update(weighting=Worker.Weighting.NONE)
    reweigh(worker_id=worker.pk, at=NOON)


def test_a_worker_may_be_dropped_while_they_and_others_work() -> None:
    project = make_project(redundancy=2)
    post_many(project, 10, episode=make_episode().external_id)
    spammer, *crowd = make_enrolments(project, 4)
    for _ in range(3):
        held = claim_next(enrolment=fresh(spammer), at=NOON)
        assert held is not None
        hand_in(spammer, held, outcome="failure")

    succeed(
        race(
            partial(drop, spammer.worker),
            partial(work, spammer, outcome="failure"),
            *(partial(work, one, outcome="success") for one in crowd),
        )
    )

    reweigh(worker_id=spammer.worker_id, at=NOON)
    check_consensus(project)
    for one in crowd:
        work(one, outcome="success")
    check_consensus(project)
    assert set(Task.objects.values_list("status", flat=True)) == {"done"}
    assert {row.answer["outcome"] for row in Consensus.objects.all()} == {"success"}


def test_fits_run_while_a_crowd_works() -> None:
    project = make_project(
        redundancy=2, consensus_method="dawid_skene", confidence_wanted=0.9, least_annotations=2, most_annotations=4
    )
    post_many(project, 8, episode=make_episode().external_id)
    crowd = make_enrolments(project, 4)

    def fit() -> None:
        for _ in range(5):
            refit(project_id=project.pk, at=timezone.now())

    outcomes = ["success", "success", "failure", "success"]
    succeed(race(fit, fit, *(partial(work, one, outcome=said) for one, said in zip(crowd, outcomes, strict=True))))

    check_consensus(project)
    refit(project_id=project.pk, at=timezone.now())
    check_consensus(project)
    assert refit(project_id=project.pk, at=timezone.now()) == 0


def test_two_last_holds_of_a_task_that_closes_early_both_count() -> None:
    project = make_project(redundancy=4, confidence_wanted=0.9, least_annotations=2, most_annotations=6)
    episode = make_episode().external_id
    for said in (("success", "success", "success"), ("success", "failure", "success")):
        [task] = post_many(project, 1, episode=episode)
        held = [(one, hold_on(task, one.worker)) for one in make_enrolments(project, 3)]

        succeed(race(*(partial(hand_in, *pair, outcome=out) for pair, out in zip(held, said, strict=True))))

        assert Consensus.objects.get(task=task).annotations == 3
        check_consensus(project)


def test_the_redundancy_changes_while_fits_and_a_drop_run() -> None:
    project = make_project(redundancy=2, consensus_method="dawid_skene")
    post_many(project, 8, episode=make_episode().external_id)
    crowd = make_enrolments(project, 3)
    spammer = make_enrolment(project)
    work(spammer, outcome="failure")

    def change() -> None:
        for redundancy in (1, 3, 2, 1, 3):
            with transaction.atomic():
                locked = Project.objects.select_for_update().get(pk=project.pk)
                change_redundancy(project=locked, redundancy=redundancy, at=NOON)

    succeed(
        race(
            change,
            partial(refit, project_id=project.pk, at=timezone.now()),
            partial(drop, spammer.worker),
            *(partial(work, one, outcome="success") for one in crowd),
        )
    )

    reweigh(worker_id=spammer.worker_id, at=NOON)
    project.refresh_from_db()
    for one in crowd:
        work(one, outcome="success")
    refit(project_id=project.pk, at=timezone.now())
    check_consensus(project)
    assert set(Task.objects.values_list("status", "wanted")) == {("done", 3)}
