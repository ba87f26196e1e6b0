"""Correlations over agents: of every posted metric with the rate of success, and of the metrics with each other."""

from itertools import combinations
from typing import Any, NamedTuple

from agents.models import Agent, Metric
from evaluation.figures.counts import SuiteCounts, read_counts
from evaluation.figures.rank_intervals import Asked
from lib.statistics.suites.correlation import LEAST, Correlation, correlation

SUCCESS = "success"
MOST_METRICS = 12
"""The metrics that most agents have. More would make more pairs than anybody reads."""


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
    measures = {SUCCESS: _rates(counts), **_metrics(counts.agents, asked)}
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


def _rates(counts: SuiteCounts) -> dict[str, float]:
    n, hits = counts.judged.sum(axis=1).tolist(), counts.success.sum(axis=1).tolist()
    return {agent: k / size for agent, k, size in zip(counts.agents, hits, n, strict=True) if size}


def _metrics(agents: list[str], asked: Asked) -> dict[str, dict[str, float]]:
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
