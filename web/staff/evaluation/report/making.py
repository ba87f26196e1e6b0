"""The report of a suite: one HTML file with figures, tables, method and citations, for somebody who was not there."""

from datetime import datetime
from itertools import combinations
from typing import Any, NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from agents.models import Agent
from annotation.models import Project
from evaluation.failures.table import FailureTable, samples_of, table_of
from evaluation.figures.comparison import Comparison, compare
from evaluation.figures.completion_times import KINDS, completion_curves
from evaluation.figures.consistency import consistencies
from evaluation.figures.correlations import SUCCESS, correlations
from evaluation.figures.difficulty import Difficulties, difficulties
from evaluation.figures.rank_intervals import Asked, intervals_of
from evaluation.models import Report, Version
from evaluation.ranking import Ranking, RankingRow, rank_agents
from evaluation.reports import keep_report
from evaluation.suites import frozen_content, frozen_digest
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.suites.rank_intervals import RESAMPLES, SEED
from web.staff.evaluation import suite_plots as plots
from web.staff.evaluation.report.files import ReportTable, files_of_report
from web.staff.evaluation.standings import Standing, standings
from web.staff.figure_files import Figure, Value, svg_of

MOST_COMPARED = 8
"""The best agents, each two of which are compared in the report."""
MOST_FAILURE_TABLES = 4
MOST_SCATTERS = 4
MOST_SCENARIOS = 200
OWN_STYLE_ALONE = {"default-src": ["'none'"], "style-src": ["'unsafe-inline'"]}
"""The content security policy of a report: it has its style in itself, and nothing that runs or loads."""


class Drawing(NamedTuple):
    """A figure of the report with its picture."""

    figure: Figure
    picture: SafeString


def make_report(asked: Asked, *, by: str, at: datetime) -> Report:
    """Make the report of the suite as it is now, and freeze it.

    Costs: some 40 queries, and 6 for each pair of the best agents.
    """
    ranking = rank_agents(**asked._asdict())
    inputs = {
        "version": asked.version.slug if asked.version else None,
        "project": asked.project.slug if asked.project else None,
        "counts": ranking.counts.digest(),
    }
    figures = _figures(asked, ranking)
    ctx = _context(asked, ranking, list(figures.values()), at)
    content = render_to_string("staff/evaluation/report_file.html", ctx).encode()
    tables = _tables(ctx["standings"], ctx["pairs"], difficulties(asked)) | _failure_tables(ctx["failures"])
    return keep_report(
        suite=asked.suite,
        inputs=inputs,
        content=content,
        files=lambda: files_of_report(content, figures, tables, inputs=inputs),
        by=by,
        at=at,
    )


def _context(asked: Asked, ranking: Ranking, figures: list[Figure], at: datetime) -> dict[str, Any]:
    found = intervals_of(ranking.counts, asked)
    difficulty = difficulties(asked)
    return {
        "suite": asked.suite,
        "version": asked.version,
        "version_sha256": _sha256(asked.version),
        "project": asked.project,
        # A day, so that a report of the same data made twice is one report.
        "day": at.date(),
        "standings": standings(ranking, found),
        "ranking": ranking,
        "found": found,
        "unjudged": sum(row.unjudged for row in ranking.rows),
        "pending": sum(row.pending for row in ranking.rows),
        "drawings": [Drawing(one, mark_safe(svg_of(one))) for one in figures],  # noqa: S308 - our own SVG
        "pairs": _pairs(asked, ranking),
        "most_compared": MOST_COMPARED,
        "scenarios": plots.by_difficulty(difficulty)[:MOST_SCENARIOS],
        "failures": _failures(asked),
        "seed": SEED,
        "resamples": RESAMPLES,
        "address": settings.PUBLIC_URL,
    }


def _failures(asked: Asked) -> list[FailureTable]:
    """The tables of the newest samples of failures in the project, of the version if one is asked for."""
    if asked.project is None:
        return []
    found = samples_of(asked.suite, among=Project.objects.filter(pk=asked.project.pk))
    if asked.version is not None:
        found = found.filter(version=asked.version)
    return [table_of(sample) for sample in found[:MOST_FAILURE_TABLES]]


def _sha256(version: Version | None) -> str:
    return frozen_digest(frozen_content(version)) if version else ""


def _figures(asked: Asked, ranking: Ranking) -> dict[str, Figure]:
    """The figures that have something to show, by the names of their files."""
    with_success = [pair for pair in correlations(asked, method="spearman") if pair.y == SUCCESS]
    figures = {
        "success": _rates(ranking),
        **{kind: plots.completion(completion_curves(asked, kind=kind), kind=kind) for kind in reversed(KINDS)},
        "difficulty": plots.difficulty(difficulties(asked)),
        "consistency": plots.consistency(consistencies(asked)),
        **{f"correlation-{number}": plots.scatter(pair) for number, pair in enumerate(with_success[:MOST_SCATTERS], 1)},
    }
    return {name: figure for name, figure in figures.items() if not figure.is_empty}


def _tables(found: list[Standing], pairs: list[Comparison], difficulty: Difficulties) -> dict[str, ReportTable]:
    """The tables of the page, by the names of their files."""
    agents = ["rank", "rank_low", "rank_high", "agent", "rate", "low", "high", "se_suite", "se_population", "n"]
    scenarios = plots.difficulty(difficulty)
    return {
        "ranking": ReportTable("Success of the agents", agents, [_standing(one) for one in found]),
        "pairs": ReportTable(
            "Differences of agents, paired by scenario, for new scenarios",
            ["a", "b", "difference", "low", "high", "p", "p_holm"],
            [
                [one.a, one.b, one.paired.difference, one.paired.low, one.paired.high, one.paired.p, one.p_holm]
                for one in pairs
            ],
        ),
        "scenarios": ReportTable("Scenarios by difficulty", scenarios.columns, scenarios.rows),
    }


def _failure_tables(found: list[FailureTable]) -> dict[str, ReportTable]:
    """By the names of their files."""
    columns = ["source", "name", "n", "share", "low", "high"]
    return {
        f"failures-{number}": ReportTable("Kinds of failures", columns, [list(row) for row in table.rows])
        for number, table in enumerate(found, 1)
    }


def _standing(one: Standing) -> list[Value]:
    row, interval = one.row, one.interval or (None, None)
    return [
        row.rank,
        *interval,
        row.agent,
        row.success.rate,
        row.success.low,
        row.success.high,
        *_errors(row),
        row.success.n,
    ]


def _errors(row: RankingRow) -> list[Value]:
    return [row.mean.se_suite, row.mean.se_population]


def _rates(ranking: Ranking) -> Figure:
    rows = [row for row in ranking.rows if row.success.n]
    measured = [
        Measured(
            row.agent, row.success.rate, row.success.low, row.success.high, row.success.standard_error, row.success.n
        )
        for row in rows
        if row.kind == Agent.Kind.AGENT
    ]
    lines = [(row.agent, row.success.rate or 0.0) for row in rows if row.kind != Agent.Kind.AGENT]
    about = "Lines: 95 % Wilson intervals. Bands: one binomial standard error."
    if lines:
        about += " Dashed, people and guessing: " + ", ".join(f"{name} {rate:.1%}" for name, rate in lines) + "."
    columns = ["agent", "n", "successes", "rate", "standard_error", "low", "high"]
    return Figure(
        "Share of successes",
        about,
        interval_plot(measured, lines=lines),
        columns,
        [[row.agent, *row.success] for row in rows],
    )


def _pairs(asked: Asked, ranking: Ranking) -> list[Comparison]:
    best = [row.agent for row in ranking.rows if row.rank is not None][:MOST_COMPARED]
    return [compare(asked, a=a, b=b) for a, b in combinations(best, 2)]
