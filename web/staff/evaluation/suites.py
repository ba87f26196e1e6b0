"""Suites: scenarios, versions, and the ranking as a table, a plot and a CSV file."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from agents.models import Agent
from annotation.access import roles
from annotation.access.roles import Account
from common.tables.csv import csv_lines
from evaluation.figures.rank_intervals import Asked, intervals_of, progress_of
from evaluation.figures.shown_ranking import CORRECTED, CORRECTIONS, IDENTICAL, ONCE
from evaluation.models import Suite
from evaluation.plateau import plateau_of
from evaluation.ranking import GROUPINGS, Ranking, RankingRow, marker_project, rank_agents, version_named
from evaluation.suites import suite_named
from lib.faults import Invalid
from lib.plots.intervals import IntervalPlot, Measured, interval_plot
from lib.statistics.chance import WithoutChance
from lib.statistics.success_rate import SuccessRate
from web.http.exports import record_export
from web.staff.decorators import paged, staff_actor, staff_only
from web.staff.evaluation.standings import Standing, standings

MOST_FACETS = 12
"""The number of groups with a plot. The table and the CSV file have all groups."""


class Choice(NamedTuple):
    """The options of a ranking: "" means all, or the default."""

    version: str
    project: str
    by: str
    tag: str
    correct: str
    identical: str


class Facet(NamedTuple):
    """The plot of one group. `name` is None for the episodes without a group."""

    name: str | None
    plot: IntervalPlot


class GroupRow(NamedTuple):
    """One group with the rate of each agent, in the order of the ranking, and that rate without guessing."""

    name: str | None
    rates: list[SuccessRate | None]
    scores: list[WithoutChance | None]

    def cells(self) -> list[tuple[SuccessRate | None, WithoutChance | None]]:
        return list(zip(self.rates, self.scores, strict=True))


def _choice(request: HttpRequest) -> Choice:
    return Choice(*(request.GET.get(name, "") for name in Choice._fields))


def _asked(user: Account, suite: Suite, choice: Choice) -> Asked:
    """The ranking that the address asks for, judged in a project that the account may see.

    Raises:
        Invalid: the version or the project does not exist.
    """
    return Asked(
        suite,
        marker_project(suite, choice.project or None, among=roles.projects_for(user)),
        version_named(suite, choice.version or None),
        choice.tag or None,
        choice.identical == ONCE,
    )


def _ranking(asked: Asked, choice: Choice) -> Ranking:
    """The ranking that the address asks for.

    Raises:
        Invalid: the grouping, the correction or the way to count identical continuations does not exist.
    """
    if choice.correct and choice.correct not in CORRECTIONS:
        raise Invalid(f"There is no correction {choice.correct}; there are {', '.join(CORRECTIONS)}.")
    if choice.identical and choice.identical not in IDENTICAL:
        raise Invalid(f"Identical continuations cannot count {choice.identical}; they count {' or '.join(IDENTICAL)}.")
    if choice.by and choice.by not in GROUPINGS:
        raise Invalid(f"There is no grouping {choice.by}; there are {', '.join(GROUPINGS)}.")
    return rank_agents(
        **asked._asdict(),
        by=choice.by or None,
        is_corrected=choice.correct == CORRECTED,
    )


@staff_only
@require_safe
def suite(request: HttpRequest, slug: str) -> HttpResponse:
    found = suite_named(slug)
    choice = _choice(request)
    asked = _asked(request.user, found, choice)
    ranking = _ranking(asked, choice)
    intervals = intervals_of(ranking.counts, asked)
    groups = group_rows(ranking) if choice.by else []
    scenarios = found.scenarios.select_related("current").order_by("key")
    page = paged(request, scenarios.annotate(episode_count=Count("episodes")))
    ctx = {
        "section": "suites",
        "suite": found,
        "ranking": ranking,
        "tab": "ranking",
        "standings": standings(ranking, intervals),
        "intervals": intervals,
        "progress": progress_of(asked) if intervals.is_pending else None,
        "plot": plot_of(ranking),
        "compared_with": compared_with(ranking),
        "is_chance_known": any(row.without_chance for row in ranking.rows),
        "plateau": plateau_of(ranking.counts),
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


def plot_of(ranking: Ranking) -> IntervalPlot:
    """The programs in the order of their scores, with lines for people and guessing (paper 000, figure 6)."""
    rows = [_measured(one.agent, one.success) for one in ranking.rows if one.kind == Agent.Kind.AGENT]
    lines = [(one.agent, one.success.rate) for one in compared_with(ranking) if one.success.rate is not None]
    return interval_plot(rows, lines=lines)


def compared_with(ranking: Ranking) -> list[RankingRow]:
    """People and guessing, best first."""
    rows = [one for one in ranking.rows if one.kind != Agent.Kind.AGENT]
    return sorted(rows, key=lambda one: (one.success.rate is None, -(one.success.rate or 0.0), one.agent))


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
    rates = [{one.group: one.success for one in standing.groups} for standing in ranking.rows]
    scores = [{one.group: one.without_chance for one in standing.groups} for standing in ranking.rows]
    names = {name for mine in rates for name in mine}
    return [
        GroupRow(name, [mine.get(name) for mine in rates], [mine.get(name) for mine in scores])
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
    asked = _asked(request.user, suite_named(slug), choice)
    ranking = _ranking(asked, choice)
    columns, *rows = _csv_rows(standings(ranking, intervals_of(ranking.counts, asked)), choice.by)
    response = HttpResponse(b"".join(csv_lines(map(str, columns), rows)), content_type="text/csv; charset=utf-8")
    name = "-".join(part for part in ("ranking", slug, choice.version, choice.by) if part)
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    record_export(request, what="ranking", by=staff_actor(request))
    return response


def _csv_rows(found: Sequence[Standing], by: str) -> Iterator[list[str | int | float | None]]:
    numbers = ["n", "successes", "rate", "standard_error", "low", "high"]
    errors = ["se_suite", "se_population"]
    certain = ["rank_low", "rank_high", "ties", "corrected_rate", "corrected_low", "corrected_high"]
    yield ["agent", "rank", *([by] if by else []), *numbers, *errors, "unjudged", "pending", *certain]
    for standing in found:
        row = standing.row
        head = [row.agent, row.rank]
        interval, corrected = standing.interval or (None, None), row.corrected or (None, None, None)
        counts = [row.unjudged, row.pending]
        means = [row.mean.se_suite, row.mean.se_population]
        yield [*head, *([""] if by else []), *row.success, *means, *counts, *interval, standing.ties, *corrected]
        for group, success, mean, _ in row.groups:
            yield [*head, group or "(none)", *success, mean.se_suite, mean.se_population, *[None] * 8]
