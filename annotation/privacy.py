"""What this app keeps of workers: erasing it, telling them, letting it grow old."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from annotation.flagged_texts import look_at_answers
from annotation.leases import release
from annotation.models import (
    Adjudication,
    Annotation,
    Approval,
    Assignment,
    Enrolment,
    Finding,
    FlaggedText,
    GateAction,
    WorkToken,
)
from annotation.tools.parse import privacy as forms
from annotation.tools.voxels import privacy as scenes
from common.mentions import REMOVED, Mentions
from common.values import money
from workforce import privacy as persons
from workforce import retention
from workforce.models import Consent, Worker
from workforce.privacy import Person
from workforce.retention import OldText

M = TypeVar("M", bound=Model)
_BATCH = 1000


# Erasing -----------------------------------------------------------------------------------------------------


def token_digests(worker: Worker) -> set[str]:
    return set(WorkToken.objects.filter(enrolment__worker=worker).values_list("digest", flat=True))


def shut_out(worker: Worker, at: datetime) -> None:
    """End the worker's links now, and give back what they hold."""
    WorkToken.objects.filter(enrolment__worker=worker, expires_at__gt=at).update(expires_at=at)
    for held in Assignment.objects.held().filter(worker=worker).order_by("pk"):
        release(assignment=held, at=at)


def erase(person: Person, at: datetime) -> dict[str, int]:
    """Links, drafts, and every text by or about the person; answers and sums stay, without a name."""
    worker = person.worker
    shut_out(worker, at)
    mine = Assignment.objects.filter(worker=worker)
    gates = GateAction.objects.filter(enrolment__worker=worker)
    flagged = Q(assignment__worker=worker) | Q(gate_action__enrolment__worker=worker) | Q(attempt__worker=worker)
    return {
        "flagged_texts": FlaggedText.objects.filter(flagged).delete()[0],
        "links": WorkToken.objects.filter(enrolment__worker=worker).delete()[0],
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


def _clean(rows: QuerySet[M], field: str, mentions: Mentions) -> int:
    """Take the names out of what others wrote, on whichever task; how many texts. Costs: reads the table once."""
    named = Q()
    for word in mentions.words:
        named |= Q(**{f"{field}__icontains": word})
    found = [(pk, text) for pk, text in rows.filter(named).values_list("pk", field) if mentions.within(text)]
    for pk, text in found:
        rows.filter(pk=pk).update(**{field: mentions.without(text)})
    return len(found)


# Telling -----------------------------------------------------------------------------------------------------


def tell_projects(worker: Worker) -> list[dict[str, Any]]:
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


def tell_assignments(worker: Worker) -> list[dict[str, Any]]:
    """Every task that they held. The task's own key is left out, for it may tell what it is."""
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


def tell_annotations(worker: Worker) -> list[dict[str, Any]]:
    """Their answers; not which of them met a check, nor how they compare with others."""
    rows = Annotation.objects.filter(worker=worker).select_related("project", "assignment", "wording").order_by("pk")
    return [
        {
            "annotation": annotation.public_id,
            "assignment": annotation.assignment.public_id,
            "project": annotation.project.slug,
            "answer": annotation.answer,
            "claimed_at": annotation.claimed_at,
            "submitted_at": annotation.submitted_at,
            "active_s": annotation.active_s,
            "instructions_version": annotation.wording.number if annotation.wording else None,
        }
        for annotation in rows.iterator(chunk_size=1000)
    ]


def tell_pauses(worker: Worker) -> list[dict[str, Any]]:
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


def tell_decisions(worker: Worker) -> list[dict[str, Any]]:
    """What was decided on their answers, and why; not who of the staff decided."""
    rows = Approval.objects.filter(annotation__worker=worker).select_related("annotation").order_by("pk")
    return [
        {"answer": row.annotation.public_id, "decision": row.decision, "reason": row.reason, "at": row.at}
        for row in rows
    ]


# Growing old -------------------------------------------------------------------------------------------------


def old_reports(before: datetime) -> QuerySet[Assignment]:
    return Assignment.objects.filter(closed_at__lt=before).exclude(problem_text="")


def old_drafts(before: datetime) -> QuerySet[Assignment]:
    return Assignment.objects.filter(closed_at__lt=before, draft__isnull=False)


def old_appeals(before: datetime) -> QuerySet[GateAction]:
    return GateAction.objects.filter(appealed_at__lt=before).exclude(appeal=REMOVED)


def remove_reports(before: datetime) -> int:
    return _in_batches(old_reports(before), lambda rows: rows.update(problem_text=""), flagged="assignment")


def remove_drafts(before: datetime) -> int:
    return _in_batches(old_drafts(before), lambda rows: rows.update(draft=None))


def remove_appeals(before: datetime) -> int:
    return _in_batches(old_appeals(before), lambda rows: rows.update(appeal=REMOVED), flagged="gate_action")


def _in_batches(rows: QuerySet[M], change: Callable[[QuerySet[M]], int], *, flagged: str = "") -> int:
    """Change all of them, a batch a transaction, so that nobody waits long for the lock; how many."""
    changed = 0
    while batch := list(rows.order_by("pk").values_list("pk", flat=True)[:_BATCH]):
        with transaction.atomic():
            if flagged:
                FlaggedText.objects.filter(**{f"{flagged}__in": batch}).delete()
            changed += change(rows.model._default_manager.filter(pk__in=batch))
    return changed


def inactive_since(before: datetime) -> list[Worker]:
    """Persons who came in before that time and have not been seen since: no task, no link, no agreement."""
    here = {"worker": OuterRef("pk")}
    return list(
        Worker.objects.filter(created_at__lt=before, erasure=None, is_simulated=False)
        .filter(
            ~Exists(Assignment.objects.filter(Q(claimed_at__gte=before) | Q(closed_at__gte=before), **here)),
            ~Exists(Assignment.objects.held().filter(**here)),
            ~Exists(WorkToken.objects.filter(enrolment__worker=OuterRef("pk"), created_at__gte=before)),
            ~Exists(Consent.objects.filter(given_at__gte=before, **here)),
        )
        .order_by("pk")[:_BATCH]
    )


def register_all() -> None:
    """Called once, when the app is ready."""
    persons.register_eraser("annotation", erase, shut=shut_out, digests=token_digests)
    persons.register_eraser("forms", forms.erase)
    persons.register_eraser("scenes", scenes.erase)
    persons.register_reader(look_at_answers)
    persons.register_teller("projects", tell_projects)
    persons.register_teller("assignments", tell_assignments)
    persons.register_teller("answers", tell_annotations)
    persons.register_teller("decisions", tell_decisions)
    persons.register_teller("warnings_and_pauses", tell_pauses)
    retention.register_old_text("reports", OldText(old_reports, remove_reports))
    retention.register_old_text("drafts", OldText(old_drafts, remove_drafts))
    retention.register_old_text("appeals", OldText(old_appeals, remove_appeals))
    retention.register_inactive(inactive_since)
