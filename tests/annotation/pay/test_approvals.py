"""Decisions on submitted answers: their effect on pay, answers and slots; each is made once."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.consensus.consensus import FIT
from annotation.models import Annotation, Approval, Consensus, Enrolment, Project, Task
from annotation.pay import approvals
from annotation.pay.approvals import (
    RULE,
    AlreadyDecided,
    Decided,
    approve,
    approve_overdue,
    decisions_for,
    overturn,
    reject,
)
from annotation.pay.budget import OverBudget
from annotation.work.claims import BudgetSpent
from audit.models import AuditEvent
from common.redaction import REMOVED
from jobs import outbox
from jobs.models import Job
from lib.faults import Invalid
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, make_task, make_worker
from tests.support.crowds import PAY, check, hold_on, post_many, say
from tests.support.paying_marker import pay_bonuses
from workforce.ledger import owe
from workforce.models import LedgerEntry, Worker
from workforce.privacy import request_erasure

pytestmark = pytest.mark.django_db

LATER = NOON + timedelta(hours=1)
DORA = "staff:dora"
WHY = "The moment is a minute off."
Decision = Approval.Decision


def answered(project: Project, worker: Worker, *, outcome: str = "success") -> Annotation:
    return annotate(claim(project, worker), outcome=outcome)


def money_of(project: Project, worker: Worker) -> tuple[Decimal, Decimal, list[str]]:
    """The project's spending, the worker's earnings in it, and the states of the worker's ledger entries."""
    project.refresh_from_db()
    earned = Enrolment.objects.get(project=project, worker=worker).earned
    return project.spent, earned, list(worker.ledger.order_by("pk").values_list("state", flat=True))


def refuse(*annotations: Annotation, is_soft: bool = False, by: str = DORA) -> Decided:
    return reject(annotations=annotations, reason=WHY, is_soft=is_soft, by=by, at=LATER)


# What a decision does ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_soft", [False, True])
def test_approved_and_softly_rejected_work_is_paid_and_only_the_first_counts(
    is_soft: bool, alice: Worker, bob: Worker
) -> None:
    project = make_project(base_pay=PAY)
    [task] = post_many(project, 1)
    annotation = answered(project, alice)
    assert money_of(project, alice) == (PAY, PAY, ["owed"])

    if is_soft:
        refuse(annotation, is_soft=True)
    else:
        assert approve(annotations=[annotation], by=DORA, at=LATER) == Decided(1, 0)

    assert money_of(project, alice) == (PAY, PAY, ["approved"])
    entry = alice.ledger.get()
    assert (entry.account, entry.state_by, entry.state_at) == (project.slug, DORA, LATER)
    annotation.refresh_from_db()
    assert (annotation.is_decided, annotation.is_dropped) == (True, is_soft)
    assert list(Consensus.objects.values_list("task", "annotations")) == ([] if is_soft else [(task.pk, 1)])
    if is_soft:
        assert claim(project, bob).task == task


def test_rejected_work_gives_its_money_and_its_slot_back(alice: Worker, bob: Worker) -> None:
    project = make_project(base_pay=PAY, budget=PAY)
    [task] = post_many(project, 1)
    annotation = answered(project, alice)
    with pytest.raises(BudgetSpent):
        claim(project, bob)

    assert refuse(annotation) == Decided(1, 0)

    assert money_of(project, alice) == (Decimal(0), Decimal(0), ["rejected"])
    assert alice.ledger.get().note == WHY
    assert money_of(project, bob)[1] == 0, "another's sum is left alone"
    assert not Consensus.objects.filter(task=task).exists()
    check(project)
    with pytest.raises(AssertionError):
        claim(project, alice)
    assert answered(project, bob).task == task
    assert Consensus.objects.get(task=task).annotations == 1
    check(project)


def test_a_dropped_answer_changes_the_consensus_of_the_others() -> None:
    project = make_project(redundancy=3)
    [task] = post_many(project, 1)
    wrong, *_ = say(task, "failure", "success", "failure")
    assert Consensus.objects.get(task=task).answer["outcome"] == "failure"

    refuse(wrong)

    task.refresh_from_db()
    assert (task.status, task.slots_left, task.open) == ("open", 1, True)
    say(task, "success")
    found = Consensus.objects.get(task=task)
    assert (found.answer["outcome"], found.annotations) == ("success", 3)
    check(project)


def test_work_on_references_is_decided_on_like_any_other(alice: Worker) -> None:
    project = make_project(base_pay=PAY)
    reference = make_task(project, truth="success")
    hold = hold_on(reference, alice)
    make_enrolment(project, alice)
    annotation = annotate(hold)
    before = Task.objects.values("slots_left", "open", "status").get(pk=reference.pk)

    refuse(annotation)

    assert money_of(project, alice) == (Decimal(0), Decimal(0), ["rejected"])
    assert Task.objects.values("slots_left", "open", "status").get(pk=reference.pk) == before


def test_a_fit_is_asked_for_where_the_method_needs_one(alice: Worker) -> None:
    project = make_project(consensus_method="dawid_skene")
    post_many(project, 1)
    annotation = answered(project, alice)
    Job.objects.all().delete()
    refuse(annotation)
    assert Job.objects.filter(kind=FIT).count() == 1


# Once, and for good ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decide", ["approve", "reject", "soft"])
def test_the_same_decision_once_more_changes_nothing(decide: str, alice: Worker) -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 1)
    annotation = answered(project, alice)
    acts: list[tuple[Decided, Any]] = []
    for by in (DORA, "staff:rita"):
        if decide == "approve":
            found = approve(annotations=[annotation], by=by, at=LATER)
        else:
            found = refuse(annotation, is_soft=decide == "soft", by=by)
        acts.append((found, money_of(project, alice)))
    assert acts == [(Decided(1, 0), acts[0][1]), (Decided(0, 1), acts[0][1])]
    assert Approval.objects.get().by == DORA
    assert AuditEvent.objects.filter(verb__startswith="annotation.").count() == 1


def test_another_decision_is_refused_and_names_the_person_who_decided_first(alice: Worker, bob: Worker) -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 2)
    first, second = answered(project, alice), answered(project, bob)
    approve(annotations=[first], by=DORA, at=LATER)

    with pytest.raises(AlreadyDecided, match="staff:dora"):
        refuse(first, second, by="staff:rita")

    assert money_of(project, alice) == (PAY * 2, PAY, ["approved"])
    second.refresh_from_db()
    assert not second.is_decided, "none of them, or all"


def test_a_rejection_has_a_reason_and_no_more_than_a_thousand_are_decided_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 2)
    [task] = post_many(make_project(), 1, redundancy=3)
    three = say(task, "success", "success", "success")
    for is_soft in (True, False):
        with pytest.raises(Invalid):
            reject(annotations=three[:1], reason=" ", is_soft=is_soft, by=DORA, at=LATER)
    with pytest.raises(Invalid):
        approve(annotations=three, by=DORA, at=LATER)
    assert not Approval.objects.exists()
    assert approve(annotations=three[:2], by=DORA, at=LATER).decided == 2


def test_each_project_has_its_line_in_the_audit_log(alice: Worker) -> None:
    one, other = make_project(), make_project()
    for project in (one, other):
        post_many(project, 1)
    answers = [answered(one, alice), answered(other, alice)]
    refuse(*answers)
    lines = {event.project: event for event in AuditEvent.objects.filter(verb="annotation.rejected")}
    assert {slug: event.detail["annotations"] for slug, event in lines.items()} == {
        one.slug: [answers[0].public_id],
        other.slug: [answers[1].public_id],
    }
    assert {event.reason for event in lines.values()} == {WHY}


@pytest.mark.parametrize("rows", [2, 12])
def test_deciding_costs_the_same_for_few_and_for_many(rows: int, django_assert_num_queries: Any) -> None:
    project = make_project(base_pay=PAY)
    post_many(project, rows)
    worker = make_worker()
    answers = [answered(project, worker) for _ in range(rows)]
    with django_assert_num_queries(11):  # two of them are the transaction's, two read the pay for the audit log
        approve(annotations=answers, by=DORA, at=LATER)


# Overturning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("softly_first", [False, True])
def test_an_overturned_rejection_is_paid_and_where_it_is_approved_counts_again(
    softly_first: bool, alice: Worker
) -> None:
    project = make_project(base_pay=PAY, budget=PAY)
    [task] = post_many(project, 1)
    annotation = answered(project, alice)
    refuse(annotation)
    if softly_first:
        soft = Decision.SOFTLY_REJECTED
        overturn(annotations=[annotation], decision=soft, reason="In good faith.", by=DORA, at=LATER)
        assert money_of(project, alice) == (PAY, PAY, ["approved"])
        assert not Consensus.objects.filter(task=task).exists()

    assert overturn(annotations=[annotation], reason="It was right.", by="staff:rita", at=LATER) == Decided(1, 0)

    assert money_of(project, alice) == (PAY, PAY, ["approved"])
    assert Consensus.objects.get(task=task).annotations == 1
    task.refresh_from_db()
    assert (task.status, task.open) == ("done", False)
    event = AuditEvent.objects.filter(verb="annotation.overturned").latest("pk")
    assert (event.actor, event.reason) == ("staff:rita", "It was right.")
    assert overturn(annotations=[annotation], reason="Once more.", by=DORA, at=LATER) == Decided(0, 1)
    check(project)


def test_nothing_is_overturned_against_a_worker(alice: Worker) -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 1)
    annotation = answered(project, alice)
    approve(annotations=[annotation], by=DORA, at=LATER)
    with pytest.raises(Invalid):
        overturn(annotations=[annotation], decision=Decision.REJECTED, reason=WHY, by=DORA, at=LATER)
    soft = Decision.SOFTLY_REJECTED
    assert overturn(annotations=[annotation], decision=soft, reason=WHY, by=DORA, at=LATER) == Decided(0, 1)
    assert Approval.objects.get().decision == Decision.APPROVED


# Tools that pay a bonus --------------------------------------------------------------------------------------------


def test_a_tool_with_a_bonus_acts_on_each_decision_and_undoes_it_if_it_fails(
    alice: Worker, bob: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, str, str]] = []

    def decided(annotation: Annotation, approval: Approval, at: datetime) -> None:
        calls.append((annotation.pk, approval.decision, annotation.project.slug))
        if annotation.worker == bob:
            raise RuntimeError("no")

    pay_bonuses(monkeypatch, then=decided)
    project = make_project(base_pay=PAY)
    post_many(project, 2)
    first, second = answered(project, alice), answered(project, bob)
    refuse(first)
    overturn(annotations=[first], reason="It was right.", by=DORA, at=LATER)
    assert calls == [(first.pk, "rejected", project.slug), (first.pk, "approved", project.slug)]
    with pytest.raises(RuntimeError):
        approve(annotations=[second], by=DORA, at=LATER)
    assert money_of(project, bob)[2] == ["owed"]
    assert Approval.objects.count() == 1


@pytest.mark.parametrize(("bonus", "budget"), [(None, PAY), (PAY, 2 * PAY)])
def test_an_overturned_rejection_needs_room_for_its_pay_and_its_bonus(
    bonus: Decimal | None, budget: Decimal, alice: Worker, bob: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    if bonus:
        pay_bonuses(monkeypatch, bonus)
    project = make_project(base_pay=PAY, budget=budget)
    post_many(project, 1)
    annotation = answered(project, alice)
    refuse(annotation)
    if bonus:
        Project.objects.filter(pk=project.pk).update(budget=PAY)
    else:
        claim(project, bob)  # The money is promised to another since.
    with pytest.raises(OverBudget):
        overturn(annotations=[annotation], reason="It was right.", by=DORA, at=LATER)
    assert money_of(project, alice) == (Decimal(0), Decimal(0), ["rejected"])
    assert Approval.objects.get().decision == Decision.REJECTED


# By the clock ------------------------------------------------------------------------------------------------------


def test_work_that_waited_long_enough_is_approved(alice: Worker) -> None:
    project, never = make_project(base_pay=PAY, approve_after_s=3600), make_project(approve_after_s=None)
    for one in (project, never):
        post_many(one, 1)
        answered(one, alice)
    part = {"kind": LedgerEntry.Kind.PARTIAL, "reason": "partial:session:x", "amount": PAY, "currency": "USD"}
    owe(worker=alice, at=NOON, account=project.slug, **part)  # type: ignore[arg-type]

    assert approve_overdue(at=NOON + timedelta(seconds=3599)) == 0
    assert approve_overdue(at=NOON + timedelta(seconds=3600)) == 1
    assert list(LedgerEntry.objects.filter(account=project.slug).values_list("state", flat=True)) == ["approved"] * 2
    assert approve_overdue(at=NOON + timedelta(days=9)) == 0

    approval = Approval.objects.get()
    assert (approval.annotation.project, approval.by, approval.decision) == (project, RULE, "approved")
    assert set(alice.ledger.filter(account=project.slug).values_list("state", flat=True)) == {"approved"}
    assert not AuditEvent.objects.filter(actor=RULE).exists(), "the approvals say it"


def test_a_sweep_is_bounded_and_one_that_fails_holds_up_no_other(
    alice: Worker, bob: Worker, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decided(annotation: Annotation, approval: Approval, at: datetime) -> None:
        if annotation.worker == alice:
            raise RuntimeError("no")

    pay_bonuses(monkeypatch, then=decided)
    project = make_project(base_pay=PAY)
    post_many(project, 4)
    answered(project, alice)
    for _ in range(3):
        answered(project, bob)
    late = NOON + timedelta(days=4)
    assert approve_overdue(at=late, limit=2) == 1
    assert approve_overdue(at=late) == 2
    assert Annotation.objects.undecided().get().worker == alice
    assert "annotation.not_approved" in caplog.text


def test_a_project_that_waits_for_nobody_approves_at_once(alice: Worker) -> None:
    project = make_project(base_pay=PAY, approve_after_s=0)
    post_many(project, 1)
    answered(project, alice)
    assert money_of(project, alice) == (PAY, PAY, ["approved"])
    assert Approval.objects.get().by == RULE


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_waiting_work_is_found_by_the_small_index() -> None:
    plan = Annotation.objects.undecided().filter(project=make_project()).order_by("submitted_at", "pk").explain()
    assert "annotation_undecided" in plan


def answers_read_by(decide: Callable[[], object]) -> int:
    """The number of queries that read answers, which may be large; renewing a consensus reads those of its task."""
    with CaptureQueriesContext(connection) as queries:
        decide()
    return sum('"annotation_annotation"."answer"' in query["sql"].partition(" FROM ")[0] for query in queries)


def test_decisions_read_answers_for_the_consensus_alone(alice: Worker) -> None:
    project = make_project()
    post_many(project, 2)
    one, other = answered(project, alice), answered(project, alice)
    assert answers_read_by(lambda: refuse(one)) == 1
    assert answers_read_by(lambda: overturn(annotations=[one], reason="yes", by="x", at=NOON)) == 1
    assert answers_read_by(lambda: approve_overdue(at=NOON + timedelta(days=4))) == 0
    assert answers_read_by(lambda: approve(annotations=[one, other], by="x", at=NOON)) == 0
    assert not Annotation.objects.undecided().exists()


# What the worker is told -------------------------------------------------------------------------------------------


def test_a_worker_reads_the_decisions_against_them_newest_first(
    alice: Worker, bob: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 4)
    mine = [answered(project, alice) for _ in range(3)]
    theirs = answered(project, bob)
    approve(annotations=[mine[0]], by=DORA, at=LATER)
    refuse(mine[1], theirs)
    reject(annotations=[mine[2]], reason="Cut off.", is_soft=True, by=DORA, at=LATER + timedelta(hours=1))
    told = decisions_for(make_enrolment(project, alice))
    assert [(one["annotation"], one["decision"], one["reason"], one["paid"]) for one in told] == [
        (mine[2].public_id, "softly_rejected", "Cut off.", True),
        (mine[1].public_id, "rejected", WHY, False),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(approvals, "MOST_TOLD", 1)
        assert decisions_for(make_enrolment(project, alice)) == told[:1]
    overturn(annotations=[mine[1]], reason="It was right.", by=DORA, at=LATER)
    assert len(decisions_for(make_enrolment(project, alice))) == 1


def test_an_erasure_removes_the_reasons_written_about_the_worker(alice: Worker, bob: Worker) -> None:
    project = make_project(base_pay=PAY)
    post_many(project, 2)
    for worker in (alice, bob):
        annotation = answered(project, worker)
        reject(annotations=[annotation], reason=f"{worker.external_id} wrote to us.", is_soft=False, by=DORA, at=LATER)
    request_erasure(worker=alice, by=DORA, at=LATER)
    for pk in list(Job.objects.unfinished().values_list("pk", flat=True)):
        Job.objects.filter(pk=pk).update(due_at=NOON.replace(year=2020))
        assert outbox.run(pk)
    assert list(Approval.objects.order_by("pk").values_list("reason", flat=True)) == [REMOVED, "bob wrote to us."]
    assert list(LedgerEntry.objects.order_by("pk").values_list("note", flat=True)) == [REMOVED, "bob wrote to us."]
    assert not AuditEvent.objects.filter(reason__contains="alice").exists()
