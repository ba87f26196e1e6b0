"""Pages of a suite beside its ranking: its figures, two agents compared, and how far the runs are."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Account
from evaluation.figures.comparison import ESTIMANDS, POPULATION, compare
from evaluation.figures.completion_times import KINDS, completion_curves
from evaluation.figures.consistency import consistencies
from evaluation.figures.correlations import SUCCESS, Pair, better_measures, correlations, metadata_against_success
from evaluation.figures.difficulty import difficulties
from evaluation.figures.rank_intervals import Asked
from evaluation.figures.runs import newest_version, runs_of, wordings_of
from evaluation.figures.scenario_effects import suite_effects
from evaluation.models import Suite
from evaluation.ranking import Ranking, marker_project, rank_agents, version_named
from evaluation.repeats.groups import Repeat, repeats_in
from evaluation.suites import suite_named
from lib.statistics.suites.correlation import METHODS
from web.staff.decorators import chosen, staff_only
from web.staff.evaluation import suite_plots as plots
from web.staff.figure_files import Figure, file_asked

MOST_SCATTERS = 6
EFFECTS = "scenario-effects"
MOST_EFFECTS = 40
"""Scenarios in the table of effects, worst first; the CSV file has all."""
MOST_COLUMNS = 12
"""Agents in the heat map, best first."""
MOST_ROWS = 100
SHADES = 5


class HeatCell(NamedTuple):
    """An agent's rate at a scenario; `shade` 0 is the palest, and None where nothing was judged."""

    agent: str
    rate: float | None
    n: int
    shade: int | None


class HeatRow(NamedTuple):
    scenario: str
    cells: list[HeatCell]


def asked(request: HttpRequest, suite: Suite, user: Account) -> Asked:
    """The suite as the address asks for it, judged in a project that the account may see. 2 queries at most.

    Raises:
        Invalid: the version or the project does not exist.
    """
    return asked_in(request.GET, suite, user)


def asked_in(fields: QueryDict, suite: Suite, user: Account) -> Asked:
    """The suite as these fields ask for it, see `asked`."""
    return Asked(
        suite,
        marker_project(suite, fields.get("project") or None, among=roles.projects_for(user)),
        version_named(suite, fields.get("version") or None),
        None,
    )


@staff_only
@require_safe
def figures(request: HttpRequest, slug: str) -> HttpResponse:
    """Curves, difficulty and correlations; the same address serves each as a file."""
    suite = suite_named(slug)
    what = asked(request, suite, request.user)
    method = chosen(request, "method", list(METHODS)) or METHODS[0]
    makers: dict[str, Callable[[], Figure]] = {
        **{kind: partial(_curves, what, kind) for kind in KINDS},
        "difficulty": lambda: plots.difficulty(difficulties(what)),
        "consistency": lambda: plots.consistency(consistencies(what)),
    }
    pairs = correlations(what, method=method)
    with_success = [pair for pair in pairs if pair.y == SUCCESS][:MOST_SCATTERS]
    makers |= {f"correlation-{pair.x}": partial(plots.scatter, pair) for pair in with_success}
    sizes = metadata_against_success(what, method=method)[:MOST_SCATTERS]
    makers |= {f"metadata-{pair.x}": partial(plots.scatter, pair) for pair in sizes}
    effects = suite_effects(what, metric=request.GET.get("metric"), method=method)
    makers[EFFECTS] = partial(plots.scenario_effects, effects)
    file = file_asked(request, makers)
    if file is not None:
        return file
    apart = ("correlation-", "metadata-", EFFECTS)
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "figures",
        "asked": what,
        "figures": [(name, make()) for name, make in makers.items() if not name.startswith(apart)],
        "scatters": [(name, make()) for name, make in makers.items() if name.startswith("correlation-")],
        "sizes": [(name, make()) for name, make in makers.items() if name.startswith("metadata-")],
        "matrix": _matrix(pairs),
        "better": better_measures(what, method=method),
        "effects": effects,
        "effects_shown": effects.scenarios[:MOST_EFFECTS],
        "effects_figure": (EFFECTS, makers[EFFECTS]()),
        "method": method,
        "metric": request.GET.get("metric", ""),
        "methods": METHODS,
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_figures.html", ctx)


def _curves(what: Asked, kind: str) -> Figure:
    return plots.completion(completion_curves(what, kind=kind), kind=kind)


class MatrixRow(NamedTuple):
    name: str
    cells: list[Pair | None]


def _matrix(pairs: list[Pair]) -> tuple[list[str], list[MatrixRow]]:
    """The measures, and the correlations of each with those before it."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.y, pair.x)))
    by_names = {(pair.x, pair.y): pair for pair in pairs}
    rows = [MatrixRow(x, [by_names.get((x, y)) for y in names[:-1]]) for x in names[1:]]
    return names[:-1], rows


@staff_only
@require_safe
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    """Two agents at the scenarios that both were tried at; by default the two best."""
    suite = suite_named(slug)
    what = asked(request, suite, request.user)
    agents = [row.agent for row in rank_agents(**what._asdict()).rows]
    estimand = chosen(request, "estimand", list(ESTIMANDS)) or POPULATION
    a = request.GET.get("a") or (agents[0] if agents else "")
    b = request.GET.get("b") or next((agent for agent in agents if agent != a), "")
    found = compare(what, a=a, b=b, estimand=estimand) if a and b else None
    makers: dict[str, Callable[[], Figure]] = {"pair": partial(plots.two_agents, found)} if found else {}
    file = file_asked(request, makers)
    if file is not None:
        return file
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "compare",
        "asked": what,
        "agents": agents,
        "a": a,
        "b": b,
        "estimand": estimand,
        "found": found,
        "figure": makers["pair"]() if found else None,
        "scenarios": plots.by_difference(found) if found else [],
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_compare.html", ctx)


@staff_only
@require_safe
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """How far each agent is, and its rate at each scenario with a way to the videos."""
    suite = suite_named(slug)
    what = asked(request, suite, request.user)
    if what.version is None:
        what = what._replace(version=newest_version(suite))
    ranking = rank_agents(**what._asdict())
    rows, rows_left = _heat(ranking)
    repeats: dict[str, dict[str, list[Repeat]]] = {}
    for one in repeats_in(wordings_of(what)):
        repeats.setdefault(one.agent, {}).setdefault(one.kind, []).append(one)
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "runs",
        "asked": what,
        "runs": runs_of(what),
        "repeats": list(repeats.items()),
        "heat_agents": [row.agent for row in ranking.rows[:MOST_COLUMNS]],
        "heat": rows,
        "heat_rows_left": rows_left,
        "heat_agents_left": max(0, len(ranking.rows) - MOST_COLUMNS),
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_runs.html", ctx)


def _heat(ranking: Ranking) -> tuple[list[HeatRow], int]:
    """The scenarios, hardest first, with the rates of the best agents; and how many more there are."""
    found = ranking.counts.by_scenario()
    places = [ranking.counts.agents.index(row.agent) for row in ranking.rows[:MOST_COLUMNS]]
    totals, hits = found.n.sum(axis=0), found.successes.sum(axis=0)
    order = sorted(range(len(found.scenarios)), key=lambda at: (hits[at] / totals[at] if totals[at] else 2, at))
    rows = []
    for at in order[:MOST_ROWS]:
        cells = []
        for agent in places:
            n = int(found.n[agent, at])
            rate = float(found.successes[agent, at]) / n if n else None
            shade = None if rate is None else min(int(rate * SHADES), SHADES - 1)
            cells.append(HeatCell(ranking.counts.agents[agent], rate, n, shade))
        rows.append(HeatRow(found.scenarios[at], cells))
    return rows, max(0, len(order) - MOST_ROWS)


def menus(request: HttpRequest, suite: Suite) -> dict[str, object]:
    """The context of the menus of version and project."""
    return {
        "projects": roles.projects_for(request.user).filter(feed__suite=suite).order_by("created_at", "pk"),
        "versions": suite.versions.order_by("-created_at", "-pk"),
        "version": request.GET.get("version", ""),
        "project": request.GET.get("project", ""),
    }
