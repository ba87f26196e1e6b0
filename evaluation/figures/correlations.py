"""Correlations over agents: of every posted metric with the rate of success, and of the metrics with each other."""

from itertools import combinations
from typing import Any, NamedTuple

from agents.models import Agent, Metric
from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.kept import kept_figure
from evaluation.figures.rank_intervals import Asked
from lib.statistics.suites.correlation import (
    LEAST,
    LEAST_TO_COMPARE,
    Correlation,
    CorrelationDifference,
    correlation,
    difference_of_correlations,
)

SUCCESS = "success"
MOST_METRICS = 12
"""The metrics that most agents have. More would make more pairs than anybody reads."""
MOST_COMPARED = 7
"""The best measure is compared with at most six others."""

LARGEST = 1e300
"""Larger numbers cannot be drawn."""


class AgentPoint(NamedTuple):
    agent: str
    x: float
    y: float


class Pair(NamedTuple):
    """Two measures with their correlation over the agents that have both."""

    x: str
    y: str
    method: str
    found: Correlation
    points: list[AgentPoint]

    @property
    def sentence(self) -> str | None:
        """Why there is no correlation; None where there is one."""
        if self.found.rho is not None:
            return None
        if self.found.n < LEAST:
            return f"{self.found.n} agent{'' if self.found.n == 1 else 's'} with both: too few for a correlation."
        return "One of the two is the same for every agent, so nothing correlates with it."

    def as_json(self) -> dict[str, Any]:
        return {
            "x": self.x,
            "y": self.y,
            "method": self.method,
            **self.found._asdict(),
            "points": [point._asdict() for point in self.points],
            "sentence": self.sentence,
        }


def correlations(asked: Asked, *, method: str) -> list[Pair]:
    """All pairs of measures; those with success come first. 5 queries at most.

    A metric counts if it was posted for this suite, or for none; of several values of an agent the latest counts.
    """
    counts = read_counts(**asked._asdict())
    measures = {SUCCESS: _rates(counts), **latest_metrics(counts.agents, asked)}
    return [_pair(x, y, measures, method) for y, x in combinations(measures, 2)]


def metadata_against_success(asked: Asked, *, method: str) -> list[Pair]:
    """Each number in the metadata of the programs, as their size, with success (paper 000, figure 10). 5 queries at
    most."""
    counts = read_counts(**asked._asdict()).of_programs()
    numbers: dict[str, dict[str, float]] = {}
    for agent, metadata in Agent.objects.filter(slug__in=counts.agents).values_list("slug", "metadata"):
        for name, value in metadata.items():
            if type(value) in (int, float) and abs(value) < LARGEST:
                numbers.setdefault(name, {})[agent] = float(value)
    rates = _rates(counts)
    # A number that is the same for all says nothing about them.
    names = [name for name, mine in numbers.items() if len({mine[agent] for agent in mine if agent in rates}) > 1]
    names.sort(key=lambda name: (-len(numbers[name]), name))
    return [_pair_of(name, numbers[name], SUCCESS, rates, method) for name in names[:MOST_METRICS]]


class BetterMeasure(NamedTuple):
    """How much more closely measure `a` goes with success than `b`; `found` is None where too few agents have both.

    A measure that falls where success rises, as a loss, is taken with its sign turned.
    """

    a: str
    b: str
    method: str
    found: CorrelationDifference | None

    @property
    def sentence(self) -> str:
        if self.found is None:
            return f"Fewer than {LEAST_TO_COMPARE} agents have both, or one of them is the same for nearly all."
        if self.found.low > 0 or self.found.high < 0:
            better, worse = (self.a, self.b) if self.found.difference > 0 else (self.b, self.a)
            return f"{better} goes with success more closely than {worse}."
        return "Not told apart."

    def as_json(self) -> dict[str, Any]:
        numbers = self.found._asdict() if self.found else dict.fromkeys(CorrelationDifference._fields)
        return {"a": self.a, "b": self.b, "method": self.method, **numbers, "sentence": self.sentence}


def better_measures(asked: Asked, *, method: str) -> list[BetterMeasure]:
    """The measure that goes with success most closely, against each of the others. 6 queries, 8 the first time.

    Costs: 0.2 s for each, the first time.
    """
    counts = read_counts(**asked._asdict())
    rates, metrics = _rates(counts), latest_metrics(counts.agents, asked)
    pairs = [_pair_of(name, values, SUCCESS, rates, method) for name, values in metrics.items()]
    known = sorted((pair for pair in pairs if pair.found.rho is not None), key=lambda pair: -abs(pair.found.rho or 0.0))
    if len(known) < 2:
        return []
    best = known[0].x
    rising = {pair.x: _turned(metrics[pair.x]) if (pair.found.rho or 0.0) < 0 else metrics[pair.x] for pair in known}
    names = ["better measures", method, best, rising, rates]
    kept = kept_figure(
        names, lambda: [_compared(best, pair.x, rising, rates, method) for pair in known[1:MOST_COMPARED]]
    )
    return [
        BetterMeasure(best, pair.x, method, CorrelationDifference(*found) if found else None)
        for pair, found in zip(known[1:MOST_COMPARED], kept, strict=True)
    ]


def _turned(values: dict[str, float]) -> dict[str, float]:
    return {agent: -value for agent, value in values.items()}


def _compared(
    a: str, b: str, metrics: dict[str, dict[str, float]], rates: dict[str, float], method: str
) -> list[float] | None:
    agents = sorted(set(metrics[a]) & set(metrics[b]) & set(rates))
    columns = ([values[agent] for agent in agents] for values in (metrics[a], metrics[b], rates))
    found = difference_of_correlations(*columns, method=method)
    return list(found) if found else None


def _rates(counts: SuiteCounts) -> dict[str, float]:
    n, hits = counts.judged.sum(axis=1).tolist(), counts.success.sum(axis=1).tolist()
    return {agent: k / size for agent, k, size in zip(counts.agents, hits, n, strict=True) if size}


def latest_metrics(agents: list[str], asked: Asked) -> dict[str, dict[str, float]]:
    """By metric, those of most agents first: the latest value of each agent. 1 query."""
    rows = Metric.objects.filter(agent__slug__in=agents, suite__in=("", asked.suite.slug))
    if asked.version is not None:
        rows = rows.filter(version__in=("", asked.version.slug))
    found: dict[str, dict[str, float]] = {}
    for agent, metric, value in rows.order_by("created_at", "pk").values_list("agent__slug", "metric", "value"):
        found.setdefault(metric, {})[agent] = value
    found.pop(SUCCESS, None)
    return {name: found[name] for name in sorted(found, key=lambda name: (-len(found[name]), name))[:MOST_METRICS]}


def _pair(x: str, y: str, measures: dict[str, dict[str, float]], method: str) -> Pair:
    return _pair_of(x, measures[x], y, measures[y], method)


def _pair_of(x: str, xs: dict[str, float], y: str, ys: dict[str, float], method: str) -> Pair:
    points = [AgentPoint(agent, value, ys[agent]) for agent, value in sorted(xs.items()) if agent in ys]
    found = correlation([point.x for point in points], [point.y for point in points], method=method)
    return Pair(x, y, method, found, points)
