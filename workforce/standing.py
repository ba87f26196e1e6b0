"""Finding workers, and blocking or unblocking them: always a person's act, with a reason, on record."""

from datetime import datetime

from django.db import transaction

from audit.log import Subject, record
from common.errors import Invalid
from workforce.models import Worker

DIRECT = "direct"
"""The platform of workers whom a pipeline invites by link."""


def worker_on(platform: str, external_id: str, *, at: datetime, is_simulated: bool = False) -> Worker:
    """The worker with this id on this platform, made if new."""
    worker, _ = Worker.objects.get_or_create(
        platform=platform, external_id=external_id, defaults={"created_at": at, "is_simulated": is_simulated}
    )
    return worker


def subject_of(worker: Worker) -> Subject:
    """The worker as the audit log names them: by id, for names are erased on request."""
    return Subject("worker", str(worker.pk))


def block(*, worker: Worker, reason: str, by: str, at: datetime) -> None:
    """Stop the worker from claiming more. What they hold may still be handed in, and is paid."""
    if not reason.strip():
        raise Invalid.at("#/reason", "A block needs a reason that a person can read.")
    with transaction.atomic():
        changed = (
            Worker.objects.active().filter(pk=worker.pk).update(status=Worker.Status.BLOCKED, blocked_reason=reason)
        )
        if changed:
            record(verb="worker.blocked", actor=by, subject=subject_of(worker), reason=reason, at=at)


def unblock(*, worker: Worker, by: str, at: datetime) -> None:
    """Let the worker claim again; a repeat changes nothing."""
    with transaction.atomic():
        changed = Worker.objects.filter(pk=worker.pk, status=Worker.Status.BLOCKED).update(
            status=Worker.Status.ACTIVE, blocked_reason=""
        )
        if changed:
            record(verb="worker.unblocked", actor=by, subject=subject_of(worker), at=at)
