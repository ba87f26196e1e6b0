"""Two agents of a suite, compared at the scenarios that both were tried at."""

from typing import Any, NamedTuple

import numpy as np

from agents.models import Agent
from evaluation.figures.counts import ScenarioCounts, read_counts
from evaluation.figures.rank_intervals import Asked
from evaluation.figures.raters import Raters, raters_of_outcome
from lib.faults import Fault, Invalid
from lib.statistics.suites.corrected_rate import CorrectedDifference, corrected_difference
from lib.statistics.suites.paired import (
    Paired,
    benjamini_hochberg,
    for_new_scenarios,
    for_this_suite,
    holm,
    p_of_all_pairs,
    p_of_all_pairs_here,
)

POPULATION, SUITE = "population", "suite"
ESTIMANDS = (POPULATION, SUITE)


class AtScenario(NamedTuple):
    """The rates of both agents at one scenario; None where the agent has no judged continuation there."""

    scenario: str
    a: float | None
    b: float | None
    n_a: int
    n_b: int

    @property
    def apart(self) -> float | None:
        return None if self.a is None or self.b is None else self.a - self.b


class Comparison(NamedTuple):
    """The difference a - b of the mean rates over the scenarios that both agents were tried at.

    Attributes:
        p_holm, p_bh: The p value, adjusted for all pairs of agents of the suite.
        withheld: Why the difference is not corrected by the raters' errors; "" where it is.
    """

    a: str
    b: str
    estimand: str
    paired: Paired
    p_holm: float | None
    p_bh: float | None
    corrected: CorrectedDifference | None
    withheld: str
    scenarios: list[AtScenario]

    @property
    def sentence(self) -> str | None:
        """Why there is no test; None where there is one."""
        if self.paired.p is not None:
            return None
        if not self.paired.scenarios:
            return "No scenario has judged continuations of both agents."
        if self.estimand == POPULATION:
            few = (
                "Both agents were judged at one scenario only"
                if self.paired.scenarios == 1
                else "The difference is the same at every scenario"
            )
            return f"{few}, which does not show how new scenarios would vary."
        return "A single continuation of a scenario, or rates of 0 and 1 alone, do not show how continuations vary."

    def as_json(self) -> dict[str, Any]:
        paired = self.paired
        return {
            "a": self.a,
            "b": self.b,
            "difference": paired.difference,
            "standard_error": paired.standard_error,
            "low": paired.low,
            "high": paired.high,
            "p": paired.p,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            "estimand": self.estimand,
            "corrected": self.corrected._asdict() if self.corrected else None,
            "smallest_visible": paired.smallest_visible,
            "scenarios": [one._asdict() for one in self.scenarios],
            "sentence": self.sentence,
        }


def compare(asked: Asked, *, a: str, b: str, estimand: str = POPULATION) -> Comparison:
    """Compare two agents; p values are adjusted over all pairs. 6 queries at most.

    Raises:
        Invalid: there is no such agent, or both are the same.
    """
    _check(a, b)
    counts = read_counts(**asked._asdict())
    raters = raters_of_outcome(asked.project)
    if a not in counts.agents or b not in counts.agents:
        return Comparison(a, b, estimand, for_new_scenarios([], []), None, None, None, raters.withheld, [])
    found = counts.by_scenario()
    first, second = counts.agents.index(a), counts.agents.index(b)
    paired = _paired(found, first, second, estimand)
    p_holm, p_bh = _adjusted(found, first, second, estimand) if paired.p is not None else (None, None)
    corrected = _corrected(paired, raters)
    at_scenarios = _scenarios(found, first, second)
    return Comparison(a, b, estimand, paired, p_holm, p_bh, corrected, raters.withheld, at_scenarios)


def _check(a: str, b: str) -> None:
    known = set(Agent.objects.filter(slug__in=(a, b)).values_list("slug", flat=True))
    faults = [
        Fault(f"#/{name}", f"There is no agent {slug!r}.") for name, slug in (("a", a), ("b", b)) if slug not in known
    ]
    if not faults and a == b:
        faults = [Fault("#/b", "This is the same agent; name another one.")]
    if faults:
        raise Invalid(faults=faults)


def _paired(found: ScenarioCounts, a: int, b: int, estimand: str) -> Paired:
    both = (found.n[a] > 0) & (found.n[b] > 0)
    rates = found.rates
    if estimand == POPULATION:
        return for_new_scenarios(rates[a, both], rates[b, both])
    return for_this_suite(rates[a, both], found.n[a, both], rates[b, both], found.n[b, both])


def _adjusted(found: ScenarioCounts, a: int, b: int, estimand: str) -> tuple[float, float]:
    table = p_of_all_pairs(found.rates) if estimand == POPULATION else p_of_all_pairs_here(found.rates, found.n)
    rows, columns = np.triu_indices(len(table), k=1)
    values = table[rows, columns]
    is_known = ~np.isnan(values)
    pairs = list(zip(rows[is_known].tolist(), columns[is_known].tolist(), strict=True))
    at = pairs.index((min(a, b), max(a, b)))
    known = values[is_known].tolist()
    return holm(known)[at], benjamini_hochberg(known)[at]


def _corrected(paired: Paired, raters: Raters) -> CorrectedDifference | None:
    if raters.withheld or raters.outcome is None or paired.difference is None:
        return None
    if paired.standard_error is None or paired.quantile is None:
        return None
    return corrected_difference(paired.difference, paired.standard_error, paired.quantile, raters.outcome)


def _scenarios(found: ScenarioCounts, a: int, b: int) -> list[AtScenario]:
    rates = found.rates

    def rate(agent: int, at: int) -> float | None:
        return float(rates[agent, at]) if found.n[agent, at] else None

    return [
        AtScenario(key, rate(a, at), rate(b, at), int(found.n[a, at]), int(found.n[b, at]))
        for at, key in enumerate(found.scenarios)
        if found.n[a, at] or found.n[b, at]
    ]
