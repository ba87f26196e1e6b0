"""Writing to the audit log, and redaction: the only change of an event, when a person is erased."""

from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from audit.models import AuditEvent
from common.redaction import Mentions

_BATCH = 500


class Subject(NamedTuple):
    """The object of an act: its kind and its id."""

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
    """Record an act; call it inside the transaction of the act.

    Args:
        verb: The kind of object and the act, with a dot between: `worker.blocked`.
        actor: `staff:NAME`, `key:NAME`, `worker:ID`, `rule:NAME` or `system`.
        project: The slug, where the act belongs to one.
        detail: Facts that explain the act, any JSON. Workers are named by id, never by name.
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
    """Empty the free text of every event by or about an erased worker; returns how many events changed.

    Verb, time and actor stay; the reason and the detail, which may name or describe the person, are emptied.
    """
    theirs = Q(actor=f"worker:{worker_id}") | Q(subject_kind="worker", subject=str(worker_id))
    events = AuditEvent.objects.filter(theirs, redacted_at=None)
    # Our own query set refuses every update; the database allows exactly this one.
    return models.QuerySet.update(events, reason="", detail={}, redacted_at=at)


def redact_mentions(*, mentions: Mentions, at: datetime) -> int:
    """Empty the free text of every event that contains one of these names; returns how many events changed.

    Costs: reads the whole log once, without a lock; writes in batches.
    """
    named = Q()
    for word in mentions.words:
        named |= Q(reason__icontains=word) | Q(detail_text__icontains=word)
    events = AuditEvent.objects.annotate(detail_text=Cast("detail", TextField())).filter(named, redacted_at=None)
    rows = events.values_list("pk", "reason", "detail_text").iterator(chunk_size=_BATCH)
    found = [pk for pk, reason, detail in rows if mentions.within(reason) or mentions.within(detail)]
    for start in range(0, len(found), _BATCH):
        batch = AuditEvent.objects.filter(pk__in=found[start : start + _BATCH], redacted_at=None)
        models.QuerySet.update(batch, reason="", detail={}, redacted_at=at)
    return len(found)


def staff_actor(user: AbstractBaseUser | AnonymousUser) -> str:
    """The name of a staff account as an actor of the audit log."""
    return f"staff:{user.get_username()}"
