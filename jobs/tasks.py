"""The only two Celery tasks: run a due job, and send messages about overdue jobs again."""

from celery import shared_task
from django.utils import timezone

from jobs import outbox, recurring


@shared_task(name="jobs.run")
def run(pk: int) -> None:
    outbox.run(pk)


@shared_task(name="jobs.sweep")
def sweep() -> None:
    now = timezone.now()
    recurring.enqueue_ticks(at=now)
    outbox.sweep(at=now)
