"""Suites: scenarios, versions, and the ranking as a table, a plot and a CSV file."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account
from common.tables.csv import csv_lines
from evaluation.models import Episode, Scenario, Suite, Version
from evaluation.ranking import GROUPINGS, Ranking, marker_project, rank_agents, version_named
from evaluation.suites import suite_named
from lib.faults import Invalid
from lib.plots.intervals import IntervalPlot, Measured, interval_plot
from lib.statistics.success_rate import SuccessRate
from web.staff.decorators import paged, staff_only

MOST_FACETS = 12
"""The number of groups with a plot. The table and the CSV file have all groups."""


class Choice(NamedTuple):
    """The options of a ranking: "" means all, or the default."""

    version: str
    project: str
    by: str
    tag: str


class Facet(NamedTuple):
    """The plot of one group. `name` is None for the episodes without a group."""

    name: str | None
    plot: IntervalPlot


class GroupRow(NamedTuple):
    """One group with the rate of each agent, in the order of the ranking."""

    name: str | None
    rates: list[SuccessRate | None]


@staff_only
@require_safe
def suite_list(request: HttpRequest) -> HttpResponse:
    page = paged(request, _counted(Suite.objects.order_by("-created_at", "-pk")))
    ctx = {"section": "suites", "page": page}
    return render(request, "staff/evaluation/suites.html", ctx)


def _counted(suites: QuerySet[Suite]) -> QuerySet[Suite]:
    """The suites with their numbers of scenarios, versions and episodes.

    Subqueries, because joins would multiply the counts.
    """
    episodes = Episode.objects.filter(scenario__suite=OuterRef("pk"))
    failed = episodes.filter(status=Episode.Status.FAILED)
    return suites.annotate(
        scenario_count=_count(Scenario.objects.filter(suite=OuterRef("pk")), "suite"),
        version_count=_count(Version.objects.filter(suite=OuterRef("pk")), "suite"),
        episode_count=_count(episodes, "scenario__suite"),
        failed_count=_count(failed, "scenario__suite"),
    )


def _count(rows: QuerySet[Any], by: str) -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values(by).annotate(n=Count("pk")).values("n")), 0)


def _choice(request: HttpRequest) -> Choice:
    return Choice(*(request.GET.get(name, "") for name in Choice._fields))


def _ranking(user: Account, suite: Suite, choice: Choice) -> Ranking:
    """The ranking that the address asks for, judged in a project that the account may see.

    Raises:
        Invalid: the version, the project or the grouping does not exist.
    """
    if choice.by and choice.by not in GROUPINGS:
        raise Invalid(f"There is no grouping {choice.by}; there are {', '.join(GROUPINGS)}.")
    return rank_agents(
        suite=suite,
        project=marker_project(suite, choice.project or None, among=roles.projects_for(user)),
        version=version_named(suite, choice.version or None),
        by=choice.by or None,
        tag=choice.tag or None,
    )


@staff_only
@require_safe
def suite(request: HttpRequest, slug: str) -> HttpResponse:
    found = suite_named(slug)
    choice = _choice(request)
    ranking = _ranking(request.user, found, choice)
    groups = group_rows(ranking) if choice.by else []
    scenarios = found.scenarios.select_related("current").order_by("key")
    page = paged(request, scenarios.annotate(episode_count=Count("episodes")))
    ctx = {
        "section": "suites",
        "suite": found,
        "ranking": ranking,
        "plot": interval_plot([_measured(standing.agent, standing.success) for standing in ranking.rows]),
        "unjudged": sum(standing.unjudged for standing in ranking.rows),
        "pending": sum(standing.pending for standing in ranking.rows),
        "groups": groups,
        "facets": _facets(ranking, groups[:MOST_FACETS]),
        "facets_left": max(0, len(groups) - MOST_FACETS),
        "choice": choice,
        "projects": roles.projects_for(request.user).filter(feed__suite=found).order_by("created_at", "pk"),
        "versions": found.versions.annotate(size=Count("revisions")).order_by("-created_at", "-pk"),
        "groupings": GROUPINGS,
        "page": page,
    }
    return render(request, "staff/evaluation/suite.html", ctx)


def _measured(agent: str, success: SuccessRate) -> Measured:
    return Measured(
        label=agent,
        value=success.rate,
        low=success.low,
        high=success.high,
        standard_error=success.standard_error,
        n=success.n,
        href=reverse("staff-agent", args=[agent]),
    )


def group_rows(ranking: Ranking) -> list[GroupRow]:
    """The groups of the ranking, by name, with a rate for each agent."""
    rates = [dict(standing.groups) for standing in ranking.rows]
    names = {name for mine in rates for name in mine}
    return [
        GroupRow(name, [mine.get(name) for mine in rates])
        for name in sorted(names, key=lambda name: (name is None, name or ""))
    ]


def _facets(ranking: Ranking, groups: list[GroupRow]) -> list[Facet]:
    agents = [standing.agent for standing in ranking.rows]
    return [
        Facet(
            group.name,
            interval_plot(
                [_measured(agent, rate) for agent, rate in zip(agents, group.rates, strict=True) if rate is not None]
            ),
        )
        for group in groups
    ]


@staff_only
@require_safe
def ranking_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The numbers of the table and the plot, one row for each agent, or for each agent and group."""
    choice = _choice(request)
    ranking = _ranking(request.user, suite_named(slug), choice)
    columns, *rows = _csv_rows(ranking, choice.by)
    response = HttpResponse(b"".join(csv_lines(map(str, columns), rows)), content_type="text/csv; charset=utf-8")
    name = "-".join(part for part in ("ranking", slug, choice.version, choice.by) if part)
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _csv_rows(ranking: Ranking, by: str) -> Iterator[list[str | int | float | None]]:
    numbers = ["n", "successes", "rate", "standard_error", "low", "high"]
    yield ["agent", "rank", *([by] if by else []), *numbers, "unjudged", "pending"]
    for standing in ranking.rows:
        head = [standing.agent, standing.rank]
        yield [*head, *([""] if by else []), *standing.success, standing.unjudged, standing.pending]
        if by:
            for group, success in standing.groups:
                yield [*head, group or "(none)", *success, None, None]
