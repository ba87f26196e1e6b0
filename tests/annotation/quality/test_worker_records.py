"""Records of workers: figures on references at once, the others in the background, all computed from the answers."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Project, Record
from annotation.quality import accuracy, worker_records
from annotation.quality.worker_records import DRIFT, measure_outdated
from annotation.work.leases import report
from annotation.work.submissions import submit
from lib.statistics.accuracy import balanced_accuracy
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, make_task, make_worker
from tests.support.crowds import Checked, checked_project, post_many
from workforce.models import Worker

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)


def of(worker: Worker, project: Project | None = None) -> Record:
    return Record.objects.get(worker=worker, project=project)


def meet(project: Project, worker: Worker, truth: str, answer: str, *, truth_s: float | None = None) -> Annotation:
    """The worker meets a new reference and answers so, at frame 20, which is 2 seconds."""
    make_task(project, truth=truth, truth_s=truth_s)
    return annotate(claim(project, worker, chance=lambda: 0.0), outcome=answer)


@pytest.fixture
def project(db: None) -> Project:
    project = make_project("p", reference_rate=1.0)
    post_many(project, 1, redundancy=1000)
    return project


def test_an_enrolment_begins_two_empty_records(alice: Worker) -> None:
    project = make_project()
    for _ in range(2):
        make_enrolment(project, alice)
    assert set(Record.objects.values_list("worker", "project", "submitted")) == {
        (alice.pk, project.pk, 0),
        (alice.pk, None, 0),
    }


def test_figures_on_references_are_there_with_the_answer(project: Project, alice: Worker) -> None:
    other = make_project("q", reference_rate=1.0)
    post_many(other, 1, redundancy=1000)
    for truth, answer in (("success", "success"), ("success", "failure"), ("failure", "failure")):
        meet(project, alice, truth, answer)
    meet(other, alice, "failure", "success")

    here, everywhere = of(alice, project), of(alice)

    expected = balanced_accuracy(tp=1, fn=1, tn=1, fp=0)
    assert (here.references, here.balanced_accuracy, here.low, here.high) == (
        3,
        expected.value,
        expected.low,
        expected.high,
    )
    assert (here.success_success, here.success_failure, here.failure_success, here.failure_failure) == (1, 1, 0, 1)
    assert (everywhere.references, everywhere.failure_success, everywhere.balanced_accuracy) == (4, 1, 0.5)
    assert (here.submitted, everywhere.submitted) == (3, 4)
    assert here.last_at == everywhere.last_at == NOON


def test_the_moment_and_the_drift_are_of_references(project: Project, alice: Worker) -> None:
    # Marked at 2.0 s each time; the fourth is wrong, so its moment says nothing; the fifth truth names none.
    for truth_s in (1.5, 1.9, 2.3):
        meet(project, alice, "success", "success", truth_s=truth_s)
    meet(project, alice, "failure", "success", truth_s=9.0)
    meet(project, alice, "success", "success")
    found = of(alice, project)
    assert found.moments == 3
    assert found.moment_offset_s == pytest.approx(0.1)
    assert found.moment_error_s == pytest.approx(0.3)
    # Right answers on the one class that there is leave it at 0; the wrong one of the other weighs a whole step.
    assert found.drift is not None
    assert found.drift <= DRIFT.wrong
    assert of(alice).drift == found.drift


def test_the_api_is_exact_right_after_an_answer(pipe: APIClient, alice: Worker) -> None:
    worker = Checked(checked_project(gates=[], references=8), alice)
    for number, right in enumerate((True, False, True), start=1):
        worker.answer(right=right)
        shown = pipe.get("/api/v1/workers/direct/alice/").json()["reference"]
        assert (shown["n"], shown["balanced_accuracy"]) == (number, of(alice).balanced_accuracy)


def test_an_answer_to_an_ordinary_task_is_counted_and_the_rest_is_measured_later(alice: Worker) -> None:
    project = make_project()
    post_many(project, 2)
    annotate(claim(project, alice))
    assert of(alice, project).submitted == 1
    assert of(alice, project).median_s is None
    assert Record.objects.outdated().count() == 2

    assert measure_outdated(at=LATER) == 1

    assert not Record.objects.outdated().exists()
    assert of(alice, project).measured_at == LATER
    assert of(alice).median_s == 0.0
    assert measure_outdated(at=LATER) == 0


def test_records_are_computed_again_whatever_they_held(project: Project, alice: Worker) -> None:
    meet(project, alice, "success", "success")
    Record.objects.update(submitted=99, references=99, success_success=99, reported=99, compared=99)
    measure_outdated(at=LATER)
    for found in (of(alice, project), of(alice)):
        assert (found.submitted, found.references, found.success_success) == (1, 1, 1)
        assert (found.reported, found.compared) == (0, 0)


def timed(project: Project, worker: Worker, seconds: list[float]) -> None:
    for active_s in seconds:
        held = claim(project, worker, chance=lambda: 0.99)
        answer = {"outcome": "success", "frame": 20}
        submit(enrolment=make_enrolment(project, worker), assignment=held, answer=answer, active_s=active_s, at=NOON)


def test_speed_is_held_against_the_projects_times(alice: Worker, bob: Worker) -> None:
    project = make_project()
    post_many(project, 18)
    crowd = [make_worker() for _ in range(3)]
    for number, worker in enumerate(crowd):
        timed(project, worker, [90.0 + number, 100.0, 110.0 + number, 125.0])
    timed(project, alice, [100.0, 104.0, 96.0])
    timed(project, bob, [5.0, 6.0, 7.0])

    measure_outdated(at=LATER)

    assert (of(alice, project).median_s, of(bob, project).median_s) == (100.0, 6.0)
    steady, fast = of(alice, project).speed_z, of(bob, project).speed_z
    assert steady is not None
    assert fast is not None
    assert abs(steady) < 1
    assert fast < -5
    assert of(bob).speed_z == pytest.approx(fast)


def test_agreement_is_with_settled_answers_of_several_ties_aside(alice: Worker) -> None:
    project = make_project(redundancy=3)
    pair, alone = make_project(redundancy=2), make_project(redundancy=1)
    for one in (project, pair, alone):
        post_many(one, 2)
    others = [make_worker(), make_worker()]
    for said, by_others in (("success", ("success", "failure")), ("success", ("failure", "failure"))):
        annotate(claim(project, alice), outcome=said)
        for other, theirs in zip(others, by_others, strict=True):
            annotate(claim(project, other), outcome=theirs)
    annotate(claim(pair, alice), outcome="success")
    annotate(claim(pair, others[0]), outcome="failure")
    annotate(claim(alone, alice))

    measure_outdated(at=LATER)

    assert (of(alice, project).compared, of(alice, project).agreement) == (2, 0.5)
    assert (of(alice, pair).compared, of(alice, pair).agreement) == (0, None)
    assert (of(alice, alone).compared, of(alice, alone).agreement) == (0, None)
    assert (of(alice).compared, of(alice).agreement) == (2, 0.5)


def test_a_worker_who_answered_earlier_is_measured_again_when_the_task_settles(alice: Worker, bob: Worker) -> None:
    project = make_project(redundancy=2)
    post_many(project, 1)
    annotate(claim(project, alice), outcome="success")
    measure_outdated(at=LATER)
    assert of(alice, project).compared == 0

    annotate(claim(project, bob), outcome="success")

    assert set(Record.objects.outdated().values_list("worker", "project")) >= {(alice.pk, project.pk)}
    measure_outdated(at=LATER)
    assert (of(alice, project).compared, of(alice, project).agreement) == (1, 1.0)
    assert of(alice).agreement == 1.0


def test_reports_are_counted_and_a_time_that_no_page_counted_is_from_claim_to_answer(alice: Worker) -> None:
    project = make_project()
    post_many(project, 3)
    for _ in range(2):
        report(assignment=claim(project, alice), problem=Assignment.Problem.AMBIGUOUS, text="", at=NOON)
    annotate(claim(project, alice), at=NOON + timedelta(seconds=42))
    measure_outdated(at=LATER)
    assert (of(alice, project).reported, of(alice).reported) == (2, 2)
    assert of(alice, project).median_s == 42.0


def test_an_answer_during_a_measuring_is_not_lost(monkeypatch: pytest.MonkeyPatch, alice: Worker, bob: Worker) -> None:
    project = make_project()
    post_many(project, 4)
    annotate(claim(project, alice))
    annotate(claim(project, bob))
    kept = worker_records._keep

    def meanwhile(record: Record, facts: dict[str, Any], *, at: Any) -> None:
        if record.project_id and record.worker_id == alice.pk:
            annotate(claim(project, alice), at=NOON + timedelta(seconds=1))
        if record.project_id and record.worker_id == bob.pk:
            worker_records.outdate(workers=[bob.pk], project=project.pk)
        kept(record, facts, at=at)

    monkeypatch.setattr(worker_records, "_keep", meanwhile)
    measure_outdated(at=LATER)
    monkeypatch.undo()

    assert of(alice, project).median_s is None, "her record has changed under the hand that measured it"
    assert Record.objects.outdated().filter(project=project).count() == 2
    measure_outdated(at=LATER)
    assert of(alice, project).submitted == 2
    assert not Record.objects.outdated().filter(project=project).exists()


def test_the_background_measures_those_who_waited_longest_and_the_rest_the_next_time() -> None:
    project = make_project()
    post_many(project, 5)
    for worker in [make_worker() for _ in range(5)]:
        annotate(claim(project, worker))
    assert [measure_outdated(at=LATER, limit=2) for _ in range(4)] == [2, 2, 1, 0]
    assert not Record.objects.outdated().exists()


def queries_to_measure(project: Project, answers: int) -> int:
    while Annotation.objects.filter(project=project).count() < answers:
        annotate(claim(project, make_worker("busy")))
    with CaptureQueriesContext(connection) as queries:
        assert measure_outdated(at=LATER) == 1
    return len(queries)


def test_measuring_costs_the_same_for_2_answers_and_10(db: None) -> None:
    project = make_project()
    post_many(project, 12)
    few = queries_to_measure(project, 2)
    Record.objects.update(measured_at=NOON - timedelta(days=1))
    assert queries_to_measure(project, 10) == few


def test_a_submit_costs_the_same_after_2_references_and_after_10(alice: Worker) -> None:
    project = checked_project(references=24, gates=[{"action": "pause", "below": 0.6, "minimum_n": 1000}])
    worker = Checked(project, alice)

    def cost() -> int:
        held = worker.claim().json()["assignment"]
        with CaptureQueriesContext(connection) as queries:
            worker.hand_in(held, right=True)
        return len(queries)

    costs = [cost() for _ in range(10)]
    assert costs[1:] == [costs[1]] * 9


@pytest.mark.skipif(connection.vendor != "sqlite", reason="elsewhere the plan of a small table says nothing")
def test_the_history_of_references_is_read_by_its_index(alice: Worker) -> None:
    Checked(checked_project(references=4, gates=[]), alice).answer(right=True)
    with CaptureQueriesContext(connection) as queries:
        accuracy.answers_on_references(alice.pk)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {queries[0]['sql']}")
        plan = "\n".join(row[3] for row in cursor.fetchall())
    assert "annotation_scored" in plan
    assert "TEMP B-TREE" not in plan
