"""Recurring work: one job for each interval, however many schedulers run."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from jobs.models import Job
from jobs.outbox import Running, enqueue, handles

KEEP_FINISHED = timedelta(days=7)
"""How long finished jobs are kept for staff to look at."""
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""Intervals are counted from this time."""
_intervals: dict[str, timedelta] = {}


def every(interval: timedelta, kind: str, work: Callable[[datetime], object]) -> None:
    """Register `work(begin of the interval)` to run once in each interval; call it from an `AppConfig.ready`."""
    _intervals[kind] = interval
    handles(kind, lambda running: work(_start_of(running, interval)))


def kinds() -> list[str]:
    """The kinds of job that come again by themselves."""
    return sorted(_intervals)


def _start_of(running: Running, interval: timedelta) -> datetime:
    return EPOCH + int(running.subject) * interval


def enqueue_ticks(*, at: datetime) -> None:
    """Write the job of the present interval of each kind, if it does not exist. 1 query for each kind."""
    for kind, interval in _intervals.items():
        tick = str((at - EPOCH) // interval)
        if not Job.objects.filter(kind=kind, subject=tick).exists():
            enqueue(kind, tick, unique_key=f"{kind}@{tick}")


def forget_finished(at: datetime) -> int:
    """Delete jobs that were done long ago, and return how many; failed jobs stay until a person has handled them."""
    old = Job.objects.filter(state=Job.State.DONE, finished_at__lt=at - KEEP_FINISHED)
    return old.delete()[0]
