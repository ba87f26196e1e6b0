"""The consensus of a task and its end, through submissions as workers make them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.consensus.consensus import (
    close_as_unjudgeable,
    drop_adjudicated,
    renew,
    reopen,
    set_adjudicated,
    settle,
)
from annotation.models import Annotation, Consensus, Fit, Project, Rater, Task
from annotation.work.leases import release
from annotation.work.posting import change_redundancy
from lib.statistics.posterior import Rater as Rates
from lib.statistics.posterior import Vote, posterior_of
from tests.support.builders import NOON, annotate, make_project, make_worker
from tests.support.calls import lines
from tests.support.crowds import check, hold_on, make_enrolments, post_many, say
from workforce.models import Worker

pytestmark = pytest.mark.django_db

NOTHING = {"outcome": None, "frame": None, "time_s": None}


def make_unsure(**changes: Any) -> Project:
    """A project whose tasks close early or grow."""
    fields = {"redundancy": 3, "confidence_wanted": 0.9, "least_annotations": 2, "most_annotations": 5}
    return make_project(**{**fields, **changes})


def state(task: Task) -> tuple[str, int, int, bool]:
    task.refresh_from_db()
    return task.status, task.wanted, task.slots_left, task.open


def on(task: Task) -> Consensus:
    return Consensus.objects.get(task=task)


def test_a_consensus_is_provisional_from_the_first_answer_and_settles_with_the_last(pipe: APIClient) -> None:
    project = make_project(redundancy=3)
    [task] = post_many(project, 1)
    say(task, "success", frame=30)
    first = on(task)
    assert (first.answer["outcome"], first.annotations) == ("success", 1)
    assert (first.settled_at, first.needs_review) == (None, False)
    say(task, "failure", frame=12)
    assert (on(task).answer, on(task).settled_at, on(task).probability) == (NOTHING, None, 0.5)
    assert lines(pipe.get(f"/api/v1/projects/{project.slug}/consensus.jsonl")) == [], "provisional"
    say(task, "failure", frame=14)
    last = on(task)
    assert last.answer == {"outcome": "failure", "frame": 12, "time_s": 1.2}
    assert (last.confidence, last.annotations) == (2 / 3, 3)
    assert last.probability == pytest.approx(1 / 3)
    assert last.settled_at == NOON
    assert state(task) == ("done", 3, 0, False)
    [line] = lines(pipe.get(f"/api/v1/projects/{project.slug}/consensus.jsonl"))
    assert line["task"] == task.key


@pytest.mark.parametrize(("answers", "times"), [(1, 0), (2, 1)])
def test_annotators_are_measured_once_where_there_is_somebody_to_agree_with(answers: int, times: int) -> None:
    project = make_project(redundancy=answers)
    [task] = post_many(project, 1)
    say(task, *["success"] * answers)
    for outdate, expected in ((True, times), (False, 0)):
        Consensus.objects.all().delete()
        with CaptureQueriesContext(connection) as queries:
            assert renew(project_id=project.pk, tasks=[task.pk], at=NOON, outdate=outdate)[task.pk].settled_at
        assert sum("UPDATE" in one["sql"] and "annotation_record" in one["sql"] for one in queries) == expected


@pytest.mark.parametrize(
    ("changes", "outcomes", "expected", "asks"),
    [
        ({}, "ss", ("done", 3, 1, False), False),
        ({}, "sff", ("open", 4, 1, True), False),
        ({}, "sffss", ("done", 5, 0, False), True),
        ({"confidence_wanted": 0.65}, "sfs", ("done", 3, 0, False), False),
        # Without a confidence nothing closes early and nothing grows; a tie is for a person.
        ({"confidence_wanted": None}, "ss", ("open", 3, 1, True), False),
        ({"confidence_wanted": None}, "ssf", ("done", 3, 0, False), False),
        ({"confidence_wanted": None, "redundancy": 2}, "sf", ("done", 2, 0, False), True),
    ],
)
def test_a_task_closes_early_or_grows(
    changes: dict[str, Any], outcomes: str, expected: tuple[str, int, int, bool], asks: bool
) -> None:
    project = make_unsure(**changes)
    [task] = post_many(project, 1)
    say(task, *({"s": "success", "f": "failure"}[one] for one in outcomes))
    assert state(task) == expected
    assert (on(task).settled_at is not None) == (expected[0] == "done")
    assert on(task).needs_review is asks
    check(project)


def test_a_hold_on_a_task_that_closed_early_may_still_be_handed_in_and_counts() -> None:
    project = make_unsure(base_pay="0.30")
    [task] = post_many(project, 1)
    held = hold_on(task, make_worker())
    say(task, "success", "success")
    assert state(task)[0] == "done"
    annotate(held, outcome="success", frame=15)
    assert state(task) == ("done", 3, 0, False)
    assert on(task).annotations == 3
    assert held.worker.ledger.count() == 1


def test_a_late_answer_that_makes_a_closed_task_unsure_opens_it_again_and_a_return_opens_nothing() -> None:
    [task] = post_many(make_unsure(redundancy=4), 1)
    held, given_back = hold_on(task, make_worker()), hold_on(task, make_worker())
    say(task, "success", "success")
    assert on(task).settled_at is not None
    release(assignment=given_back, at=NOON)
    assert state(task) == ("done", 4, 1, False)
    annotate(held, outcome="failure")
    assert state(task) == ("open", 4, 1, True)
    assert on(task).settled_at is None


def test_a_grown_task_follows_a_new_redundancy() -> None:
    project = make_unsure(most_annotations=8)
    [task] = post_many(project, 1)
    say(task, "success", "failure", "success", "failure")
    assert state(task) == ("open", 5, 1, True)
    for redundancy, wanted in ((6, 6), (2, 5)):
        with transaction.atomic():
            change_redundancy(project=Project.objects.get(pk=project.pk), redundancy=redundancy, at=NOON)
        assert state(task) == ("open", wanted, wanted - 4, True)
    check(project)


@pytest.fixture
def fitted() -> Project:
    """A project with a fit that knows two workers: one sharp, one dull."""
    project = make_project(redundancy=3, consensus_method="dawid_skene")
    fit = Fit.objects.create(
        project=project, prior=0.7, tasks=1, annotations=1, iterations=1, through=0, fitted_at=NOON
    )
    for name, rate in (("sharp", 0.95), ("dull", 0.55)):
        Rater.objects.create(
            fit=fit, worker=make_worker(name), sensitivity=rate, specificity=rate - 0.02, positives=50, negatives=40
        )
    return project


def test_a_provisional_consensus_is_the_posterior_by_the_last_fit(fitted: Project) -> None:
    [task] = post_many(fitted, 1)
    sharp, dull = make_worker("sharp"), make_worker("dull")
    stranger = make_worker("stranger", weighting=Worker.Weighting.REDUCED)
    said = [(sharp, "failure", 1.0), (dull, "success", 1.0), (stranger, "success", 0.5)]
    rates = {sharp.pk: Rates(0.95, 0.93, 50, 40), dull.pk: Rates(0.55, 0.53, 50, 40)}
    votes: list[Vote] = []
    for worker, outcome, weight in said:
        annotate(hold_on(task, worker), outcome=outcome)
        votes.append(Vote(worker.pk, outcome == "success", weight))
        expected = posterior_of(votes, rates, 0.7)
        found = on(task)
        assert (found.probability, found.low, found.high) == pytest.approx(tuple(expected))
        assert found.confidence == pytest.approx(max(expected.value, 1 - expected.value))
        assert found.method == "dawid_skene"
    assert on(task).answer["outcome"] == "failure"
    assert on(task).settled_at == NOON


def test_an_adjudicated_consensus_outranks_every_answer() -> None:
    project = make_project(redundancy=2)
    [task] = post_many(project, 1)
    held = hold_on(task, make_worker())
    say(task, "failure")
    truth = {"outcome": "success", "frame": 40, "time_s": 4.0}
    with transaction.atomic():
        set_adjudicated(task=task, answer=truth, at=NOON)
    assert state(task)[::3] == ("done", False)
    annotate(held, outcome="failure")
    found = on(task)
    assert (found.answer, found.method, found.confidence, found.needs_review) == (truth, "adjudicated", 1.0, False)
    assert (found.probability, found.settled_at) == (1.0, NOON)
    with transaction.atomic():
        drop_adjudicated(task=task, at=NOON)
    assert (on(task).answer["outcome"], on(task).method, on(task).annotations) == ("failure", "majority", 2)
    assert state(task) == ("done", 2, 0, False)


@pytest.mark.parametrize("answers", [0, 1])
def test_taking_an_adjudication_back_opens_what_has_too_few_answers(answers: int) -> None:
    [task] = post_many(make_project(redundancy=2), 1)
    say(task, *["failure"] * answers)
    with transaction.atomic():
        set_adjudicated(task=task, answer={"outcome": "success", "frame": 3, "time_s": 0.3}, at=NOON)
        assert on(task).annotations == answers
        found = drop_adjudicated(task=task, at=NOON)
    assert (found and (found.annotations, found.settled_at)) == ((1, None) if answers else None)
    assert state(task) == ("open", 2, 2 - answers, True)


def test_an_accepted_consensus_stays_accepted_until_its_answer_changes() -> None:
    project = make_unsure(redundancy=2, most_annotations=2)
    [task] = post_many(project, 1)
    third = make_enrolments(project, 1)[0].worker
    say(task, "success", "failure")
    assert on(task).needs_review
    Consensus.objects.filter(task=task).update(accepted_at=NOON, needs_review=False)
    with transaction.atomic():
        settle(task=task, at=NOON + timedelta(hours=1))
    assert (on(task).accepted_at, on(task).needs_review) == (NOON, False)
    Task.objects.filter(pk=task.pk).update(status="open", open=True, slots_left=1, closed_at=None)
    annotate(hold_on(task, third), outcome="success")
    assert (on(task).accepted_at, on(task).needs_review) == (None, True)


def test_reopening_counts_the_earlier_answers() -> None:
    [task] = post_many(make_project(redundancy=2), 1)
    say(task, "success", "success")
    with transaction.atomic():
        close_as_unjudgeable(task=task, at=NOON)
        assert settle(task=task, at=NOON) is None
        assert not Consensus.objects.exists()
        task.refresh_from_db()
        reopen(task=task, at=NOON)
    assert state(task) == ("done", 2, 0, False)
    assert on(task).annotations == 2


@pytest.mark.parametrize("answers", [1, 9])
@pytest.mark.parametrize(("method", "more"), [("majority", 0), ("dawid_skene", 3)])
def test_another_answer_costs_the_same_however_many_there_are(
    answers: int, method: str, more: int, fitted: Project, django_assert_num_queries: Any
) -> None:
    Project.objects.filter(pk=fitted.pk).update(redundancy=50, consensus_method=method)
    fitted.refresh_from_db()
    [task] = post_many(fitted, 1)
    say(task, *["success"] * answers)
    last = Annotation.objects.filter(task=task).latest("pk")
    Annotation.objects.filter(pk=last.pk).update(answer={"outcome": "failure", "frame": 1, "time_s": 0.1})
    task = Task.objects.select_related("project").get(pk=task.pk)
    # The task with its consensus, the answers, the consensus anew, its annotators outdated; with raters those too,
    # their fit, and whether another fit waits.
    with transaction.atomic(), django_assert_num_queries(4 + more - (answers == 1)):
        settle(task=task, at=NOON)
