"""The outbox of background work: writing jobs, running each exactly once, sending messages about overdue jobs again.

The row is the work; a message only says that row N is due. A lost message, a dead broker or a killed worker costs a
delay, never the work: `sweep` sends messages about overdue jobs again, and the lease lets exactly one runner finish.
A full disk or a missing file of the server's own costs a delay too (`Job.held_since`).
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.module_loading import import_string

from common.server_faults import has_room, is_own_fault
from jobs import health, identity
from jobs.models import Heartbeat, Job
from lib.faults import ServerFault

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=2)
"""How long a runner holds a job without reporting; `Running.report` renews the lease."""
RESEND = timedelta(seconds=30)
"""How long the sweep waits for a message to take effect before it sends another."""
AT_ONCE = 100
"""How many messages are sent at once for jobs written together, and in one sweep."""
HELD = timedelta(seconds=30)
"""How long a job waits for its next attempt after a fault of the server's own."""
ALIVE_EVERY = timedelta(seconds=10)
"""How often running jobs are noted, at most."""
BACKOFF = (timedelta(seconds=2), timedelta(seconds=30), timedelta(minutes=5))


class LeaseGone(Exception):
    """This runner did not report within its lease, and another runner has the job: stop, and change nothing more."""


@dataclass(frozen=True)
class Running:
    """A running job, as its handler receives it."""

    pk: int
    subject: str
    fence: str
    attempt: int

    def report(self, progress: float) -> None:
        """Record the progress, in 0..1, and renew the lease.

        Raises:
            LeaseGone: another runner has the job.
        """
        held = Job.objects.filter(pk=self.pk, fence=self.fence, state=Job.State.RUNNING).update(
            progress=min(max(progress, 0.0), 1.0), due_at=timezone.now() + LEASE
        )
        if not held:
            raise LeaseGone(f"job {self.pk}")

    def free_key(self) -> None:
        """Free the unique key, so that the same work can be queued again: this run may miss later changes."""
        Job.objects.filter(pk=self.pk, fence=self.fence).update(unique_key=None)


Handler = Callable[[Running], object]
Abandon = Callable[[str], None]
_handlers: dict[str, tuple[Handler, Abandon | None]] = {}


def handles(kind: str, handler: Handler, *, abandon: Abandon | None = None) -> None:
    """Register the handler of a kind of job; call it from an `AppConfig.ready`.

    Args:
        handler: Must be idempotent, since it may run again after a crash.
        abandon: Called once with the subject when every attempt has failed, to tell a person.
    """
    _handlers[kind] = (handler, abandon)


def enqueue(
    kind: str,
    subject: str,
    *,
    unique_key: str | None = None,
    after: timedelta = timedelta(),
    max_attempts: int = 3,
) -> None:
    """Write a job in the caller's transaction; its message is sent after the commit.

    Nothing is written if an unfinished job already has the `unique_key`.
    """
    now = timezone.now()
    try:
        with transaction.atomic():
            job = Job.objects.create(
                kind=kind,
                subject=subject,
                unique_key=unique_key,
                due_at=now + after,
                created_at=now,
                sent_at=None if after else now,
                max_attempts=max_attempts,
            )
    except IntegrityError:
        logger.info("job.already_waiting", extra={"kind": kind, "subject": subject})
        return
    if not after:
        transaction.on_commit(lambda: _send(job.pk))


def enqueue_all(kind: str, subjects: Sequence[str], *, max_attempts: int = 3) -> None:
    """Write a job for each subject in the caller's transaction, unless one for it is unfinished. 1 query for many.

    Their unique keys are `kind@subject`. After the commit, messages are sent for the first `AT_ONCE` jobs, 1 query; the
    sweep sends the others in batches, so that many jobs hold up neither the caller nor other jobs that are due.
    """
    now = timezone.now()
    keys = [f"{kind}@{subject}" for subject in subjects]
    Job.objects.bulk_create(
        [
            Job(
                kind=kind,
                subject=subject,
                unique_key=key,
                due_at=now,
                created_at=now,
                sent_at=now if number < AT_ONCE else None,
                max_attempts=max_attempts,
            )
            for number, (subject, key) in enumerate(zip(subjects, keys, strict=True))
        ],
        ignore_conflicts=True,
    )
    if keys:
        transaction.on_commit(lambda: _send_first(keys))


def _send_first(keys: Sequence[str]) -> None:
    first = Job.objects.unfinished().filter(unique_key__in=keys[:AT_ONCE])
    for pk in first.order_by("pk").values_list("pk", flat=True):
        _send(pk)


def _send(pk: int) -> None:
    try:
        # Loaded with the first job: a process that sends none does without Celery.
        import_string(settings.JOB_QUEUE).send_task("jobs.run", (pk,))
    except Exception as error:
        # The row is committed, and so is all that was written with it: whatever is wrong with the broker must not look
        # like a failure of that. The sweep sends the message again when the broker is back.
        logger.warning("job.not_sent", extra={"job": pk, "error": str(error)})


def take(*, pk: int, at: datetime) -> Running | None:
    """Lease job `pk`; None if it is not due, is finished, or another runner was faster. The UPDATE decides."""
    fence = secrets.token_hex(8)
    taken = (
        Job.objects.due(at=at)
        .filter(pk=pk)
        .update(state=Job.State.RUNNING, fence=fence, attempts=F("attempts") + 1, due_at=at + LEASE)
    )
    if not taken:
        return None
    job = Job.objects.get(pk=pk)
    return Running(pk=pk, subject=job.subject, fence=fence, attempt=job.attempts)


def may_work() -> bool:
    """Whether this process may run jobs: its files belong to its database, and its disk has room. At most 3 queries.

    Where they do not belong together, staff are told.
    """
    try:
        identity.check()
    except ServerFault as error:
        logger.error("work.refused", extra={"reason": error.detail})
        health.beat(Heartbeat.Name.MISPLACED, at=timezone.now(), detail=f"{health.this_process()}. {error.detail}")
        return False
    if not has_room():
        logger.error("disk.full")
        return False
    return True


def run(pk: int) -> bool:
    """Run job `pk` if it is due, no other runner holds it, and this process may work; returns whether this call ran it.

    A fault of the server's own (a full disk, a file that is not there) does not count as an attempt: the job waits.
    """
    if not may_work():
        return False
    held = take(pk=pk, at=timezone.now())
    if held is None:
        return False
    health.beat(Heartbeat.Name.JOB, at=timezone.now(), every=ALIVE_EVERY)
    job = Job.objects.get(pk=pk)
    handler, abandon = _handlers.get(job.kind, (_unknown, None))
    if job.attempts > job.max_attempts:
        # Its runners died without an exception (a crash in a decoder, for example): give up before another one dies.
        if _close(held, Job.State.FAILED, job.error or "every attempt ended without an answer") and abandon:
            abandon(job.subject)
        return True
    try:
        handler(held)
    except LeaseGone:
        logger.warning("job.lease_gone", extra={"job": pk})
        return True
    except Exception as error:
        if is_own_fault(error):
            logger.exception("job.held", extra={"job": pk, "kind": job.kind})
            _hold(held, error)
            return True
        logger.exception("job.failed", extra={"job": pk, "kind": job.kind, "attempt": held.attempt})
        _retry(held, job, f"{type(error).__name__}: {error}", abandon)
        return True
    _close(held, Job.State.DONE, "")
    logger.info("job.done", extra={"job": pk, "kind": job.kind, "subject": job.subject})
    return True


def _unknown(running: Running) -> None:
    raise LookupError(f"no handler is registered for the kind of job {running.pk}")


def _hold(held: Running, error: Exception) -> None:
    """Let the job wait, without counting this attempt."""
    cause, now = error.__cause__ or error, timezone.now()
    Job.objects.filter(pk=held.pk, fence=held.fence).update(
        state=Job.State.WAITING,
        due_at=now + HELD,
        sent_at=None,
        attempts=F("attempts") - 1,
        error=f"{type(cause).__name__}: {cause}",
        held_since=Coalesce("held_since", Value(now)),
    )


def _retry(held: Running, job: Job, error: str, abandon: Abandon | None) -> None:
    if held.attempt >= job.max_attempts:
        # `_close` fails where the lease was lost: another runner has the job, and may still succeed.
        if _close(held, Job.State.FAILED, error) and abandon:
            abandon(job.subject)
        return
    wait = BACKOFF[min(held.attempt - 1, len(BACKOFF) - 1)]
    Job.objects.filter(pk=held.pk, fence=held.fence).update(
        state=Job.State.WAITING, due_at=timezone.now() + wait, sent_at=None, error=error, held_since=None
    )


def _close(held: Running, state: Job.State, error: str) -> bool:
    """End the job if this runner still holds it; returns whether it did."""
    closed = Job.objects.filter(pk=held.pk, fence=held.fence, state=Job.State.RUNNING).update(
        state=state,
        error=error,
        held_since=None,
        finished_at=timezone.now(),
        progress=1.0 if state == Job.State.DONE else F("progress"),
    )
    return closed == 1


def sweep(*, at: datetime, limit: int = AT_ONCE) -> int:
    """Send messages for due jobs without a recent message; returns how many were sent."""
    overdue = list(
        Job.objects.due(at=at).unsent(since=at - RESEND, at=at).order_by("due_at").values_list("pk", flat=True)[:limit]
    )
    Job.objects.filter(pk__in=overdue).update(sent_at=at)
    for pk in overdue:
        _send(pk)
    return len(overdue)


def retry(*, pk: int, at: datetime) -> bool:
    """Let the failed job `pk` run again from its first attempt; its message is sent after the commit.

    Returns:
        False if the job has not failed, or if an unfinished job has its `unique_key`.
    """
    try:
        with transaction.atomic():
            changed = (
                Job.objects.failed()
                .filter(pk=pk)
                .update(
                    state=Job.State.WAITING, attempts=0, progress=0, fence="", due_at=at, sent_at=at, finished_at=None
                )
            )
    except IntegrityError:
        return False
    if changed:
        logger.info("job.retried", extra={"job": pk})
        transaction.on_commit(lambda: _send(pk))
    return changed == 1
