"""How an agent serves live sessions: its processes, latency, failures and ratings."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache, partial
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from agents.models import Agent
from interaction.models import AgentProcess, LiveCommand, Session
from web.api.agents import agent_named
from web.staff.access import sessions_for
from web.staff.decorators import chosen, staff_only
from web.staff.figure_files import Figure, file_asked
from web.staff.sessions import figures, session_states

MOST_PROCESSES = 50
MOST_REASONS = 20
NEWEST = 10_000
"""The number of newest commands whose durations are read."""
SPANS = {"1": "24 hours", "7": "7 days"}


class Lately(NamedTuple):
    """Counts over the last hours or days. Sessions count by their opening, commands by their arrival."""

    words: str
    sessions: int
    live: int
    ended: tuple[tuple[str, int], ...]
    commands: int
    failed: int


@staff_only
@require_safe
def health(request: HttpRequest, slug: str) -> HttpResponse:
    """The page. Everybody sees the processes; sessions and commands are those of the account's projects."""
    agent = agent_named(slug)
    at = timezone.now()
    days = chosen(request, "days", list(SPANS)) or "7"
    mine = sessions_for(request.user).filter(agent=agent)
    given = _commands(mine, since=at - timedelta(days=int(days)))
    # Three plots and a table use the same durations.
    times = cache(partial(figures.seconds_of, given, newest=NEWEST))
    plots = _figures(given, times)
    if (file := file_asked(request, plots)) is not None:
        return file
    ctx = {
        "section": "agents",
        "agent": agent,
        "processes": _processes(agent),
        "lately": [_lately(mine, int(n), words, at=at) for n, words in SPANS.items()],
        "days": days,
        "spans": SPANS.items(),
        "span": SPANS[days],
        "latencies": figures.latencies_of(times()),
        "newest": NEWEST,
        "reasons": _reasons(given),
        "figures": [(name, make()) for name, make in plots.items()],
    }
    return render(request, "staff/sessions/agent_health.html", ctx)


def _commands(sessions: QuerySet[Session], *, since: datetime) -> QuerySet[LiveCommand]:
    return LiveCommand.objects.filter(session__in=sessions, command__at__gte=since)


def _figures(given: QuerySet[LiveCommand], times: Callable[[], figures.Times]) -> Mapping[str, Callable[[], Figure]]:
    """The plots, by their names in the address."""

    def of_step(step: str) -> Figure:
        return figures.latency(times(), step)

    steps = {f"latency-{step}": partial(of_step, step) for step in figures.STEPS}
    return {"outcomes": partial(figures.outcomes, given), **steps}


def _processes(agent: Agent) -> QuerySet[AgentProcess]:
    """Connected processes first, then the others by their last contact, each with its number of sessions. 1 query."""
    busy = Count("sessions", filter=Q(sessions__ended_at=None))
    return agent.processes.annotate(busy=busy).order_by("-is_connected", "-seen_at", "-pk")[:MOST_PROCESSES]


def _lately(sessions: QuerySet[Session], days: int, words: str, *, at: datetime) -> Lately:
    """The counts since a moment. 2 queries."""
    since = at - timedelta(days=days)
    by_reason = dict(
        sessions.filter(created_at__gte=since).order_by().values_list("reason").annotate(n=Count("pk")).order_by("-n")
    )
    live = by_reason.pop("", 0)
    given = _commands(sessions, since=since).aggregate(
        n=Count("pk"), failed=Count("pk", filter=Q(status=LiveCommand.Status.FAILED))
    )
    return Lately(
        words,
        live + sum(by_reason.values()),
        live,
        tuple((session_states.REASONS[reason], n) for reason, n in by_reason.items()),
        given["n"],
        given["failed"],
    )


def _reasons(given: QuerySet[LiveCommand]) -> list[tuple[str, int]]:
    """The reasons why commands failed, the most frequent first. 1 query."""
    failed = given.filter(status=LiveCommand.Status.FAILED).order_by().values_list("why_failed")
    return list(failed.annotate(n=Count("pk")).order_by("-n", "why_failed")[:MOST_REASONS])
