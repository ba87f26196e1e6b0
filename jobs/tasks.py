"""The only two Celery tasks: run a due job, and send messages about overdue jobs again."""

from celery import shared_task
from django.utils import timezone

from jobs import health, outbox, recurring
from jobs.models import Heartbeat


@shared_task(name="jobs.run")
def run(pk: int) -> None:
    outbox.run(pk)


@shared_task(name="jobs.sweep")
def sweep() -> None:
    if not outbox.may_work():
        # It would also mark jobs as sent whose messages only this process reads.
        return
    now = timezone.now()
    health.beat(Heartbeat.Name.SWEEP, at=now)
    recurring.enqueue_ticks(at=now)
    outbox.sweep(at=now)
