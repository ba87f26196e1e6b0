"""Writing to the audit log, and redaction: the only change of an event, when a person is erased."""

from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import models, transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from audit.chain import REDACTED, seal_soon
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
    """Record an act; call it inside the transaction of the act. Right after its commit the event is sealed.

    Args:
        verb: The kind of object and the act, with a dot between: `worker.blocked`.
        actor: `staff:NAME`, `key:NAME`, `worker:ID`, `rule:NAME` or `system`.
        project: The slug, where the act belongs to one.
        detail: Facts that explain the act, any JSON. Workers are named by id, never by name.
    """
    event = AuditEvent.objects.create(
        verb=verb,
        actor=actor,
        subject_kind=subject.kind,
        subject=subject.id,
        at=at,
        project=project,
        reason=reason,
        detail=detail,
    )
    seal_soon()
    return event


def redact(*, worker_id: int, at: datetime) -> int:
    """Empty the free text of every event by or about an erased worker; returns how many events changed.

    Verb, time and actor stay; the reason and the detail, which may name or describe the person, are emptied.
    """
    theirs = Q(actor=f"worker:{worker_id}") | Q(subject_kind="worker", subject=str(worker_id))
    return _empty(list(_readable().filter(theirs).order_by("pk").values_list("pk", flat=True)), at=at)


def redact_mentions(*, mentions: Mentions, at: datetime) -> int:
    """Empty the free text of every event that contains one of these names; returns how many events changed.

    Costs: reads the whole log once, without a lock; writes in batches.
    """
    named = Q()
    for word in mentions.words:
        named |= Q(reason__icontains=word) | Q(detail_text__icontains=word)
    events = _readable().annotate(detail_text=Cast("detail", TextField())).filter(named)
    rows = events.values_list("pk", "reason", "detail_text").iterator(chunk_size=_BATCH)
    return _empty([pk for pk, reason, detail in rows if mentions.within(reason) or mentions.within(detail)], at=at)


def _readable() -> "models.QuerySet[AuditEvent]":
    """The events that may have to be emptied. Those that name emptied events hold ids alone, and stay as evidence."""
    return AuditEvent.objects.filter(redacted_at=None).exclude(verb=REDACTED)


def _empty(found: list[int], *, at: datetime) -> int:
    """Empty the texts of these events, and record which were emptied; returns how many were."""
    emptied = 0
    for start in range(0, len(found), _BATCH):
        with transaction.atomic():
            rows = AuditEvent.objects.filter(pk__in=found[start : start + _BATCH], redacted_at=None)
            batch = list(rows.select_for_update().order_by("pk").values_list("pk", flat=True))
            # Our own query set refuses every update; the database allows exactly this one.
            models.QuerySet(AuditEvent).filter(pk__in=batch).update(reason="", detail={}, salt="", redacted_at=at)
            if batch:
                record(verb=REDACTED, actor="system", subject=Subject("audit", str(batch[0])), at=at, events=batch)
        emptied += len(batch)
    return emptied


def staff_actor(user: AbstractBaseUser | AnonymousUser) -> str:
    """The name of a staff account as an actor of the audit log."""
    return f"staff:{user.get_username()}"
