"""The effect of each scenario of a suite on its sensitivity, and on the correlation of a metric with success."""

from typing import NamedTuple

from evaluation.figures.correlations import latest_metrics
from evaluation.figures.counts import read_counts
from evaluation.figures.kept import kept_figure
from evaluation.figures.rank_intervals import Asked
from lib.statistics.suites.scenario_effects import Effect, Effects, Filtered, scenario_effects

NO_VALUE = float("nan")


class ScenarioEffect(NamedTuple):
    scenario: str
    found: Effect


class SuiteEffects(NamedTuple):
    """The scenarios, worst first, and what the effects are on; `metric` is None where no agent has a metric."""

    metric: str | None
    metrics: list[str]
    method: str
    found: Effects
    scenarios: list[ScenarioEffect]

    @property
    def sentence(self) -> str:
        """A sentence about a suite without its worst scenarios, on agents by which they were not chosen."""
        filtered = self.found.filtered
        if self.metric is None:
            return "No metric was posted for these agents, so there is nothing to correlate with."
        if filtered is None:
            return (
                f"{self.found.n} agents with {self.metric}: too few to try a filter on agents that did not choose it."
            )
        return (
            f"Without the {filtered.left_out} worst of {len(self.scenarios)} scenarios, chosen on one half of the "
            f"agents, the correlation changes by {filtered.chosen:+.2f} on that half, and by {filtered.others:+.2f} on "
            f"the other (95 % of {filtered.halves} halves: {filtered.low:+.2f} to {filtered.high:+.2f})."
        )


def suite_effects(asked: Asked, *, metric: str | None, method: str) -> SuiteEffects:
    """The effects on the suite with this metric, by default with the one that most agents have. People and guessing
    do not count. 5 queries, 7 the first time.

    Costs: see `lib.statistics.suites.scenario_effects`; kept until a count or a value changes.
    """
    counts = read_counts(**asked._asdict()).of_programs()
    metrics = latest_metrics(counts.agents, asked)
    chosen = metric if metric in metrics else next(iter(metrics), None)
    values = metrics[chosen] if chosen else {}
    by_scenario = counts.by_scenario()

    def made() -> list[object]:
        column = [values.get(agent, NO_VALUE) for agent in counts.agents]
        return list(scenario_effects(by_scenario.successes, by_scenario.n, column, method=method))

    n, sensitivity, correlation, effects, filtered = kept_figure(
        ["scenario effects", method, chosen, values, counts.digest()], made
    )
    found = Effects(n, sensitivity, correlation, [Effect(*one) for one in effects], filtered and Filtered(*filtered))
    scenarios = [ScenarioEffect(*pair) for pair in zip(by_scenario.scenarios, found.scenarios, strict=True)]
    return SuiteEffects(chosen, list(metrics), method, found, sorted(scenarios, key=_worst_first))


def _worst_first(one: ScenarioEffect) -> tuple[bool, float, bool, float, str]:
    """By the effect on the correlation, then on the sensitivity; scenarios without an effect last."""
    effect = one.found
    return (
        effect.correlation is None,
        effect.correlation or 0.0,
        effect.sensitivity is None,
        effect.sensitivity or 0.0,
        one.scenario,
    )
