"""Agents: the programs under test, their metrics, and their rank in each suite."""

from typing import NamedTuple

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.models import Agent, Metric
from annotation.access import roles
from annotation.models import Project
from evaluation.models import Suite
from evaluation.ranking import RankingRow, marker_project, rank_agents
from lib.plots.intervals import IntervalPlot, Measured, interval_plot
from web.api.agents import agent_named
from web.staff.decorators import paged, staff_only

MOST_SUITES = 10
MOST_METRICS = 50
LIVE = "live"
"""The version of metrics that live evaluations made. The suite of such a metric is the slug of a project."""


class InSuite(NamedTuple):
    """The agent's rank in one suite, and the number of ranked agents."""

    suite: Suite
    standing: RankingRow
    agents: int


class Measurement(NamedTuple):
    """A metric, and the suite or project that it was measured in, if the account may see it."""

    metric: Metric
    project: Project | None
    suite: Suite | None


@staff_only
@require_safe
def agent(request: HttpRequest, slug: str) -> HttpResponse:
    found = agent_named(slug)
    episodes = found.episodes.select_related("scenario__suite").order_by("-pk")
    mine = roles.projects_for(request.user)
    places = _places(found, mine)
    ctx = {
        "section": "agents",
        "agent": found,
        "metadata": sorted(found.metadata.items()),
        "metrics": _measurements(found, among=mine),
        "most_metrics": MOST_METRICS,
        "page": paged(request, episodes),
        "places": places,
        "most_suites": MOST_SUITES,
        "plot": _plot(places),
    }
    return render(request, "staff/evaluation/agent.html", ctx)


def _places(agent: Agent, among: QuerySet[Project]) -> list[InSuite]:
    """The agent's rank in the newest suites that it took part in. 5 queries a suite, and one."""
    tried = Suite.objects.filter(pk__in=agent.episodes.values("scenario__suite")).order_by("-created_at", "-pk")
    found = []
    for suite in tried[:MOST_SUITES]:
        ranking = rank_agents(suite=suite, project=marker_project(suite, among=among))
        mine = next((standing for standing in ranking.rows if standing.agent == agent.slug), None)
        if mine is not None:
            found.append(InSuite(suite, mine, len(ranking.rows)))
    return found


def _measurements(agent: Agent, *, among: QuerySet[Project]) -> list[Measurement]:
    """The newest metrics of the agent. 3 queries."""
    metrics = list(agent.metrics.order_by("-created_at", "-pk")[:MOST_METRICS])
    projects = {one.slug: one for one in among.filter(slug__in={one.suite for one in metrics if one.version == LIVE})}
    suites = {one.slug: one for one in Suite.objects.filter(slug__in={one.suite for one in metrics})}
    return [
        Measurement(one, projects.get(one.suite) if one.version == LIVE else None, suites.get(one.suite))
        for one in metrics
    ]


def _plot(places: list[InSuite]) -> IntervalPlot:
    return interval_plot(
        [
            Measured(place.suite.title, success.rate, success.low, success.high, success.standard_error, success.n)
            for place in places
            for success in [place.standing.success]
        ]
    )
