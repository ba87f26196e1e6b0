"""`?since=` of exports that go on where one left off."""

from datetime import datetime

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request

from common.api import asked
from common.errors import Invalid


def since_asked(request: Request) -> datetime | None:
    """The moment that the address names, with its offset as `settled_at` has it; None where it names none.

    Raises:
        Invalid: it is no moment.
    """
    text = asked(request, "since")
    if not text:
        return None
    try:
        # In an address a plus sign is a space, unless it is escaped.
        found = parse_datetime(text.replace(" ", "+"))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Invalid.at("#/since", "This is a moment such as 2026-11-21T12:00:00Z.")
    return found
