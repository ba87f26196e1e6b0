"""Decisions on submitted answers: approved, rejected, or softly rejected; by a person, or by the rule of the project.

Approved work is paid. Rejected work is not: its base pay is withheld and returns to the budget. Softly rejected work is
paid all the same. After both kinds of rejection the answers no longer count: the consensus is computed again without
them, and their slots are free again. Answers to references are decided on like all others, so that a decision does not
give a reference away.

A decision is made once. The same decision again changes nothing; another decision is refused, with the name of the one
who decided first. Afterwards a decision may only be overturned in favour of the worker: rejected work becomes paid, and
approved work counts again.

Locks: the projects first, in the order of their ids; then enrolments, then tasks. Tools that pay a bonus act within.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any, ClassVar, Final, NamedTuple, TypedDict

from django.db import transaction

from annotation.consensus.consensus import ask_for_fit, renew
from annotation.models import Annotation, Approval, Enrolment, Method, Project
from annotation.pay import budget
from annotation.tool_registry import Bonus, tool_named
from audit.changes import changes
from audit.log import record
from lib.faults import Conflict, Invalid
from workforce import ledger
from workforce.models import LedgerEntry

logger = logging.getLogger(__name__)

Decision = Approval.Decision
RULE: Final = "rule:approve_after"
"""The actor of decisions that the rule makes because no person decided in time."""
MOST_AT_ONCE = 1000
MOST_REASON = 2000
"""The most characters of a reason."""
MOST_TOLD = 20
"""The number of decisions against a worker that the worker's page shows, the newest ones."""
BATCH = 200
"""The number of tasks whose consensus is renewed together."""
RANK = {Decision.REJECTED: 0, Decision.SOFTLY_REJECTED: 1, Decision.APPROVED: 2}
"""The decisions from the worst for a worker to the best."""
WORDS = {
    Decision.APPROVED: "approved",
    Decision.REJECTED: "rejected",
    Decision.SOFTLY_REJECTED: "paid, but not counted",
}


class AlreadyDecided(Conflict):
    """Another decision was made before."""

    code: ClassVar[str] = "already_decided"
    sentence = "{by} was there before and decided otherwise on {count} of these: {decision}. Nothing was changed."


class Superseded(Conflict):
    """Workers have corrected some of these answers since they were read."""

    code: ClassVar[str] = "superseded"
    sentence = "{count} of these were corrected by their workers. Look at the newest answers. Nothing was changed."


class Decided(NamedTuple):
    """The number of answers that this call decided, and of those that had the same decision before."""

    decided: int = 0
    unchanged: int = 0


class DecisionAgainst(TypedDict):
    """A decision against a worker, as the worker's page shows it."""

    annotation: str
    decision: str
    reason: str
    at: datetime
    paid: bool


class _Undecided(NamedTuple):
    """Answers with the same earlier decision, or none, and what the audit log shows of them as they are before the act:
    that decision, and their pay, added up by the state of its entries.
    """

    rows: list[Annotation]
    before: dict[str, Any]


# Deciding --------------------------------------------------------------------------------------------------------


def approve(*, annotations: Iterable[Annotation], by: str, at: datetime) -> Decided:
    """Approve these answers, so that they are paid.

    Raises:
        AlreadyDecided: one of them was rejected before; nothing is changed.
    """
    return _decide(annotations, Decision.APPROVED, reason="", by=by, at=at)


def reject(*, annotations: Iterable[Annotation], reason: str, is_soft: bool, by: str, at: datetime) -> Decided:
    """Reject these answers: they no longer count, and unless the rejection is soft they are not paid.

    Raises:
        Invalid: there is no reason.
        AlreadyDecided: one of them was decided on otherwise before; nothing is changed.
    """
    decision = Decision.SOFTLY_REJECTED if is_soft else Decision.REJECTED
    return _decide(annotations, decision, reason=_checked(reason), by=by, at=at)


def overturn(
    *, annotations: Iterable[Annotation], decision: Decision = Decision.APPROVED, reason: str, by: str, at: datetime
) -> Decided:
    """Change decisions in favour of the workers: approved work is paid and counts again, softly rejected work is only
    paid.

    Answers that have this decision or a better one stay as they are, and so do answers without a decision.

    Raises:
        Invalid: there is no reason, or the decision would be better for no worker.
        OverBudget: the project has no room for the cost.
    """
    if decision == Decision.REJECTED:
        raise Invalid.at("#/decision", "A decision is only ever changed in favour of the worker.")
    reason = _checked(reason)
    with transaction.atomic():
        found = _locked(annotations)
        earlier = _earlier(found)
        worse = [
            one for one in found if one.pk in earlier and RANK[Decision(earlier[one.pk].decision)] < RANK[decision]
        ]
        kept = _kept(worse, earlier, by=by)
        for project, theirs in _by_project(worse):
            _pay_again(project, [one for one in theirs if earlier[one.pk].decision == Decision.REJECTED], by=by, at=at)
        changed = []
        for one in worse:
            approval = earlier[one.pk]
            approval.decision, approval.reason, approval.by, approval.at = decision, reason, by, at
            changed.append(approval)
        Approval.objects.bulk_update(changed, ["decision", "reason", "by", "at"])
        if decision == Decision.APPROVED:
            Annotation.objects.filter(pk__in=[one.pk for one in worse]).update(is_dropped=False)
            _count_again(worse, at=at)
        _call_tools(worse, {one.annotation_id: one for one in changed}, at=at)
        _note("annotation.overturned", kept, decision, reason=reason, by=by, at=at)
    return Decided(len(worse), len(found) - len(worse))


def approve_at_once(annotation: Annotation, *, at: datetime) -> None:
    """Approve an answer in the transaction that hands it in, where the project waits for no person."""
    approve(annotations=[annotation], by=RULE, at=at)


def _decide(annotations: Iterable[Annotation], decision: Decision, *, reason: str, by: str, at: datetime) -> Decided:
    with transaction.atomic():
        found = _locked(annotations)
        earlier = _earlier(found)
        contrary = [one for one in earlier.values() if one.decision != decision]
        if contrary:
            raise AlreadyDecided(count=len(contrary), by=contrary[0].by, decision=WORDS[Decision(contrary[0].decision)])
        fresh = [one for one in found if one.pk not in earlier]
        kept = _kept(fresh, {}, by=by)
        rows = [Approval(annotation=one, decision=decision, reason=reason, by=by, at=at) for one in fresh]
        made = {row.annotation_id: row for row in Approval.objects.bulk_create(rows)}
        drops = decision != Decision.APPROVED
        Annotation.objects.filter(pk__in=list(made)).update(is_decided=True, is_dropped=drops)
        for project, theirs in _by_project(fresh):
            if decision == Decision.REJECTED:
                _withhold(project, theirs, reason=reason, by=by, at=at)
            else:
                ledger.move(budget.base_entries(theirs), to=ledger.State.APPROVED, by=by, at=at)
        if drops:
            _count_again(fresh, at=at)
        _call_tools(fresh, made, at=at)
        _note(f"annotation.{decision.value}", kept, decision, reason=reason, by=by, at=at)
    return Decided(len(fresh), len(found) - len(fresh))


def _checked(reason: str) -> str:
    # NUL is no text in PostgreSQL.
    text = reason.replace("\0", "").strip()
    if not text:
        raise Invalid.at("#/reason", "Say why; the worker is told.")
    if len(text) > MOST_REASON:
        raise Invalid.at("#/reason", f"Use at most {MOST_REASON} characters.")
    return text


def _locked(annotations: Iterable[Annotation]) -> list[Annotation]:
    """The answers as they are now, project after project, with the projects locked. 2 queries.

    Payloads and answers, which may be large, are not read before they are used.

    Raises:
        Superseded: a worker has corrected one of them.
    """
    wanted = list(annotations)
    if len(wanted) > MOST_AT_ONCE:
        raise Invalid(f"At most {MOST_AT_ONCE:,} at once.")
    theirs = Project.objects.select_for_update().filter(pk__in={one.project_id for one in wanted}).order_by("pk")
    projects = {project.pk: project for project in theirs}
    rows = Annotation.objects.filter(pk__in={one.pk for one in wanted}).order_by("project_id", "number")
    found = list(rows.select_related("task", "worker").defer("answer", "task__payload"))
    if superseded := sum(one.superseded_by_id is not None for one in found):
        raise Superseded(count=superseded)
    for one in found:
        # One for all of them: with each comes all that it shows its workers.
        one.project = projects[one.project_id]
    return found


def _earlier(found: Sequence[Annotation]) -> dict[int, Approval]:
    """The earlier decisions on these answers, by the id of the annotation. 1 query."""
    return {one.annotation_id: one for one in Approval.objects.filter(annotation__in=[row.pk for row in found])}


def _by_project(rows: Sequence[Annotation]) -> Iterator[tuple[Project, list[Annotation]]]:
    for _, group in groupby(rows, key=lambda row: row.project_id):
        theirs = list(group)
        yield theirs[0].project, theirs


def _withhold(project: Project, rows: Sequence[Annotation], *, reason: str, by: str, at: datetime) -> None:
    """Take back amounts that are owed and not approved yet, from the workers' sums and from the project's spending."""
    owed = budget.base_entries(rows).filter(state=LedgerEntry.State.OWED)
    sums = budget.by_worker(owed.select_for_update().order_by("pk").values_list("worker_id", "amount"))
    ledger.move(owed, to=ledger.State.REJECTED, by=by, at=at, note=reason)
    budget.charge(project, {worker: -amount for worker, amount in sums.items()})


def _pay_again(project: Project, rows: Sequence[Annotation], *, by: str, at: datetime) -> None:
    """Owe amounts again that were withheld.

    Raises:
        OverBudget: the project has promised the money to others since.
    """
    withheld = budget.base_entries(rows).filter(state=LedgerEntry.State.REJECTED)
    sums = budget.by_worker(withheld.select_for_update().order_by("pk").values_list("worker_id", "amount"))
    bonus = sum(budget.expected_bonuses(project, rows).values(), Decimal(0))
    needed = sum(sums.values(), Decimal(0)) + bonus
    room = budget.room(project) if needed else None
    if room is not None and needed > room:
        raise budget.OverBudget(needed=f"{needed:.2f}", currency=project.currency)
    ledger.move(withheld, to=ledger.State.APPROVED, by=by, at=at)
    budget.charge(project, sums)


def _count_again(rows: Sequence[Annotation], *, at: datetime) -> None:
    """Renew the consensus and the free slots of the tasks from the answers that count now."""
    for project, theirs in _by_project(rows):
        tasks = sorted({one.task_id for one in theirs if not one.task.is_reference})
        for start in range(0, len(tasks), BATCH):
            renew(project_id=project.pk, tasks=tasks[start : start + BATCH], at=at, count_slots=True)
        if project.consensus_method != Method.MAJORITY:
            ask_for_fit(project=project)


def _kept(rows: Sequence[Annotation], earlier: Mapping[int, Approval], *, by: str) -> list[_Undecided]:
    """The answers that an act is about to decide on, by project and earlier decision. 1 query for each of these."""
    if by == RULE:
        # Decisions of the rule stand in the approvals alone.
        return []
    groups: dict[tuple[int, str], list[Annotation]] = {}
    for one in rows:
        decision = earlier[one.pk].decision if one.pk in earlier else ""
        groups.setdefault((one.project_id, decision), []).append(one)
    return [
        _Undecided(theirs, ({"decision": decision} if decision else {}) | {"pay": budget.sums_by_state(theirs)})
        for (_, decision), theirs in groups.items()
    ]


def _note(verb: str, kept: Sequence[_Undecided], decision: Decision, *, reason: str, by: str, at: datetime) -> None:
    """Write a line in the audit log for each project and earlier decision, once everything has been paid. 1 query each,
    and those of the log.
    """
    for rows, before in kept:
        project = rows[0].project
        after = {"decision": decision.value, "pay": budget.sums_by_state(rows)}
        record(
            verb=verb,
            actor=by,
            subject=project.audit_subject,
            at=at,
            project=project.slug,
            reason=reason,
            decision=decision.value,
            annotations=[one.public_id for one in rows],
            **changes(before, after),
        )


def _call_tools(rows: Sequence[Annotation], approvals: dict[int, Approval], *, at: datetime) -> None:
    """Let the tools that pay a bonus act on the decisions."""
    for project, theirs in _by_project(rows):
        tool = tool_named(project.tool)
        if isinstance(tool, Bonus):
            for one in theirs:
                tool.decided(one, approvals[one.pk], at=at)


# By the clock ----------------------------------------------------------------------------------------------------


def approve_overdue(*, at: datetime, limit: int = MOST_AT_ONCE) -> int:
    """Approve answers that have waited for as long as their project says, oldest first; return their number.

    Amounts that are owed for work which was never handed in are approved too; no decision can be made on these.

    Costs: 2 queries for each project in which nothing waits.
    """
    approved = 0
    for project in Project.objects.exclude(approve_after_s=None).only("slug", "approve_after_s").order_by("pk"):
        before = at - timedelta(seconds=project.approve_after_s or 0)
        waiting = Annotation.objects.undecided().filter(project=project, submitted_at__lte=before)
        for one in list(waiting.only("project").order_by("submitted_at", "pk")[: limit - approved]):
            approved += _approve_alone(one, at=at)
        partly = LedgerEntry.objects.filter(account=project.slug, kind__in=ledger.OF_NO_ANSWER, at__lte=before)
        ledger.move(partly.filter(state=LedgerEntry.State.OWED), to=ledger.State.APPROVED, by=RULE, at=at)
    return approved


def _approve_alone(annotation: Annotation, *, at: datetime) -> int:
    """Approve one answer in its own transaction, so that an error with one keeps no other from being paid."""
    try:
        return approve(annotations=[annotation], by=RULE, at=at).decided
    except (AlreadyDecided, Superseded):
        # A person was quicker, or the worker, whose newest answer is the next to wait.
        return 0
    except Exception:
        logger.exception("annotation.not_approved", extra={"annotation": annotation.pk})
        return 0


# What the worker is told -----------------------------------------------------------------------------------------


def decisions_for(enrolment: Enrolment) -> list[DecisionAgainst]:
    """The newest decisions against the worker in this project. 1 query, by an index of dropped answers alone."""
    rows = Approval.objects.exclude(decision=Decision.APPROVED).filter(
        annotation__worker=enrolment.worker_id, annotation__project=enrolment.project_id, annotation__is_dropped=True
    )
    return [
        DecisionAgainst(
            annotation=row.annotation.public_id,
            decision=row.decision,
            reason=row.reason,
            at=row.at,
            paid=row.decision == Decision.SOFTLY_REJECTED,
        )
        for row in rows.select_related("annotation").order_by("-at", "-pk")[:MOST_TOLD]
    ]
