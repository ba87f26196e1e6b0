"""Doing failed background work again, when a person asks for it."""

from datetime import datetime

from django.db import transaction

from evaluation.episodes import PREPARE
from evaluation.models import Episode
from evaluation.preparation import CRASHED
from jobs import outbox
from jobs.models import Job


def retry_job(*, job: Job, at: datetime) -> bool:
    """Let a failed job run again, from its first attempt; False if it is not failed or is waiting under another row.

    An episode that was given up because its preparation crashed goes back to preparing: its handler leaves every
    other alone.
    """
    with transaction.atomic():
        if not outbox.retry(pk=job.pk, at=at):
            return False
        if job.kind == PREPARE:
            Episode.objects.filter(pk=job.subject, status=Episode.Status.FAILED, problem_code=CRASHED).update(
                status=Episode.Status.PREPARING, problem_code="", problem_detail=""
            )
    return True
