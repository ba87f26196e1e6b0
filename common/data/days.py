"""Days in UTC, as filters in addresses name them."""

from datetime import UTC, date, datetime, time, timedelta

from lib.faults import Invalid


def day_in(text: str) -> date | None:
    """The day that a text names as `2026-11-21`; None for an empty text.

    Raises:
        Invalid: the text names no day.
    """
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Invalid("Write a day as 2026-11-21.") from None


def day_if_any(text: str) -> date | None:
    """The day that a text names as `2026-11-21`; None for any other text."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def midnight(day: date | None, *, days_later: int = 0) -> datetime | None:
    """The begin of the day, or of the day so many days later; None for None and for days after the last possible one.

    >>> midnight(date(2026, 11, 21), days_later=1)
    datetime.datetime(2026, 11, 22, 0, 0, tzinfo=datetime.timezone.utc)
    >>> midnight(date.max, days_later=1) is None
    True
    """
    if day is None or day > date.max - timedelta(days=days_later):
        return None
    return datetime.combine(day + timedelta(days=days_later), time(), UTC)
