"""The figures of a suite: curves, difficulty, correlations, and two agents against each other."""

from collections.abc import Sequence
from itertools import islice

from evaluation.figures.comparison import AtScenario, Comparison
from evaluation.figures.completion_times import INCIDENCE, Curve
from evaluation.figures.consistency import AgentConsistency
from evaluation.figures.correlations import Pair
from evaluation.figures.difficulty import Difficulties, Difficulty
from evaluation.figures.scenario_effects import SuiteEffects
from lib.plots.curves import SERIES, Moment, scatter_plot, step_plot
from lib.plots.intervals import Measured, interval_plot
from lib.statistics.intervals import wilson
from web.staff.figure_files import Figure, Value

MOST_SCENARIOS = 40
MOST_MOMENTS = 60
"""Steps of a drawn curve; its table has all."""
NAMED = 6


def completion(curves: Sequence[Curve], *, kind: str) -> Figure:
    """The curves of the first agents, in the given order; the table has all of them."""
    drawn = [(one.agent, [_moment(point) for point in _some(one)]) for one in curves if one.points][:SERIES]
    end = max((moments[-1].at for _, moments in drawn), default=1.0)
    left = sum(bool(one.points) for one in curves) - len(drawn)
    if kind == INCIDENCE:
        title = "Successes over time, of all continuations"
        about = "Cumulative incidence: a failure competes with success, so the curve ends at the share of successes."
    else:
        title = "Successes over time, of the successes"
        about = "The distribution among successes alone (paper 000, figure 8): who fails is left out."
    about += " Bands: 95 % intervals for independent continuations. Seconds from the takeover."
    if left:
        about += f" {left} more in the CSV."
    columns = ["agent", "n", "time_s", "completed", "low", "high", "at_risk"]
    rows: list[list[Value]] = [[one.agent, one.n, *point] for one in curves for point in one.points]
    return Figure(title, about, step_plot(drawn, end=end * 1.02 or 1.0), columns, rows)


def _some(curve: Curve) -> list[tuple[float, float, float, float]]:
    step = -(-len(curve.points) // MOST_MOMENTS)
    kept = list(islice(curve.points, 0, None, step))
    last = curve.points[-1]
    return [(one.time_s, one.completed, one.low, one.high) for one in (kept if kept[-1] == last else [*kept, last])]


def _moment(point: tuple[float, float, float, float]) -> Moment:
    return Moment(*point)


def by_difficulty(found: Difficulties) -> list[Difficulty]:
    """The hardest scenarios first; those without a judged continuation last."""
    return sorted(found.scenarios, key=lambda one: (one.rate is None, one.rate or 0.0, one.scenario))


def difficulty(found: Difficulties) -> Figure:
    """The rate of success of all agents together at each scenario, hardest first."""
    rows = by_difficulty(found)
    measured = [
        Measured(one.scenario, one.rate, *wilson(one.rate * one.n, one.n), n=one.n)
        for one in rows[:MOST_SCENARIOS]
        if one.rate is not None
    ]
    about = "All agents together, hardest first; lines are 95 % Wilson intervals."
    if found.misfit is not None:
        about += f" The Rasch model's misfit is {found.misfit:.2f}"
        about += ": agents have strengths of their own." if found.misfit > 1.5 else "; 1 is a perfect fit."
    if len(rows) > MOST_SCENARIOS:
        about += f" {len(rows) - MOST_SCENARIOS} more in the CSV."
    columns = ["scenario", "n", "rate", "difficulty", "low", "high", "remark"]
    table = [[one.scenario, one.n, one.rate, *(one.place or (None, None, None)), one.sentence or ""] for one in rows]
    return Figure("Scenarios by difficulty", about, interval_plot(measured), columns, table)


def consistency(found: Sequence[AgentConsistency]) -> Figure:
    """How often two continuations of one scenario end alike, for each agent."""
    known = [(one.agent, one.found) for one in found if one.found]
    known.sort(key=lambda pair: -pair[1].value)
    measured = [Measured(agent, one.value, one.low, one.high, n=one.scenarios) for agent, one in known]
    about = (
        "The chance that two continuations of one scenario have the same outcome; n counts the scenarios, lines are "
        "95 % intervals for new ones. “expected” in the CSV is that chance where every scenario is equally difficult."
    )
    columns = ["agent", "scenarios", "consistency", "low", "high", "expected", "always", "mixed", "never"]
    rows = [[row[column] for column in columns] for row in (one.as_json() for one in found if one.found)]
    return Figure("Consistency", about, interval_plot(measured[:MOST_SCENARIOS]), columns, rows)


def scatter(pair: Pair) -> Figure:
    """One measure against another, a dot for each agent."""
    found = pair.found
    if found.rho is None:
        about = pair.sentence or ""
    else:
        symbol = "Spearman's" if pair.method == "spearman" else "Pearson's"
        about = f"{symbol} correlation {found.rho:.2f}, n {found.n}, p {found.p:.2g}"
        about += (
            f", 95 % {found.low:.2f} to {found.high:.2f}." if found.low is not None else "; too few for an interval."
        )
        if found.n < 10:
            about += " With so few agents, another agent could change this altogether."
    points = [(point.agent, point.x, point.y) for point in pair.points]
    return Figure(
        f"{pair.y} against {pair.x}",
        about,
        scatter_plot(points, x_name=pair.x, y_name=pair.y),
        ["agent", pair.x, pair.y],
        [list(point) for point in pair.points],
    )


def scenario_effects(found: SuiteEffects) -> Figure:
    """The effect of each scenario on the correlation with success against that on the sensitivity."""
    both = [
        (one.scenario, one.found.sensitivity, one.found.correlation)
        for one in found.scenarios
        if one.found.sensitivity is not None and one.found.correlation is not None
    ]
    about = "A dot for each scenario. Correlation and sensitivity are higher without those below 0 and left of 0."
    columns = ["scenario", "on_correlation", "lowers_in_halves", "on_sensitivity"]
    rows = [[one.scenario, one.found.correlation, one.found.lowers, one.found.sensitivity] for one in found.scenarios]
    plot = scatter_plot(both, x_name="on sensitivity", y_name="on correlation", named=NAMED)
    return Figure(f"Effects of the scenarios, with {found.metric or 'no metric'}", about, plot, columns, rows)


def by_difference(found: Comparison) -> list[AtScenario]:
    """The scenarios where the agents differ most first; those that only one was tried at last."""
    return sorted(found.scenarios, key=lambda one: (one.apart is None, -abs(one.apart or 0.0), one.scenario))


def two_agents(found: Comparison) -> Figure:
    """The rates of both agents at each scenario that both were tried at."""
    rows = by_difference(found)
    points = [(one.scenario, one.a, one.b) for one in rows if one.a is not None and one.b is not None]
    return Figure(
        f"{found.b} against {found.a}, scenario by scenario",
        f"Below the dashed line {found.a} is better, above it {found.b}.",
        scatter_plot(points, x_name=found.a, y_name=found.b, bounds=(0.0, 1.0), named=NAMED),
        ["scenario", "a", "b", "n_a", "n_b"],
        [list(one) for one in rows] if points else [],
    )
