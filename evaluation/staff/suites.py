"""Suites: scenarios, versions, and the ranking as a table, a plot and a CSV."""

import csv
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation import roles
from annotation.roles import Account
from common.errors import Invalid
from common.plots import IntervalPlot, Measured, interval_plot
from common.staff import paged, staff_only
from evaluation.models import Episode, Scenario, Suite, Version
from evaluation.ranking import GROUPINGS, Ranking, marker_project, rank_agents, version_named
from evaluation.statistics.success import SuccessRate
from evaluation.suites import suite_named

MOST_FACETS = 12
"""Plots drawn for groups; the table and the CSV have them all."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Choice(NamedTuple):
    """What the ranking is of: "" stands for all, or for the default."""

    version: str
    project: str
    by: str
    tag: str


class Facet(NamedTuple):
    """One group's plot; `name` None gathers what is in no group."""

    name: str | None
    plot: IntervalPlot


class GroupRow(NamedTuple):
    """One group with its rate for each agent, in the order of the ranking."""

    name: str | None
    rates: list[SuccessRate | None]


@staff_only
@require_safe
def suite_list(request: HttpRequest) -> HttpResponse:
    page = paged(request, _counted(Suite.objects.order_by("-created_at", "-pk")))
    ctx = {"section": "suites", "page": page}
    return render(request, "staff/suites.html", ctx)


def _counted(suites: QuerySet[Suite]) -> QuerySet[Suite]:
    """With how many scenarios, versions and episodes each has: subqueries, for joins would multiply the counts."""
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
    """The ranking that was asked for, as judged in a project that the account may see.

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
        "plot": interval_plot([_measured(standing.agent, standing.success) for standing in ranking.standings]),
        "unjudged": sum(standing.unjudged for standing in ranking.standings),
        "pending": sum(standing.pending for standing in ranking.standings),
        "groups": groups,
        "facets": _facets(ranking, groups[:MOST_FACETS]),
        "facets_left": max(0, len(groups) - MOST_FACETS),
        "choice": choice,
        "projects": roles.projects_for(request.user).filter(feed__suite=found).order_by("created_at", "pk"),
        "versions": found.versions.annotate(size=Count("revisions")).order_by("-created_at", "-pk"),
        "groupings": GROUPINGS,
        "page": page,
    }
    return render(request, "staff/suite.html", ctx)


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
    """The ranking's groups, by name, as rows over its agents."""
    rates = [dict(standing.groups) for standing in ranking.standings]
    names = {name for mine in rates for name in mine}
    return [
        GroupRow(name, [mine.get(name) for mine in rates])
        for name in sorted(names, key=lambda name: (name is None, name or ""))
    ]


def _facets(ranking: Ranking, groups: list[GroupRow]) -> list[Facet]:
    agents = [standing.agent for standing in ranking.standings]
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
    """The numbers of the table and the plot; one row an agent, or one for each agent and group."""
    choice = _choice(request)
    ranking = _ranking(request.user, suite_named(slug), choice)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = "-".join(part for part in ("ranking", slug, choice.version, choice.by) if part)
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    csv.writer(response).writerows(_csv_rows(ranking, choice.by))
    return response


def _csv_rows(ranking: Ranking, by: str) -> Iterator[list[str | int | float | None]]:
    numbers = ["n", "successes", "rate", "standard_error", "low", "high"]
    yield ["agent", "rank", *([by] if by else []), *numbers, "unjudged", "pending"]
    for standing in ranking.standings:
        head = [text_cell(standing.agent), standing.rank]
        yield [*head, *([""] if by else []), *standing.success, standing.unjudged, standing.pending]
        if by:
            for group, success in standing.groups:
                yield [*head, text_cell(group or "(none)"), *success, None, None]


def text_cell(text: str) -> str:
    """A text that a spreadsheet will not take for a formula (OWASP, "CSV injection").

    >>> text_cell("=1+1"), text_cell("red")
    ("'=1+1", 'red')
    """
    return f"'{text}" if text.startswith(FORMULA) else text
