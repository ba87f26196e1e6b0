"""Writing events, reading them in the order of commit, and forgetting them after a while."""

import time
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from agents.models import ApiKey
from common.data.complete_reads import complete_rows
from common.kept_query import KeptInsert
from events.kinds import TEST, types_of
from events.models import Event, Webhook
from jobs.outbox import enqueue
from lib.briefly_kept import BrieflyKept
from lib.faults import Invalid

KEPT = timedelta(days=30)
DELIVER = "events.deliver"
"""The kind of job that gives events to webhooks (`deliveries.py`)."""
_GATHERED = timedelta(seconds=1)
"""For how long events gather before the job runs."""
_BATCH = 1000


class Happened(NamedTuple):
    """An event that is to be written.

    Attributes:
        project, suite: The slug of the one that it belongs to; both empty: it belongs to the installation.
    """

    type: str
    subject: str
    data: dict[str, Any]
    project: str = ""
    suite: str = ""


def note(happened: Happened, *, at: datetime) -> None:
    """Write an event in the transaction that makes it true. 1 query."""
    note_all([happened], at=at)


def note_all(happened: Sequence[Happened], *, at: datetime) -> None:
    """Write events in their order, in the transaction that makes them true. 1 query; none where there are none."""
    if not happened:
        return
    events = [
        Event(type=one.type, subject=one.subject, scope=scope_of(one.project, one.suite), at=at, data=one.data)
        for one in happened
    ]
    if len(events) == 1:
        _EVENT.run(events[0])
    else:
        Event.objects.bulk_create(events, batch_size=_BATCH)
    # What is committed stays so, even if the disk is too full for the wish to deliver it.
    transaction.on_commit(deliver_soon, robust=True)


_EVENT = KeptInsert(Event)


def scope_of(project: str, suite: str) -> str:
    return f"project:{project}" if project else f"suite:{suite}" if suite else ""


def visible_to(key: ApiKey | None) -> QuerySet[Event]:
    """The events that a key may read; None: those of everything."""
    rows = Event.objects.exclude(type=TEST)
    if key is None or not key.is_limited:
        return rows
    scopes = [*(scope_of(slug, "") for slug in key.projects), *(scope_of("", slug) for slug in key.suites)]
    return rows.filter(scope__in=scopes)


def events_after(key: ApiKey | None, *, after: str, types: Collection[str], limit: int) -> list[Event]:
    """Events that the key may read, in the order of commit, after the event `after`; no later page has an earlier one.

    Call it outside a transaction. 2 queries, 3 on PostgreSQL.

    Args:
        types: Patterns of types; none: all.

    Raises:
        Invalid: there is no event `after`, or no longer.
        StillWriting: events that come before others are still being written.
    """
    visible = visible_to(key)
    rows = visible
    if types:
        rows = rows.filter(type__in=types_of(list(types)))
    if after:
        place = visible.filter(public_id=after).values_list("pk", flat=True).first()
        if place is None:
            raise Invalid.at("#/after", f"There is no such event. Events are kept for {KEPT.days} days.")
        rows = rows.filter(pk__gt=place)
    return list(complete_rows(rows).order_by("pk")[:limit])


def as_json(event: Event) -> dict[str, Any]:
    """The event as lists and webhooks show it."""
    return {
        "event": event.public_id,
        "type": event.type,
        "at": event.at.isoformat(),
        "subject": event.subject,
        "data": event.data,
    }


def forget_old(at: datetime) -> int:
    """Delete events that are older than `KEPT`, with their deliveries; returns how many."""
    forgotten = 0
    while old := list(Event.objects.filter(at__lt=at - KEPT).values_list("pk", flat=True)[:_BATCH]):
        Event.objects.filter(pk__in=old).delete()
        forgotten += len(old)
    return forgotten


# Waking the job that delivers ----------------------------------------------------------------------------------------

_somebody_listens = BrieflyKept(lambda: Webhook.objects.active().exists(), keep_s=5.0, patience_s=30.0)
_asked_until = 0.0


def deliver_soon() -> None:
    """Ask for the job that delivers, if there are webhooks: no query for the next second, 1 to 3 otherwise.

    Where the process dies before, the job of each minute delivers.
    """
    global _asked_until
    now = time.monotonic()
    if now < _asked_until or not _somebody_listens.get():
        return
    enqueue(DELIVER, "", unique_key=DELIVER, after=_GATHERED)
    # A job that starts later than this sees all that was committed until then.
    _asked_until = now + 0.9 * _GATHERED.total_seconds()


def webhooks_changed() -> None:
    """Look again whether somebody listens; call it after a webhook was made."""
    _somebody_listens.forget()
