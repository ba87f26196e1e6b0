"""How long is kept what: free text and identities older than the settings allow go every night, with a report."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet

from workforce import privacy
from workforce.models import Attempt, PrivacyReport, Worker

BY = "rule:retention"
MOST_AT_ONCE = 500
"""Identities erased in one night; each is a job of its own."""


class OldText(NamedTuple):
    """One kind of free text: what of it was written before a time, and taking that away (how many)."""

    older: Callable[[datetime], "QuerySet[Any]"]
    remove: Callable[[datetime], int]


_texts: dict[str, OldText] = {}
_inactive: list[Callable[[datetime], "list[Worker]"]] = []


def register_old_text(name: str, text: OldText) -> None:
    """Let a kind of free text fall under the retention, from an `AppConfig.ready`."""
    _texts[name] = text


def register_inactive(find: Callable[[datetime], "list[Worker]"]) -> None:
    """Who has not been here since a time; set by the app that knows what work is."""
    _inactive[:] = [find]


def text_ends_at(at: datetime) -> datetime | None:
    """Free text from before this goes; None where it is kept."""
    return at - timedelta(days=settings.RETENTION_TEXT_DAYS) if settings.RETENTION_TEXT_DAYS else None


def identity_ends_at(at: datetime) -> datetime | None:
    """Whoever was not here since goes; None where identities are kept."""
    return at - timedelta(days=settings.RETENTION_IDENTITY_DAYS) if settings.RETENTION_IDENTITY_DAYS else None


def preview(*, at: datetime) -> dict[str, int]:
    """What a run at this time would take away, by kind; nothing is changed."""
    counts: dict[str, int] = {}
    if (before := text_ends_at(at)) is not None:
        counts |= {name: text.older(before).count() for name, text in _texts.items()}
    if (before := identity_ends_at(at)) is not None:
        counts["identities"] = len(_inactive_since(before))
    return counts


def run(at: datetime) -> PrivacyReport | None:
    """The nightly run; its report, if anything had to go. Identities go by a job each, so that one stuck stops none."""
    removed: dict[str, int] = {}
    if (before := text_ends_at(at)) is not None:
        removed |= {name: text.remove(before) for name, text in _texts.items()}
    if (before := identity_ends_at(at)) is not None:
        gone = _inactive_since(before)
        for worker in gone:
            privacy.request_erasure(worker=worker, by=BY, at=at)
        removed["identities"] = len(gone)
    report = None
    if removed := {name: number for name, number in removed.items() if number}:
        report = PrivacyReport.objects.create(
            kind=PrivacyReport.Kind.RETENTION, requested_by=BY, requested_at=at, finished_at=at, removed=removed
        )
    if settings.RETENTION_TEXT_DAYS or settings.RETENTION_IDENTITY_DAYS:
        # Last, for it may have to be tried again: then nothing is left to remove, but the log may still hold it.
        privacy.empty_log()
    return report


def _inactive_since(before: datetime) -> "list[Worker]":
    return [worker for find in _inactive for worker in find(before)][:MOST_AT_ONCE]


def old_quiz_answers(before: datetime) -> QuerySet[Attempt]:
    return Attempt.objects.filter(finished_at__lt=before, answers__isnull=False)


def remove_quiz_answers(before: datetime) -> int:
    return old_quiz_answers(before).update(answers=None)
