"""Alarms about the server itself: late background work, and a disk that is nearly full."""

from datetime import datetime, timedelta

from common.server_faults import free_bytes
from events.alarms import SERVER, Found, Kind
from jobs.models import Job

GIB = 1024**3
_MOST_COUNTED = 1000


def late_jobs(minutes: float, at: datetime) -> list[Found]:
    n = len(Job.objects.due(at=at - timedelta(minutes=minutes)).values_list("pk")[:_MOST_COUNTED])
    return [Found(SERVER, f"Background work is late: {n} due for more than {minutes:g} minutes.")] if n else []


def full_disk(least: float, at: datetime) -> list[Found]:
    free = free_bytes() / GIB
    return [Found(SERVER, f"The disk of the data folder has {free:.1f} GiB left.")] if free < least else []


KINDS = (
    Kind("jobs", "Background work is late", "minutes for which a job may be due", 5, 1, 24 * 60, late_jobs),
    Kind("disk", "The disk is nearly full", "GiB that must be free", 2, 0, 1_000_000, full_disk),
)
