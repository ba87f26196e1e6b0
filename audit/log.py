"""Writing to the audit log, and the one change that it allows: redaction, when a person is erased."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import models
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from audit.models import AuditEvent
from common.mentions import Mentions

_BATCH = 500


class Subject(NamedTuple):
    """What an act is done to."""

    kind: str
    id: str


def record(
    *,
    verb: str,
    actor: str,
    subject: Subject,
    at: datetime,
    project: str = "",
    reason: str = "",
    **detail: Any,
) -> AuditEvent:
    """Note an act; call it inside the transaction that does it.

    Args:
        verb: Dotted, what it happened to and what happened: `worker.blocked`.
        actor: `staff:NAME`, `key:NAME`, `worker:ID`, `rule:NAME` or `system`.
        project: The slug, where the act belongs to one.
        detail: What explains it: any JSON. No names of workers: say their ids.
    """
    return AuditEvent.objects.create(
        verb=verb,
        actor=actor,
        subject_kind=subject.kind,
        subject=subject.id,
        at=at,
        project=project,
        reason=reason,
        detail=detail,
    )


def redact(*, worker_id: int, at: datetime) -> int:
    """Empty the free text of every event by or about an erased worker; how many.

    What was done, when and by whom stays; only what may name or describe the person goes.
    """
    theirs = Q(actor=f"worker:{worker_id}") | Q(subject_kind="worker", subject=str(worker_id))
    events = AuditEvent.objects.filter(theirs, redacted_at=None)
    # Past the guard of our own query set: the database lets exactly this change through.
    return models.QuerySet.update(events, reason="", detail={}, redacted_at=at)


def redact_mentions(*, mentions: Mentions, at: datetime) -> int:
    """Empty the free text of every event in which somebody wrote one of these names; how many.

    Costs: reads the whole log once, without a lock; writes in batches.
    """
    named = Q()
    for word in mentions.words:
        named |= Q(reason__icontains=word) | Q(told__icontains=word)
    events = AuditEvent.objects.annotate(told=Cast("detail", TextField())).filter(named, redacted_at=None)
    rows = events.values_list("pk", "reason", "told").iterator(chunk_size=_BATCH)
    found = [pk for pk, reason, told in rows if mentions.within(reason) or mentions.within(told)]
    for start in range(0, len(found), _BATCH):
        batch = AuditEvent.objects.filter(pk__in=found[start : start + _BATCH], redacted_at=None)
        models.QuerySet.update(batch, reason="", detail={}, redacted_at=at)
    return len(found)
