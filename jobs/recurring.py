"""Work that comes again by the clock: one row a tick, however many schedulers look at the clock."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from jobs.models import Job
from jobs.outbox import Running, enqueue, handles

KEPT = timedelta(days=7)
"""How long finished jobs stay to be looked at."""
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""Ticks are counted from here."""
_intervals: dict[str, timedelta] = {}


def every(interval: timedelta, kind: str, work: Callable[[datetime], object]) -> None:
    """Register `work(tick)` to run once each interval, from an `AppConfig.ready`."""
    _intervals[kind] = interval
    handles(kind, lambda running: work(_start_of(running, interval)))


def _start_of(running: Running, interval: timedelta) -> datetime:
    return EPOCH + int(running.subject) * interval


def enqueue_ticks(*, at: datetime) -> None:
    """Write the job of each kind's present tick, if it is not there yet. 1 query a kind."""
    for kind, interval in _intervals.items():
        tick = str((at - EPOCH) // interval)
        if not Job.objects.filter(kind=kind, subject=tick).exists():
            enqueue(kind, tick, unique_key=f"{kind}@{tick}")


def forget_finished(at: datetime) -> int:
    """Drop jobs that were done long ago; failed ones stay until a person has seen to them."""
    old = Job.objects.filter(state=Job.State.DONE, finished_at__lt=at - KEPT)
    return old.delete()[0]
