"""The data that this app keeps of workers: erasing it, exporting it to them, removing old texts."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from annotation.models import (
    Adjudication,
    Annotation,
    Approval,
    Arrival,
    Assignment,
    Enrolment,
    Finding,
    FlaggedText,
    GateAction,
    WorkToken,
)
from annotation.tool_registry import FreeText, all_tools
from annotation.work.leases import release
from common.data.values import money
from common.redaction import REMOVED, Mentions
from workforce import privacy as persons
from workforce.models import Worker
from workforce.privacy import Holdings, OldText, Person

M = TypeVar("M", bound=Model)
_BATCH = 1000


# Erasing -----------------------------------------------------------------------------------------------------


def end_access(worker: Worker, at: datetime) -> None:
    """End the worker's links now, and release the tasks that they hold."""
    WorkToken.objects.filter(enrolment__worker=worker, expires_at__gt=at).update(expires_at=at)
    for held in Assignment.objects.held().filter(worker=worker).order_by("pk"):
        release(assignment=held, at=at)


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Erase links, drafts, and every text by or about the person; answers and sums stay, without a name."""
    worker = person.worker
    end_access(worker, at)
    mine = Assignment.objects.filter(worker=worker)
    gates = GateAction.objects.filter(enrolment__worker=worker)
    flagged = Q(assignment__worker=worker) | Q(gate_action__enrolment__worker=worker) | Q(attempt__worker=worker)
    removed = {
        "flagged_texts": FlaggedText.objects.filter(flagged).delete()[0],
        "links": WorkToken.objects.filter(enrolment__worker=worker).delete()[0],
        "arrivals": Arrival.objects.filter(worker=worker).delete()[0],
        "drafts": mine.filter(draft__isnull=False).update(draft=None),
        "reports": mine.exclude(problem_text="").update(problem_text=""),
        "appeals": gates.exclude(appeal="").update(appeal=REMOVED),
        "decisions": gates.exclude(decision_reason="").update(decision_reason=REMOVED)
        + Approval.objects.filter(annotation__worker=worker).exclude(reason="").update(reason=REMOVED),
        "reviewers_texts": sum(
            _clean(rows, field, person.mentions)
            for rows, field in (
                (Adjudication.objects.all(), "reason"),
                (Adjudication.objects.all(), "second_reason"),
                (Finding.objects.all(), "note"),
                (Approval.objects.all(), "reason"),
            )
        ),
    }
    for tool in all_tools():
        if isinstance(tool, FreeText):
            removed |= tool.erase(person)
    return removed


def _clean(rows: QuerySet[M], field: str, mentions: Mentions) -> int:
    """Take the names out of texts that others wrote, on any task; return the number of texts. Costs: reads the table
    once."""
    named = Q()
    for word in mentions.words:
        named |= Q(**{f"{field}__icontains": word})
    found = [(pk, text) for pk, text in rows.filter(named).values_list("pk", field) if mentions.within(text)]
    for pk, text in found:
        rows.filter(pk=pk).update(**{field: mentions.without(text)})
    return len(found)


# Exporting ---------------------------------------------------------------------------------------------------


def export_projects(worker: Worker) -> list[dict[str, Any]]:
    """The projects in which the worker has worked, with sums."""
    rows = Enrolment.objects.filter(worker=worker).select_related("project").order_by("pk")
    return [
        {
            "project": enrolment.project.slug,
            "title": enrolment.project.title,
            "since": enrolment.created_at,
            "submitted": enrolment.submitted,
            "earned": money(enrolment.earned, enrolment.project.currency),
        }
        for enrolment in rows
    ]


def export_assignments(worker: Worker) -> list[dict[str, Any]]:
    """Every task that the worker held. The task's own key is left out, because it may show what the task is."""
    rows = Assignment.objects.filter(worker=worker).select_related("task__project").order_by("pk")
    return [
        {
            "assignment": held.public_id,
            "project": held.task.project.slug,
            "status": held.status,
            "claimed_at": held.claimed_at,
            "closed_at": held.closed_at,
            "draft": held.draft,
            "problem": held.problem,
            "text": held.problem_text,
        }
        for held in rows.iterator(chunk_size=1000)
    ]


def export_annotations(worker: Worker) -> list[dict[str, Any]]:
    """The worker's answers; not which of them were checks, nor how they compare with others."""
    rows = (
        Annotation.objects.filter(worker=worker)
        .select_related("project", "assignment", "instruction_version", "superseded_by")
        .order_by("pk")
    )
    return [
        {
            "annotation": annotation.public_id,
            "assignment": annotation.assignment.public_id if annotation.assignment else None,
            "project": annotation.project.slug,
            "answer": annotation.answer,
            "claimed_at": annotation.claimed_at,
            "submitted_at": annotation.submitted_at,
            "active_s": annotation.active_s,
            "superseded_by": annotation.superseded_by.public_id if annotation.superseded_by else None,
            "instructions_version": annotation.instruction_version.number if annotation.instruction_version else None,
        }
        for annotation in rows.iterator(chunk_size=1000)
    ]


def export_pauses(worker: Worker) -> list[dict[str, Any]]:
    """Warnings and pauses with their appeals and decisions; not the evidence, which names checks."""
    rows = GateAction.objects.filter(enrolment__worker=worker).select_related("enrolment__project").order_by("pk")
    return [
        {
            "project": action.enrolment.project.slug,
            "action": action.action,
            "at": action.at,
            "appeal": action.appeal,
            "appealed_at": action.appealed_at,
            "decision": action.decision,
            "decided_at": action.decided_at,
            "decision_reason": action.decision_reason,
            "lifted_at": action.lifted_at,
        }
        for action in rows
    ]


def export_decisions(worker: Worker) -> list[dict[str, Any]]:
    """The decisions on the worker's answers with their reasons; not who of the staff decided."""
    rows = Approval.objects.filter(annotation__worker=worker).select_related("annotation").order_by("pk")
    return [
        {"answer": row.annotation.public_id, "decision": row.decision, "reason": row.reason, "at": row.at}
        for row in rows
    ]


# Removing old texts ------------------------------------------------------------------------------------------


def old_reports(before: datetime) -> QuerySet[Assignment]:
    """Assignments that were closed before that time and still have the text of a report."""
    return Assignment.objects.filter(closed_at__lt=before).exclude(problem_text="")


def old_drafts(before: datetime) -> QuerySet[Assignment]:
    """Assignments that were closed before that time and still have a draft."""
    return Assignment.objects.filter(closed_at__lt=before, draft__isnull=False)


def old_appeals(before: datetime) -> QuerySet[GateAction]:
    """Pauses that were appealed against before that time and still have the text."""
    return GateAction.objects.filter(appealed_at__lt=before).exclude(appeal=REMOVED)


def remove_reports(before: datetime) -> int:
    """Remove these texts; return their number."""
    return _in_batches(old_reports(before), lambda rows: rows.update(problem_text=""), flagged="assignment")


def remove_drafts(before: datetime) -> int:
    """Remove these drafts; return their number."""
    return _in_batches(old_drafts(before), lambda rows: rows.update(draft=None))


def remove_appeals(before: datetime) -> int:
    """Remove these texts; return their number."""
    return _in_batches(old_appeals(before), lambda rows: rows.update(appeal=REMOVED), flagged="gate_action")


def _in_batches(rows: QuerySet[M], change: Callable[[QuerySet[M]], int], *, flagged: str = "") -> int:
    """Change all of these rows, a batch in each transaction so that no other waits long for the lock; return their
    number."""
    changed = 0
    while batch := list(rows.order_by("pk").values_list("pk", flat=True)[:_BATCH]):
        with transaction.atomic():
            if flagged:
                FlaggedText.objects.filter(**{f"{flagged}__in": batch}).delete()
            changed += change(rows.model._default_manager.filter(pk__in=batch))
    return changed


def unseen(workers: QuerySet[Worker], before: datetime) -> QuerySet[Worker]:
    """Those of the workers who claimed and closed no task since that time, hold none, and got no link."""
    here = {"worker": OuterRef("pk")}
    return workers.filter(
        ~Exists(Assignment.objects.filter(Q(claimed_at__gte=before) | Q(closed_at__gte=before), **here)),
        ~Exists(Assignment.objects.held().filter(**here)),
        ~Exists(WorkToken.objects.filter(enrolment__worker=OuterRef("pk"), created_at__gte=before)),
    )


def register() -> None:
    """Register this app's personal data. Called once, when the app is ready."""
    holdings = Holdings(
        erase=erase,
        on_erasure_requested=end_access,
        exports={
            "projects": export_projects,
            "assignments": export_assignments,
            "answers": export_annotations,
            "decisions": export_decisions,
            "warnings_and_pauses": export_pauses,
        },
        old_texts={
            "reports": OldText(old_reports, remove_reports),
            "drafts": OldText(old_drafts, remove_drafts),
            "appeals": OldText(old_appeals, remove_appeals),
        },
        unseen=unseen,
    )
    persons.register("annotation", holdings)
