"""Finding workers, blocking and unblocking them, and weighting their answers: always a person's act, in the audit
log."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from audit.changes import changes
from audit.log import Subject, record
from jobs.outbox import enqueue
from lib.faults import Invalid
from workforce.models import Worker

DIRECT = "direct"
"""The platform of workers whom a pipeline invites by link."""
REWEIGH = "annotation.reweigh"
"""The kind of job that renews the tasks of a worker whose weighting has changed; the app with the tasks handles it."""


def worker_on(platform: str, external_id: str, *, at: datetime, is_simulated: bool = False) -> Worker:
    """The worker with this id on this platform; created if new."""
    worker, _ = Worker.objects.get_or_create(
        platform=platform, external_id=external_id, defaults={"created_at": at, "is_simulated": is_simulated}
    )
    return worker


def workers_on(names: Collection[str], *, at: datetime) -> dict[str, Worker]:
    """The workers called `platform:external_id`, by these names; new ones are created. At most 3 queries."""
    parted = [name.split(":", 1) for name in names]
    wanted = [Worker(platform=platform, external_id=rest, created_at=at) for platform, rest in parted]
    found = _named(wanted)
    fresh = [worker for worker in wanted if worker.identity not in found]
    if fresh:
        # Somebody may make one of them meanwhile.
        Worker.objects.bulk_create(fresh, ignore_conflicts=True)
        found |= _named(fresh)
    return found


def _named(wanted: Sequence[Worker]) -> dict[str, Worker]:
    by_platform: dict[str, list[str]] = {}
    for worker in wanted:
        by_platform.setdefault(worker.platform, []).append(worker.external_id)
    any_of = Q(pk__in=[])
    for platform, ids in by_platform.items():
        any_of |= Q(platform=platform, external_id__in=ids)
    return {worker.identity: worker for worker in Worker.objects.filter(any_of)} if wanted else {}


def subject_of(worker: Worker) -> Subject:
    """The worker as the audit log names them: by id, because names are erased on request."""
    return Subject("worker", str(worker.pk))


def block(*, worker: Worker, reason: str, by: str, at: datetime, weighting: Worker.Weighting | None = None) -> None:
    """Stop the worker from claiming more. Tasks that they hold may still be handed in, and are paid.

    Args:
        weighting: The new weighting of their answers, also if they are blocked already; None: it stays as it is.

    Raises:
        Invalid: there is no reason.
    """
    if not reason.strip():
        raise Invalid.at("#/reason", "A block needs a reason that a person can read.")
    with transaction.atomic():
        changed = (
            Worker.objects.active().filter(pk=worker.pk).update(status=Worker.Status.BLOCKED, blocked_reason=reason)
        )
        if changed:
            # An active worker has no such reason, as the database checks.
            differing = changes(_standing(Worker.Status.ACTIVE, ""), _standing(Worker.Status.BLOCKED, reason))
            record(verb="worker.blocked", actor=by, subject=subject_of(worker), reason=reason, at=at, **differing)
        if weighting is not None:
            set_weighting(worker=worker, weighting=weighting, by=by, at=at, reason=reason)


def unblock(*, worker: Worker, by: str, at: datetime) -> None:
    """Let the worker claim again, with the full weight of their answers; a repeat changes nothing."""
    with transaction.atomic():
        blocked = Worker.objects.filter(pk=worker.pk, status=Worker.Status.BLOCKED)
        reason = blocked.select_for_update().values_list("blocked_reason", flat=True).first()
        if reason is not None and blocked.update(status=Worker.Status.ACTIVE, blocked_reason=""):
            differing = changes(_standing(Worker.Status.BLOCKED, reason), _standing(Worker.Status.ACTIVE, ""))
            record(verb="worker.unblocked", actor=by, subject=subject_of(worker), at=at, **differing)
            set_weighting(worker=worker, weighting=Worker.Weighting.FULL, by=by, at=at)


def _standing(status: Worker.Status, reason: str) -> dict[str, str]:
    """The columns that a block changes, for the audit log."""
    return {"status": status.value, "blocked_reason": reason}


def set_weighting(*, worker: Worker, weighting: Worker.Weighting, by: str, at: datetime, reason: str = "") -> None:
    """Set the weight of the worker's answers in every consensus, past and future; a repeat changes nothing.

    Their pay and their annotations stay. A background job renews the tasks.
    """
    with transaction.atomic():
        before = Worker.objects.select_for_update().values_list("weighting", flat=True).get(pk=worker.pk)
        if before == weighting:
            return
        Worker.objects.filter(pk=worker.pk).update(weighting=weighting)
        record(
            verb="worker.weighting",
            actor=by,
            subject=subject_of(worker),
            reason=reason,
            at=at,
            weighting=weighting.value,
            **changes({"weighting": before}, {"weighting": weighting.value}),
        )
        enqueue(REWEIGH, str(worker.pk), unique_key=f"{REWEIGH}@{worker.pk}")
