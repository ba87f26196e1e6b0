"""The planner of a suite: what a run would show and cost, and where on the scale of ability it tells agents apart."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from common.serializers import CURRENCY, AmountField, IntegerField, NumberField, PatternField
from evaluation.figures.information import Information, information_of
from evaluation.figures.planning import Plan, Wish, plans_of
from evaluation.figures.rank_intervals import Asked
from evaluation.suites import suite_named
from lib.faults import Invalid
from lib.plots.charts import Point, line_plot
from lib.statistics.suites.plan import MOST_CONTINUATIONS
from web.http.query_parameters import QuerySerializer, read_query
from web.staff.decorators import staff_only
from web.staff.evaluation.human_time import human_time
from web.staff.evaluation.suite_figures import asked, menus
from web.staff.figure_files import Figure, Value, file_asked

USUAL_AGENTS = 2
SIZES = (1, 2, 3, 5, 10, 20, 50)
"""The numbers of continuations in the table of sizes."""


class PlanForm(QuerySerializer):
    """The fields of the form. Shares are in percent, as people write them."""

    agents = IntegerField(min_value=2, max_value=10_000, default=USUAL_AGENTS)
    scenarios = IntegerField(min_value=2, max_value=100_000, required=False)
    continuations = IntegerField(min_value=1, max_value=MOST_CONTINUATIONS, required=False)
    difference = NumberField(min_value=0.1, max_value=100, required=False)
    power = NumberField(min_value=10, max_value=99, required=False)
    rater_accuracy = NumberField(min_value=51, max_value=100, required=False)
    price = AmountField(required=False)
    budget = AmountField(required=False)
    currency = PatternField(CURRENCY, required=False)
    seconds_per_rating = NumberField(min_value=0.1, max_value=86_400, required=False)


FIELDS: tuple[str, ...] = tuple(PlanForm().fields)
PERCENT = ("difference", "power", "rater_accuracy")


@staff_only
@require_safe
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    """The plan that the form asks for, the same run in other sizes, and the information curve; nothing is kept."""
    suite = suite_named(slug)
    what = asked(request, suite, request.user)
    found = information_of(what)
    makers: dict[str, Callable[[], Figure]] = {"information": partial(curve, found)}
    file = file_asked(request, makers)
    if file is not None:
        return file
    plans, faults = _plans(what, request.GET)
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "plan",
        "asked": what,
        "given": {name: request.GET.get(name, "") for name in FIELDS},
        "usual_agents": USUAL_AGENTS,
        "known_scenarios": suite.scenarios.exclude(current=None).count(),
        "plan": plans[0] if plans else None,
        "sizes": plans[1:],
        "faults": faults,
        "information": found,
        "figure": curve(found),
        "human_time": human_time(what, among=roles.projects_for(request.user)),
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_plan.html", ctx)


def _plans(what: Asked, given: QueryDict) -> tuple[list[Plan], list[str]]:
    """The plan of the form and those of the usual sizes; or what is wrong with the form."""
    filled = QueryDict(mutable=True)
    for name in FIELDS:
        if text := str(given.get(name, "")).strip():
            filled[name] = text
    try:
        wish = _wish(read_query(PlanForm, filled))
        sizes = [wish._replace(budget=None, difference=None, continuations=size) for size in SIZES]
        return plans_of(what, [wish, *sizes]), []
    except Invalid as error:
        return [], [_fault(one.pointer, one.detail) for one in error.faults]


def _wish(read: dict[str, Any]) -> Wish:
    shares = {name: read[name] / 100 for name in PERCENT if name in read}
    return Wish(**{**read, **shares})


def _fault(pointer: str, detail: str) -> str:
    name = pointer.removeprefix("#/").replace("_", " ")
    return f"{name.capitalize()}: {detail}"


def curve(found: Information) -> Figure:
    """Which difference in ability the suite tells apart, along the scale; the agents are below the axis."""
    title = "Where the suite tells agents apart"
    columns = ["ability", "information", "standard_error", "apart", "agents"]
    if not found.points:
        return Figure(title, found.sentence or "", line_plot([], bounds=(0, 1)), columns, [])
    left, right = found.points[0].ability, found.points[-1].ability
    highest = max(one.information for one in found.points)

    def along(ability: float) -> float:
        return (ability - left) / (right - left)

    edges = [(0.0, f"{left:.1f}"), *_names(found, along), (1.0, f"{right:.1f}")]
    plot = line_plot(
        [Point(along(one.ability), one.information) for one in found.points],
        bounds=(0, highest),
        edges=edges,
        levels=[(highest, f"{highest:.3g}"), (highest / 2, f"{highest / 2:.3g}")],
    )
    about = (
        "Fisher's information on an agent's ability (log-odds, Rasch model): the higher, the smaller the differences "
        "that show. The names below are the agents, where they stand."
    )
    rows: list[list[Value]] = [[*one, None] for one in found.points]
    rows += [[one.place.value, None, None, None, one.agent] for one in found.agents]
    return Figure(title, about, plot, columns, rows)


def _names(found: Information, along: Callable[[float], float]) -> list[tuple[float, str]]:
    """The agents at their places on the axis, strongest first, as far as their names do not touch."""
    placed: list[tuple[float, str]] = []
    for one in sorted(found.agents, key=lambda agent: -agent.place.value):
        at = along(one.place.value)
        if 0.08 < at < 0.92 and all(abs(at - other) > 0.14 for other, _ in placed):
            placed.append((at, one.agent[:14]))
    return sorted(placed)
