"""Moments in addresses: `?since=` of exports that go on where one left off, and `?until=`."""

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request

from common.api import asked
from common.errors import Invalid


def since_asked(request: Request) -> datetime | None:
    """The moment after which an export goes on, with its offset; None: from the beginning."""
    return moment_asked(request, "since")


def moment_asked(request: Request, name: str) -> datetime | None:
    """The moment that the address has under `name`, with its offset; None where it names none.

    Raises:
        Invalid: it is no moment.
    """
    text = asked(request, name)
    if not text:
        return None
    try:
        # In an address a plus sign is a space, unless it is escaped.
        found = parse_datetime(text.replace(" ", "+"))
        # In UTC, for databases do not know every offset; at the ends of the calendar there may be no such moment.
        moment = found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise Invalid.at(f"#/{name}", "This is a moment such as 2026-11-21T12:00:00Z.")
    return moment
