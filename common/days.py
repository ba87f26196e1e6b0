"""Days in UTC, as filters ask for them."""

from datetime import UTC, date, datetime, time, timedelta

from common.errors import Invalid


def day_in(text: str) -> date | None:
    """The day that a text names; None where there is no text.

    Raises:
        Invalid: it names none.
    """
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Invalid("Write a day as 2026-11-21.") from None


def day_if_any(text: str) -> date | None:
    """The day that a text names; None where it names none."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def midnight(day: date | None, *, days_later: int = 0) -> datetime | None:
    """When the day begins, or one so many days later; None where there is none: nothing comes after the last day.

    >>> midnight(date(2026, 11, 21), days_later=1)
    datetime.datetime(2026, 11, 22, 0, 0, tzinfo=datetime.timezone.utc)
    >>> midnight(date.max, days_later=1) is None
    True
    """
    if day is None or day > date.max - timedelta(days=days_later):
        return None
    return datetime.combine(day + timedelta(days=days_later), time(), UTC)
