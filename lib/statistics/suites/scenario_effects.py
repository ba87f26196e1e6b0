"""The effect of each scenario on two properties of a suite: its sensitivity, and its correlation with another metric.

Paper 000, section 4.1: "scenarios can be chosen or filtered based on their effects on these properties". An effect is
the property with the scenario less the property without it: below 0, the suite is better without the scenario.
Scenarios that are filtered by their effects on some agents improve the properties on those agents by chance alone;
therefore the effects are also measured on random halves of the agents, and a filter chosen on one half is tried on the
other.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.suites.correlation import LEAST_TO_COMPARE, correlation, correlations_of_columns

Floats = npt.NDArray[np.float64]
SPLITS = 20
"""Random splits of the agents into halves; each half is used once to choose and once to try."""
SEED = 20_260
WORST = 0.1
"""The share of the scenarios that a filter leaves out; at least one."""
ROUNDING = 1e-20
"""A variance of rates below this comes from rounding: all are the same."""


class Effect(NamedTuple):
    """The effects of one scenario; None where a property does not exist with or without it.

    `lowers` is the share of the halves in which the scenario lowers the correlation; None with too few agents.
    """

    sensitivity: float | None
    correlation: float | None
    lowers: float | None


class Filtered(NamedTuple):
    """How much the correlation changes without the worst scenarios, on average over the halves.

    `chosen` is the change on the agents by which these scenarios were chosen, `others` on the other agents, with `low`
    and `high`, between which 95 % of the halves lie.
    """

    left_out: int
    halves: int
    chosen: float
    others: float
    low: float
    high: float


class Effects(NamedTuple):
    """Both properties of the whole suite, the effect of each scenario on them, and a filter tried on other agents."""

    n: int
    sensitivity: float | None
    correlation: float | None
    scenarios: list[Effect]
    filtered: Filtered | None


def sensitivity(successes: npt.ArrayLike, n: npt.ArrayLike) -> float | None:
    """The share of the variance between the agents' rates that is not chance of their continuations, at most 1.

    It may be negative, where the agents differ less than by chance. None for fewer than two agents, or equal rates.

    Args:
        successes: Number of successes, shape (agents, scenarios).
        n: Number of judged continuations, of the same shape.

    >>> round(sensitivity([[90, 80], [10, 20]], [[100, 100], [100, 100]]), 3)
    0.997
    >>> sensitivity([[1], [1]], [[2], [2]]) is None
    True
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    total, noise = tries.sum(axis=1), _noise(hits, tries).sum(axis=1)
    return _sensitivity(hits.sum(axis=1), total, noise)


def scenario_effects(
    successes: npt.ArrayLike, n: npt.ArrayLike, metric: npt.ArrayLike | None = None, *, method: str = "spearman"
) -> Effects:
    """The effect of each scenario; without a metric on the sensitivity alone.

    Args:
        successes: Number of successes, shape (agents, scenarios).
        n: Number of judged continuations, of the same shape.
        metric: A value for each agent; nan where it has none.

    Costs: 2 * SPLITS + 1 correlations for each scenario: 1 s for 500 agents and 660 scenarios.
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    values = np.full(len(hits), np.nan) if metric is None else np.asarray(metric, dtype=np.float64)
    noise = _noise(hits, tries)
    with_all = sensitivity(hits, tries)
    without = [
        _sensitivity(hits.sum(axis=1) - hits[:, at], tries.sum(axis=1) - tries[:, at], noise.sum(axis=1) - noise[:, at])
        for at in range(hits.shape[1])
    ]
    used = np.flatnonzero(~np.isnan(values) & (tries.sum(axis=1) > 0))
    whole = _rho(hits, tries, values, used, (), method)
    own = _on_correlation(hits, tries, values, used, method)
    halves = _halves(used) if len(used) >= LEAST_TO_COMPARE else []
    on_halves = np.array([_on_correlation(hits, tries, values, half, method) for half, _ in halves])
    filtered = _filtered(hits, tries, values, halves, on_halves, method)
    effects = [
        Effect(_less(with_all, without[at]), _number(float(own[at])), _lowers(on_halves[:, at]) if halves else None)
        for at in range(hits.shape[1])
    ]
    return Effects(len(used), with_all, whole, effects, filtered)


def _noise(hits: Floats, tries: Floats) -> Floats:
    """The variance of each number of successes, by the spread of the continuations of one agent at one scenario; for a
    single continuation by the agent's whole rate."""
    total = np.maximum(tries.sum(axis=1, keepdims=True), 1)
    overall = hits.sum(axis=1, keepdims=True) / total
    rates = hits / np.maximum(tries, 1)
    several = tries**2 * rates * (1 - rates) / np.maximum(tries - 1, 1)
    return np.asarray(np.where(tries > 1, several, tries * overall * (1 - overall)))


def _sensitivity(hits: Floats, tries: Floats, noise: Floats) -> float | None:
    judged = tries > 0
    if judged.sum() < 2:
        return None
    rates = hits[judged] / tries[judged]
    spread = float(rates.var(ddof=1))
    return 1 - float((noise[judged] / tries[judged] ** 2).mean()) / spread if spread > ROUNDING else None


def _rho(
    hits: Floats, tries: Floats, values: Floats, agents: npt.NDArray[np.intp], out: Sequence[int], method: str
) -> float | None:
    """The correlation over these agents, without these scenarios."""
    n = tries[agents].sum(axis=1) - tries[agents][:, list(out)].sum(axis=1)
    k = hits[agents].sum(axis=1) - hits[agents][:, list(out)].sum(axis=1)
    judged = n > 0
    return correlation(k[judged] / n[judged], values[agents][judged], method=method).rho


def _on_correlation(hits: Floats, tries: Floats, values: Floats, agents: npt.NDArray[np.intp], method: str) -> Floats:
    """The effect of each scenario on the correlation over these agents; nan where there is none."""
    whole = _rho(hits, tries, values, agents, (), method)
    if whole is None:
        return np.full(hits.shape[1], np.nan)
    k, n = (table[agents].sum(axis=1, keepdims=True) - table[agents] for table in (hits, tries))
    is_whole = (n > 0).all(axis=0)
    without = np.full(hits.shape[1], np.nan)
    if is_whole.any():
        without[is_whole] = correlations_of_columns(k[:, is_whole] / n[:, is_whole], values[agents], method=method)
    # Agents that were tried at this scenario alone are left out with it.
    for at in np.flatnonzero(~is_whole).tolist():
        found = _rho(hits, tries, values, agents, (at,), method)
        without[at] = np.nan if found is None else found
    return np.asarray(whole - without)


def _halves(agents: npt.NDArray[np.intp]) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Each half of each split, with the other one."""
    draw = np.random.default_rng(SEED)
    found = []
    for _ in range(SPLITS):
        mixed = draw.permutation(agents)
        one, other = np.sort(mixed[: len(mixed) // 2]), np.sort(mixed[len(mixed) // 2 :])
        found += [(one, other), (other, one)]
    return found


def _filtered(
    hits: Floats,
    tries: Floats,
    values: Floats,
    halves: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]],
    on_halves: Floats,
    method: str,
) -> Filtered | None:
    left_out = max(1, round(WORST * hits.shape[1]))
    if hits.shape[1] <= left_out:
        return None
    gains = []
    for (half, other), effects in zip(halves, on_halves, strict=True):
        order = np.argsort(np.where(np.isnan(effects), np.inf, effects), kind="stable")
        out = order[:left_out].tolist()
        pair = [
            _less(_rho(hits, tries, values, agents, out, method), _rho(hits, tries, values, agents, (), method))
            for agents in (half, other)
        ]
        if None not in pair:
            gains.append(pair)
    if not gains:
        return None
    chosen, others = np.array(gains, dtype=np.float64).T
    low, high = np.quantile(others, [0.025, 0.975]).tolist()
    return Filtered(left_out, len(gains), float(chosen.mean()), float(others.mean()), low, high)


def _lowers(effects: Floats) -> float | None:
    known = effects[~np.isnan(effects)]
    return float((known < 0).mean()) if len(known) else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b
