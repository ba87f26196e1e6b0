"""Retention: a nightly run removes free text and identities that are older than the settings allow, and writes a
report."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from audit.log import Subject, record
from workforce import privacy
from workforce.models import Attempt, Consent, PrivacyReport, Worker
from workforce.privacy import OldText

BY = "rule:retention"
MOST_AT_ONCE = 500
"""The most identities erased in one night; each is a job of its own."""


def text_ends_at(at: datetime) -> datetime | None:
    """The time before which free text is removed; None: it is kept."""
    return at - timedelta(days=settings.RETENTION_TEXT_DAYS) if settings.RETENTION_TEXT_DAYS else None


def identity_ends_at(at: datetime) -> datetime | None:
    """The time since which a worker must have done something to be kept; None: identities are kept."""
    return at - timedelta(days=settings.RETENTION_IDENTITY_DAYS) if settings.RETENTION_IDENTITY_DAYS else None


def preview(*, at: datetime) -> dict[str, int]:
    """The number of things of each kind that a run at this time would remove; nothing is changed."""
    counts: dict[str, int] = {}
    if (before := text_ends_at(at)) is not None:
        counts |= {name: text.older(before).count() for name, text in _old_texts().items()}
    if (before := identity_ends_at(at)) is not None:
        counts["identities"] = len(inactive_since(before))
    return counts


def run(at: datetime) -> PrivacyReport | None:
    """The nightly run; returns its report, if it removed anything. Each identity has a job, so a failed one stops no
    other."""
    removed: dict[str, int] = {}
    if (before := text_ends_at(at)) is not None:
        removed |= {name: text.remove(before) for name, text in _old_texts().items()}
    if (before := identity_ends_at(at)) is not None:
        gone = inactive_since(before)
        for worker in gone:
            privacy.request_erasure(worker=worker, by=BY, at=at)
        removed["identities"] = len(gone)
    report = None
    if removed := {name: number for name, number in removed.items() if number}:
        with transaction.atomic():
            report = PrivacyReport.objects.create(
                kind=PrivacyReport.Kind.RETENTION, requested_by=BY, requested_at=at, finished_at=at, removed=removed
            )
            subject = Subject("privacy_report", str(report.pk))
            record(verb="retention.removed", actor=BY, subject=subject, at=at, removed=removed)
    if settings.RETENTION_TEXT_DAYS or settings.RETENTION_IDENTITY_DAYS:
        # Last, because it may have to be repeated: then nothing is left to remove, but the log may still hold it.
        privacy.empty_log()
    return report


def _old_texts() -> dict[str, OldText]:
    return {name: text for one in privacy.all_holdings() for name, text in one.old_texts.items()}


def inactive_since(before: datetime) -> list[Worker]:
    """Workers who came in before that time and have done nothing in any app since; the first `MOST_AT_ONCE`."""
    workers: QuerySet[Worker] = Worker.objects.filter(created_at__lt=before, erasure=None, is_simulated=False)
    for one in privacy.all_holdings():
        if one.unseen is not None:
            workers = one.unseen(workers, before)
    return list(workers.order_by("pk")[:MOST_AT_ONCE])


def unseen(workers: QuerySet[Worker], before: datetime) -> QuerySet[Worker]:
    """Those of the workers who agreed to no information page since that time."""
    return workers.filter(~Exists(Consent.objects.filter(given_at__gte=before, worker=OuterRef("pk"))))


def old_quiz_answers(before: datetime) -> QuerySet[Attempt]:
    """Attempts at quizzes that were finished before that time and still have their answers."""
    return Attempt.objects.filter(finished_at__lt=before, answers__isnull=False)


def remove_quiz_answers(before: datetime) -> int:
    """Remove the answers of these attempts; return the number of attempts."""
    return old_quiz_answers(before).update(answers=None)
