"""`/metrics`: requests as they come, and what the database and the disk say, in the format of Prometheus."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from common.metrics import LATENCY, REQUESTS
from common.server_faults import free_bytes
from interaction.models import Session
from jobs.models import Heartbeat, Job
from lib.briefly_kept import BrieflyKept

KEEP_S, PATIENCE_S = 5.0, 20.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"
"""The route of static files and of addresses that do not exist."""


class CountRequests:
    """Counts each request and its time. Labels are few: routes as they are written in the code, never addresses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        route = request.resolver_match.route if request.resolver_match else NO_ROUTE
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(route, method, response.status_code).inc()
        LATENCY.labels(route).observe(time.perf_counter() - began)
        return response


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics. What the database says is at most `KEEP_S` old, however many ask."""
    return HttpResponse(generate_latest(_registry()), content_type=CONTENT_TYPE_LATEST)


class _Stored(Collector):
    """The gauges that every process would answer alike."""

    def describe(self) -> Iterator[GaugeMetricFamily]:
        # Without it the registry would collect, and so query the database, while the module is imported.
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from _gauges.get() or ()


def _measure() -> list[GaugeMetricFamily]:
    """6 queries, each on an index that holds only unfinished, failed or recent rows."""
    gauges = [_gauge("crosswalk_disk_free_bytes", "Free bytes on the disk of the data folder.", {(): free_bytes()})]
    # Without the database the other metrics are wanted most.
    with suppress(DatabaseError):
        gauges += [*_of_jobs(), *_of_sessions()]
    return gauges


def _of_jobs() -> list[GaugeMetricFamily]:
    now = timezone.now()
    unfinished = Job.objects.unfinished().order_by().values_list("kind", "state").annotate(Count("pk"))
    failed = Job.objects.failed().order_by().values_list("kind").annotate(Count("pk"))
    oldest = Job.objects.due(at=now).aggregate(since=Min("due_at"))["since"]
    swept = Heartbeat.objects.filter(name=Heartbeat.Name.SWEEP).values_list("at", flat=True).first()
    return [
        _gauge(
            "crosswalk_jobs",
            "Unfinished background jobs.",
            {(kind, state): count for kind, state, count in unfinished},
            ("kind", "state"),
        ),
        _gauge(
            "crosswalk_jobs_failed",
            "Failed background jobs that nobody has dealt with.",
            {(kind,): count for kind, count in failed},
            ("kind",),
        ),
        _gauge(
            "crosswalk_jobs_held",
            "Jobs that wait because of a fault of the server's own.",
            {(): Job.objects.held().count()},
        ),
        _gauge(
            "crosswalk_jobs_oldest_due_seconds",
            "For how long the oldest due job has waited.",
            {(): max(0.0, (now - oldest).total_seconds()) if oldest else 0.0},
        ),
        _gauge(
            "crosswalk_sweep_age_seconds",
            "Seconds since a worker last swept.",
            {(): (now - swept).total_seconds()} if swept else {},
        ),
    ]


def _of_sessions() -> list[GaugeMetricFamily]:
    live = Session.objects.unended().aggregate(
        waiting=Count("pk", filter=Q(process=None)),
        before=Count("pk", filter=Q(process__isnull=False, started_at=None)),
        running=Count("pk", filter=Q(process__isnull=False, started_at__isnull=False)),
    )
    hour_ago = timezone.now() - timedelta(hours=1)
    ended = Session.objects.filter(moved_at__gt=hour_ago, ended_at__gt=hour_ago).order_by()
    return [
        _gauge(
            "crosswalk_sessions",
            "Live sessions: `waiting` for an agent, `before` the clock, `running`.",
            {(state,): count for state, count in live.items()},
            ("state",),
        ),
        _gauge(
            "crosswalk_sessions_ended_last_hour",
            "Sessions that ended in the last hour, by reason.",
            {(reason,): count for reason, count in ended.values_list("reason").annotate(Count("pk"))},
            ("reason",),
        ),
    ]


def _gauge(
    name: str, says: str, values: dict[tuple[str, ...], float], labels: tuple[str, ...] = ()
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, says, labels=labels)
    for of, value in values.items():
        family.add_metric(of, value)
    return family


_gauges = BrieflyKept(_measure, keep_s=KEEP_S, patience_s=PATIENCE_S)
_stored = _Stored()
REGISTRY.register(_stored)


def _registry() -> CollectorRegistry:
    """The metrics of this process, or of all that share `PROMETHEUS_MULTIPROC_DIR`."""
    if not settings.METRICS_DIR:
        return REGISTRY
    _forget_the_dead(Path(settings.METRICS_DIR))
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry, path=settings.METRICS_DIR)  # type: ignore[no-untyped-call]
    registry.register(_stored)
    return registry


def _forget_the_dead(folder: Path) -> None:
    """Drop the gauges of processes that have ended; their counters still count."""
    for left in folder.glob("gauge_live*_*.db"):
        pid = int(left.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            multiprocess.mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]
        except PermissionError:
            pass
