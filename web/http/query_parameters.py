"""Query parameters of the API: texts, and moments such as `?since=` and `?until=`."""

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request

from lib.faults import Invalid


def since_asked(request: Request) -> datetime | None:
    """The moment after which an export continues; None to export everything."""
    return moment_asked(request, "since")


def moment_asked(request: Request, name: str) -> datetime | None:
    """The moment under `name` in the address, in UTC; None if the address has none.

    Raises:
        Invalid: the text is no moment with an offset.
    """
    text = asked(request, name)
    if not text:
        return None
    try:
        # In an address an unescaped plus sign means a space.
        found = parse_datetime(text.replace(" ", "+"))
        # The moment is converted to UTC, because databases do not accept every offset. Near the ends of the calendar
        # the conversion can overflow.
        moment = found.astimezone(UTC) if found is not None and found.tzinfo is not None else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise Invalid.at(f"#/{name}", "This is a moment such as 2026-11-21T12:00:00Z.")
    return moment


def asked(request: Request, name: str) -> str:
    """The text under `name` in the address; "" if the address has none.

    Raises:
        Invalid: the text is too long or contains NUL, which no database compares.
    """
    value = request.query_params.get(name, "")
    if "\0" in value or len(value) > 200:
        raise Invalid.at(f"#/{name}", "Use at most 200 characters, none of them NUL.")
    return value
