"""The events about suites for programs outside: `run.complete` and `ranking.changed`.

A job looks every few seconds at the projects whose tallies have changed: nobody who answers a task waits for a ranking.
What was told of a project is a row, which is changed in the transaction that writes the events.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from evaluation.figures.rank_intervals import Asked
from evaluation.figures.runs import newest_version, runs_of
from evaluation.models import Feed, Tally, ToldOfFeed
from evaluation.ranking import Ranking, rank_agents
from events.log import Happened, note_all

EVERY = timedelta(seconds=20)
BACK = timedelta(minutes=2)
"""How long before the last look a change may have begun that was not yet committed then."""


def tell_of_changes(begin: datetime) -> int:
    """Write the events of the projects whose tallies have changed since shortly before `begin`; returns how many.

    Costs: 1 query where nothing has changed; else those of a ranking and of its runs, for each project.
    """
    since = begin - EVERY - BACK
    return sum(tell_of_feed(pk, at=begin) for pk in _changed(since).order_by("pk").values_list("pk", flat=True))


def _changed(since: datetime) -> QuerySet[Feed]:
    """The projects that take episodes of a suite, and of which a tally has changed: their own, or what is ready."""
    rows = Tally.objects.filter(changed_at__gte=since)
    own = rows.exclude(project=None).values("project")
    suites = rows.filter(project=None).values("revision__scenario__suite")
    return Feed.objects.filter(Q(pk__in=own) | Q(suite__in=suites), suite__archived_at=None)


def tell_of_feed(pk: int, *, at: datetime) -> int:
    """Write the events of one project that have not been written; returns how many."""
    with transaction.atomic():
        feed = Feed.objects.select_related("project", "suite", "version").get(pk=pk)
        ToldOfFeed.objects.get_or_create(feed=feed)
        told = ToldOfFeed.objects.select_for_update().get(feed=feed)
        ranking = rank_agents(suite=feed.suite, project=feed.project)
        counts = ranking.counts.digest()
        if counts == told.counts:
            return 0
        order, verdict = order_of(ranking), ranking.raters.verdict.ok
        complete = _complete(feed)
        events = [_run_complete(feed, one) for one in complete if one not in told.complete]
        if (order, verdict) != (told.order, told.verdict):
            events.append(_ranking_changed(feed, order, verdict, told.order))
        told.counts, told.order, told.verdict, told.complete = counts, order, verdict, complete
        told.save()
        note_all(events, at=at)
    return len(events)


def order_of(ranking: Ranking) -> list[list[str]]:
    """The agents that have a rank, best first; agents of one rank together, by name."""
    order: dict[int, list[str]] = {}
    for row in ranking.rows:
        if row.rank is not None:
            order.setdefault(row.rank, []).append(row.agent)
    return [order[rank] for rank in sorted(order)]


def _complete(feed: Feed) -> list[list[str | None]]:
    """Agent and version of the runs that are complete, on the version that the project takes, else on the newest."""
    version = feed.version or newest_version(feed.suite)
    runs = runs_of(Asked(feed.suite, feed.project, version, None))
    return [[run.agent, run.version] for run in runs if run.is_complete]


def _run_complete(feed: Feed, run: list[str | None]) -> Happened:
    agent, version = run
    data = {"suite": feed.suite.slug, "version": version, "project": feed.project.slug, "agent": agent}
    return Happened("run.complete", f"{feed.suite.slug}/{agent}", data, suite=feed.suite.slug)


def _ranking_changed(feed: Feed, order: list[list[str]], verdict: bool | None, before: Any) -> Happened:
    data = {"suite": feed.suite.slug, "project": feed.project.slug, "order": order, "before": before, "ok": verdict}
    return Happened("ranking.changed", feed.suite.slug, data, suite=feed.suite.slug)
