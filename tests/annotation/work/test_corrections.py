"""Corrections: the newest answer counts, once; both are kept; each refusal has its code."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.consensus import aggregation
from annotation.datasets.annotations import annotation_lines
from annotation.models import Annotation, Approval, Assignment, Consensus, Enrolment, GateAction, Project, Record, Task
from annotation.pay import approvals
from annotation.pay.hourly_rate import hourly_rate_of
from annotation.quality.accuracy import confusion_of
from annotation.tool_registry import all_tools
from annotation.work.corrections import correct
from annotation.work.submissions import submit
from evaluation.marker import marker
from lib.faults import Invalid
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, make_task, make_worker
from tests.support.calls import problem
from workforce.models import LedgerEntry, Worker

GRACE_S = 120
FAILURE, SUCCESS = ({"outcome": outcome, "frame": 20} for outcome in ("failure", "success"))
PAY = Decimal("0.30")


@pytest.fixture
def project(db: None) -> Project:
    return make_project("p", settings={"grace_s": GRACE_S}, base_pay=PAY)


def _correct(annotation: Annotation, answer: dict[str, Any] = FAILURE, *, after_s: float = 1) -> Annotation:
    held = Assignment.objects.select_related("task__project", "worker").get(annotation=annotation)
    enrolment = make_enrolment(Project.objects.get(pk=annotation.project_id), held.worker)
    return correct(enrolment=enrolment, assignment=held, answer=answer, at=NOON + timedelta(seconds=after_s))


def _told(project: Project) -> list[tuple[str, str | None]]:
    """The outcome and the successor of each exported line."""
    rows = [json.loads(line) for page in annotation_lines(project) for line in page.splitlines()]
    names = {row["annotation"]: row["answer"]["outcome"] for row in rows}
    return [(row["answer"]["outcome"], names.get(row["superseded_by"])) for row in rows]


def test_both_answers_are_kept_and_the_newest_is_the_consensus(project: Project, alice: Worker) -> None:
    task = make_task(project)
    first = annotate(claim(project, alice))
    assert Consensus.objects.get(task=task).answer["outcome"] == "success"
    second = _correct(first)
    assert _told(project) == [("success", "failure"), ("failure", None)]
    found = Consensus.objects.get(task=task)
    assert (found.answer["outcome"], found.annotations, found.settled_at is not None) == ("failure", 1, True)
    assert second.number == first.number + 1
    first.refresh_from_db()
    assert first.answer["outcome"] == "success"


def test_of_a_settled_task_of_three_the_side_changes(project: Project) -> None:
    Project.objects.update(redundancy=3)
    task = make_task(Project.objects.get())
    workers = [make_worker() for _ in range(3)]
    first, *_ = [
        annotate(claim(project, one), outcome=outcome)
        for one, outcome in zip(workers, ("success", "success", "failure"), strict=True)
    ]
    _correct(first)
    found = Consensus.objects.get(task=task)
    assert (found.answer["outcome"], found.annotations) == ("failure", 3)
    assert found.confidence == pytest.approx(2 / 3)
    task.refresh_from_db()
    assert (task.status, task.slots_left) == (Task.Status.DONE, 0)


def test_the_pay_is_owed_once_and_the_work_counted_once(project: Project, alice: Worker) -> None:
    make_task(project)
    first = annotate(claim(project, alice))
    third = _correct(_correct(first), SUCCESS, after_s=2)
    entry = LedgerEntry.objects.get()
    assert (entry.reason, entry.amount) == (f"base:annotation:{first.public_id}", PAY)
    enrolment = Enrolment.objects.get(worker=alice)
    assert (enrolment.submitted, enrolment.earned) == (1, PAY)
    assert Project.objects.get().spent == PAY
    assert Record.objects.get(worker=alice, project=project).submitted == 1
    assert approvals.approve(annotations=[third], by="dora", at=NOON).decided == 1
    entry.refresh_from_db()
    assert entry.state == LedgerEntry.State.APPROVED
    rate = hourly_rate_of(project)
    assert rate is not None
    assert rate.rates.n == 1


def test_a_rejection_of_the_correction_withholds_the_pay(project: Project, alice: Worker) -> None:
    make_task(project)
    second = _correct(annotate(claim(project, alice)))
    approvals.reject(annotations=[second], reason="no", is_soft=False, by="dora", at=NOON)
    assert LedgerEntry.objects.get().state == LedgerEntry.State.REJECTED
    assert Enrolment.objects.get(worker=alice).earned == 0


def test_a_superseded_answer_waits_for_no_decision(project: Project, alice: Worker) -> None:
    make_task(project)
    first = annotate(claim(project, alice))
    second = _correct(first)
    assert list(Annotation.objects.undecided()) == [second]
    with pytest.raises(approvals.Superseded):
        approvals.approve(annotations=[first], by="dora", at=NOON)
    later = timezone.now() + timedelta(days=60)
    assert approvals.approve_overdue(at=later) == 1
    assert Approval.objects.get().annotation == second


def test_what_the_rule_approved_at_once_stays_approved(project: Project, alice: Worker) -> None:
    Project.objects.update(approve_after_s=0)
    make_task(project)
    second = _correct(annotate(claim(Project.objects.get(), alice)))
    assert Approval.objects.get().annotation == second
    assert second.is_decided
    assert LedgerEntry.objects.get().state == LedgerEntry.State.APPROVED


def test_a_reference_is_scored_by_the_newest_answer(project: Project, alice: Worker) -> None:
    Project.objects.update(reference_rate=1.0)
    project.refresh_from_db()
    make_task(project), make_task(project, truth="failure")
    first = annotate(claim(project, alice, chance=lambda: 0.0))
    assert (first.task.is_reference, first.score) == (True, 0.0)
    second = _correct(first)
    assert second.score == 1.0
    confusion = confusion_of(alice)
    assert (confusion.failure_failure, confusion.failure_success) == (1, 0)
    record = Record.objects.get(worker=alice, project=project)
    assert (record.failure_failure, record.failure_success) == (1, 0)


def test_the_gates_read_the_newest_answers(project: Project, alice: Worker) -> None:
    """Six wrong answers pause; here each was corrected before the gates looked."""
    gate = {"action": "pause", "below": 0.7, "minimum_n": 2}
    for is_corrected in (True, False):
        mine = make_project(reference_rate=1.0, gates=[gate], settings={"grace_s": GRACE_S})
        for number in range(24):
            make_task(mine), make_task(mine, truth="failure" if number % 2 else "success")
        for number in range(20):
            held = claim(mine, alice, chance=lambda: 0.0)
            wrong = "failure" if held.task.truth_class else "success"
            at = NOON + timedelta(seconds=number)
            done = annotate(held, outcome=wrong, at=at)
            if GateAction.objects.filter(enrolment__project=mine).exists():
                break
            if is_corrected and held.task.is_reference:
                _correct(
                    done, {"outcome": {"failure": "success", "success": "failure"}[wrong], "frame": 20}, after_s=20
                )
        assert GateAction.objects.filter(enrolment__project=mine).exists() is not is_corrected


def test_a_correction_of_a_reference_sets_a_look_of_the_gates(project: Project, alice: Worker) -> None:
    gate = {"action": "warn", "below": 0.7, "minimum_n": 2}
    Project.objects.update(reference_rate=0.5, gates=[gate])
    project.refresh_from_db()
    make_task(project), make_task(project, truth="failure")
    first = annotate(claim(project, alice, chance=lambda: 0.0))
    assert first.task.is_reference
    Enrolment.objects.update(gates_due=None)
    _correct(first)
    due = Enrolment.objects.get(worker=alice).gates_due
    assert due is not None


@pytest.mark.parametrize("is_reference", [False, True])
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("late", "grace_over"),
        ("off", "grace_over"),
        ("told", "notice_given"),
        ("told_at_once", "notice_given"),
        ("decided", "answer_decided"),
        ("held", "not_submitted"),
        ("returned", "not_submitted"),
    ],
)
def test_refusals_name_their_reason_whatever_the_task_is(
    project: Project, alice: Worker, as_worker: Any, *, is_reference: bool, change: str, code: str
) -> None:
    Project.objects.update(reference_rate=float(is_reference))
    project.refresh_from_db()
    make_task(project), make_task(project, truth="failure")
    now = timezone.now()
    held = claim(project, alice, at=now, chance=lambda: 0.0)
    assert held.task.is_reference is is_reference
    if change == "returned":
        Assignment.objects.filter(pk=held.pk).update(status="released", closed_at=now)
    elif change != "held":
        since = now - timedelta(seconds=GRACE_S + 1 if change == "late" else 1)
        done = annotate(held, at=since)
        if change == "off":
            Project.objects.update(settings={})
        if change.startswith("told"):
            enrolment = Enrolment.objects.get(worker=alice, project=project)
            at = since if change == "told_at_once" else now
            GateAction.objects.create(enrolment=enrolment, action="warn", rule={}, evidence={"answers": []}, at=at)
        if change == "decided":
            approvals.approve(annotations=[done], by="dora", at=now)
    client: APIClient = as_worker(project, alice)
    before = list(Annotation.objects.values())
    response = client.post(f"/api/v1/work/assignments/{held.public_id}/correct/", {"answer": FAILURE})
    assert (response.status_code, problem(response)["code"]) == (409, code)
    assert list(Annotation.objects.values()) == before


def test_a_repeat_changes_nothing_even_after_the_grace(project: Project, alice: Worker, as_worker: Any) -> None:
    make_task(project)
    held = claim(project, alice, at=timezone.now())
    annotate(held, at=timezone.now())
    client: APIClient = as_worker(project, alice)
    address = f"/api/v1/work/assignments/{held.public_id}/"
    first, again = (client.post(f"{address}correct/", {"answer": FAILURE}) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert Annotation.objects.count() == 2
    Assignment.objects.update(closed_at=timezone.now() - timedelta(hours=1))
    assert client.post(f"{address}correct/", {"answer": FAILURE}).json() == first.json()
    # The first submission, sent again because its answer was lost, is answered as it was.
    assert client.post(f"{address}submit/", {"answer": SUCCESS}).status_code == 201
    assert (
        problem(client.post(f"{address}submit/", {"answer": {**SUCCESS, "frame": 21}}))["code"] == "already_submitted"
    )
    assert Annotation.objects.count() == 2


def test_a_bad_answer_and_a_stranger_are_refused(project: Project, alice: Worker, bob: Worker, as_worker: Any) -> None:
    make_task(project)
    held = claim(project, alice, at=timezone.now())
    annotate(held, at=timezone.now())
    address = f"/api/v1/work/assignments/{held.public_id}/correct/"
    refused = as_worker(project, alice).post(address, {"answer": {"outcome": "failure", "frame": 99_999}})
    assert refused.status_code == 422
    assert as_worker(project, bob).post(address, {"answer": FAILURE}).status_code == 404
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize(("changes", "status"), [({}, 200), ({"grace_s": 0}, 404), ({"grace_s": 1}, 404)])
def test_the_video_can_be_looked_at_again_within_the_grace(
    project: Project, alice: Worker, client: Any, *, changes: dict[str, int], status: int
) -> None:
    Project.objects.update(settings={"grace_s": 3600, **changes})
    make_task(project)
    since = timezone.now() - timedelta(minutes=10)
    held = claim(project, alice, at=since)
    address = marker.present(held.task, hold=held.public_id)["video"]["url"]
    annotate(held, at=since)
    assert client.get(address).status_code == status


def test_merging_never_sees_a_superseded_answer(
    project: Project, alice: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_task(project)
    first = annotate(claim(project, alice))
    seen: list[int] = []
    merge = aggregation.aggregate_all

    def watched(tool: Any, votes: Any, **more: Any) -> Any:
        seen.append(len(votes[0]))
        return merge(tool, votes, **more)

    monkeypatch.setattr(aggregation, "aggregate_all", watched)
    _correct(first)
    assert seen == [1]


@pytest.mark.parametrize("grace_s", [-1, 1.5, "60", True, 86_401])
def test_a_grace_is_a_whole_number_of_seconds_up_to_a_day(grace_s: Any, db: None) -> None:
    for tool in all_tools():
        with pytest.raises(Invalid) as refused:
            tool.check_settings({"grace_s": grace_s}, None, is_live=False)
        assert refused.value.faults[0].pointer == "#/settings/grace_s"
        tool.check_settings({"grace_s": 60}, None, is_live=False)


def test_the_work_page_is_told_the_grace(project: Project, alice: Worker, as_worker: Any) -> None:
    assert as_worker(project, alice).get("/api/v1/work/").json()["grace_s"] == GRACE_S


def test_the_same_answer_submitted_is_not_a_correction(project: Project, alice: Worker) -> None:
    make_task(project)
    held = claim(project, alice)
    first = annotate(held)
    held.refresh_from_db()
    again = submit(enrolment=make_enrolment(project, alice), assignment=held, answer=SUCCESS, active_s=None, at=NOON)
    assert again == first
