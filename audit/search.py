"""Reading the audit log: filters served by an index, pages that begin at an event's time, rows for export."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q, QuerySet

from audit.models import AuditEvent
from common.data.days import midnight
from common.tables.csv import csv_lines
from lib.faults import Invalid

ROWS = 50
COLUMNS = ("event", "at", "actor", "verb", "subject_kind", "subject", "project", "reason", "detail")


@dataclass(frozen=True)
class Filters:
    """Conditions on events; "" and None set no condition.

    `since` and `until` are days in UTC, both included. `projects` are the slugs of the projects that the account may
    see; None means every event, including those of no project.
    """

    verb: str = ""
    actor: str = ""
    subject_kind: str = ""
    subject: str = ""
    project: str = ""
    since: date | None = None
    until: date | None = None
    projects: Collection[str] | None = None

    def rows(self) -> "QuerySet[AuditEvent]":
        """The events that fulfil the conditions, newest first."""
        wanted = {
            name: value
            for name in ("verb", "actor", "subject_kind", "subject", "project")
            if (value := getattr(self, name))
        }
        rows = AuditEvent.objects.filter(**wanted)
        if self.projects is not None:
            rows = rows.filter(project__in=self.projects)
        if since := midnight(self.since):
            rows = rows.filter(at__gte=since)
        if until := midnight(self.until, days_later=1):
            rows = rows.filter(at__lt=until)
        return rows.order_by("-at", "-pk")


class Place(NamedTuple):
    """The time and id of an event, at which a page begins or ends."""

    at: datetime
    pk: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.pk}"


class EventPage(NamedTuple):
    """The events of one page, newest first, and the places where the older and the newer page begin."""

    events: list[AuditEvent]
    older: Place | None
    newer: Place | None


def place_from(text: str) -> Place | None:
    """The place in the query of an address; None for an empty text.

    Raises:
        Invalid: the text is not a place.
    """
    if not text:
        return None
    try:
        at, _, pk = text.partition("~")
        place = Place(datetime.fromisoformat(at), int(pk))
    except ValueError:
        raise Invalid("Use the links to older and newer events as they are.") from None
    if place.at.tzinfo is None or not 0 <= place.pk < 2**63:
        raise Invalid("Use the links to older and newer events as they are.")
    return place


def page_of(filters: Filters, *, before: Place | None = None, after: Place | None = None) -> EventPage:
    """The page of events just older than `before`, or just newer than `after`, or the newest page.

    Costs: 1 query that reads one page and one row from an index, however long the log and however old the page.
    """
    rows = filters.rows()
    if after is not None:
        # The index serves the bound on the time alone; the other conditions decide between equal times.
        rows = rows.filter(Q(at__gt=after.at) | Q(at=after.at, pk__gt=after.pk), at__gte=after.at)
        found = list(rows.order_by("at", "pk")[: ROWS + 1])
        has_newer, events = len(found) > ROWS, found[:ROWS][::-1]
        return EventPage(events, after if not events else _place(events[-1]), _place(events[0]) if has_newer else None)
    if before is not None:
        rows = rows.filter(Q(at__lt=before.at) | Q(at=before.at, pk__lt=before.pk), at__lte=before.at)
    found = list(rows[: ROWS + 1])
    events, has_older = found[:ROWS], len(found) > ROWS
    newer = _place(events[0]) if before is not None and events else None
    return EventPage(events, _place(events[-1]) if has_older else None, newer)


def verbs() -> list[str]:
    """Every verb in the log. 1 query, which reads one index entry for each verb and not for each event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE known(verb) AS (SELECT MIN(verb) FROM audit_auditevent UNION ALL "
            "SELECT (SELECT MIN(verb) FROM audit_auditevent WHERE verb > known.verb) FROM known "
            "WHERE known.verb IS NOT NULL) SELECT verb FROM known WHERE verb IS NOT NULL"
        )
        return [verb for (verb,) in cursor.fetchall()]


def show(event: AuditEvent) -> dict[str, Any]:
    """An event as a line of an export."""
    return {
        "event": str(event.pk),
        "at": event.at.isoformat(),
        "actor": event.actor,
        "verb": event.verb,
        "subject_kind": event.subject_kind,
        "subject": event.subject,
        "project": event.project,
        "reason": event.reason,
        "detail": event.detail,
        "redacted_at": event.redacted_at.isoformat() if event.redacted_at else None,
    }


def exported(filters: Filters) -> Iterator[dict[str, Any]]:
    """Every event of now that fulfils the conditions, newest first, read row by row: not the export's own."""
    newest = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    return (show(event) for event in filters.rows().filter(pk__lte=newest).iterator(chunk_size=1000))


def as_csv(rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """The rows as CSV (RFC 4180) with a header; see `csv_lines` for cells that a spreadsheet would run."""
    return csv_lines(COLUMNS, ([row[column] or None for column in COLUMNS] for row in rows))


def _place(event: AuditEvent) -> Place:
    return Place(event.at, event.pk)
