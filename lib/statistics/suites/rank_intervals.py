"""Intervals of ranks, and groups of agents that cannot be told apart: a bootstrap over the scenarios.

Percentiles of the ranks in the resamples do not hold the true rank as often as they say where agents are nearly equal
(0.77 of the time for six equal agents). So the intervals are made of all differences between agents at once.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import t_quantile
from lib.statistics.intervals import Z95

Floats = npt.NDArray[np.float64]

RESAMPLES = 2000
SEED = 20_190
LEAST_CLUSTERS = 2
LEAST_FOR_CONSTANT = 5
"""From this number of clusters on, a difference that is the same in each cluster tells two agents apart."""
LEAST_DEFINED = 0.9
"""The least share of resamples in which an agent must have a rate."""
_BATCH = 250
_NOTHING = 1e-7
"""Standard errors up to this are 0, but for rounding."""


class RankInterval(NamedTuple):
    """The lowest and the highest number that the agent's rank may have, with 95 % confidence; 1 is the best."""

    low: int
    high: int


class RankIntervals(NamedTuple):
    """By agent, in the given order: its interval, None where it has none; and the groups of agents that are tied.

    A group is a list of agents' places, best first. Agents in one group were not told apart; an agent may be in two
    groups, since of three agents the outer two may differ while both are too near to the middle one.
    """

    intervals: list[RankInterval | None]
    ties: list[list[int]]


def rank_intervals(
    successes: npt.ArrayLike,
    n: npt.ArrayLike,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    report: Callable[[float], object] = lambda _: None,
) -> RankIntervals:
    """The rank intervals of agents whose pooled rates are compared.

    Each resample draws as many clusters as there are, with replacement, for all agents together, since they were tried
    at the same scenarios. A difference is certain where it is farther from 0 than the greatest of all differences from
    their means, in units of their standard errors, is in 95 % of the resamples. For an agent's interval, these are its
    own differences; for the ties, those of all pairs. The seed is fixed: equal data gives equal intervals.

    Args:
        successes: Number of successes, shape (clusters, agents).
        n: Number of judged continuations, of the same shape; 0 where an agent was not tried.
        report: Called with the share that is done, in 0..1.

    Source: Mogstad, Romano, Shaikh & Wilhelm (2024), "Inference for Ranks with Applications to Mobility across
    Neighbourhoods and Academic Achievement across Countries".

    Costs: O(resamples x agents x (clusters + agents)).

    >>> found = rank_intervals([[9, 1]] * 8, [[10, 10]] * 8)
    >>> found.intervals, found.ties
    ([RankInterval(low=1, high=1), RankInterval(low=2, high=2)], [])
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    clusters, agents = hits.shape
    totals = tries.sum(axis=0)
    known = totals > 0
    if known.sum() == 1:
        return RankIntervals([RankInterval(1, 1) if one else None for one in known.tolist()], [])
    if clusters < LEAST_CLUSTERS:
        return RankIntervals([None] * agents, [])
    rates = np.divide(hits.sum(axis=0), totals, out=np.full(agents, np.nan), where=known)
    drawn = _resampled(hits, tries, resamples, seed)
    is_defined = ~np.isnan(drawn)
    ranked = int(known.sum())
    known &= is_defined.mean(axis=0) >= LEAST_DEFINED
    drawn = np.where(is_defined, drawn, rates)
    places = np.flatnonzero(known)
    low, high, is_apart = _compared(rates[places], drawn[:, places], clusters, report)
    intervals: list[RankInterval | None] = [None] * agents
    for at, place in enumerate(places.tolist()):
        # Agents that were hardly tried may be better or worse than every other one.
        intervals[place] = RankInterval(int(low[at]), int(high[at]) + ranked - len(places))
    order = np.argsort(-rates[places], kind="stable")
    groups = _groups(is_apart[np.ix_(order, order)])
    return RankIntervals(intervals, [[int(places[order[at]]) for at in group] for group in groups])


def _resampled(hits: Floats, tries: Floats, resamples: int, seed: int) -> Floats:
    """The rate of each agent in each resample, shape (resamples, agents); nan where it was not tried."""
    clusters, agents = hits.shape
    random = np.random.default_rng(seed)
    rates = np.full((resamples, agents), np.nan)
    for start in range(0, resamples, _BATCH):
        batch = min(_BATCH, resamples - start)
        picked = random.integers(0, clusters, size=(batch, clusters)) + np.arange(batch)[:, None] * clusters
        times = np.bincount(picked.ravel(), minlength=batch * clusters).reshape(batch, clusters).astype(np.float64)
        n = times @ tries
        np.divide(times @ hits, n, out=rates[start : start + batch], where=n > 0)
    return rates


def _compared(
    rates: Floats, drawn: Floats, clusters: int, report: Callable[[float], object]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The lowest and highest rank of each agent, and which pairs are apart."""
    agents = len(rates)
    low, high = np.ones(agents, dtype=np.int64), np.full(agents, agents, dtype=np.int64)
    # Resamples scatter less than new scenarios would, and have the tails of a normal distribution.
    widened = t_quantile(0.975, clusters - 1) / Z95 * math.sqrt(clusters / (clusters - 1))
    centred = drawn - drawn.mean(axis=0)
    together = centred.T @ centred / len(drawn)
    own = np.diag(together)
    errors = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * together, 0.0))
    inverse = np.divide(1.0, errors, out=np.zeros(errors.shape), where=errors > _NOTHING).astype(np.float32)
    # Single precision and one buffer: with many agents, this loop is what takes long.
    rows, apart = np.ascontiguousarray(centred.T, dtype=np.float32), np.empty(centred.T.shape, dtype=np.float32)
    greatest = np.zeros(len(drawn), dtype=np.float32)
    for at in range(agents):
        np.subtract(rows, rows[at], out=apart)
        np.multiply(apart, inverse[at][:, None], out=apart)
        np.abs(apart, out=apart)
        worst = apart.max(axis=0)
        np.maximum(greatest, worst, out=greatest)
        bound = float(np.quantile(worst, 0.95)) * widened
        above, below = _certain(rates - rates[at], errors[at], bound, clusters)
        low[at], high[at] = 1 + above.sum(), agents - below.sum()
        report((at + 1) / agents)
    bound = float(np.quantile(greatest, 0.95)) * widened
    above, below = _certain(rates[None, :] - rates[:, None], errors, bound, clusters)
    return low, high, above | below


def _certain(
    differences: Floats, errors: Floats, bound: float, clusters: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which differences are certainly above 0, and which certainly below."""
    is_known = (errors > _NOTHING) | (clusters >= LEAST_FOR_CONSTANT)
    reach = bound * errors + _NOTHING
    return is_known & (differences > reach), is_known & (differences < -reach)


def _groups(is_apart: npt.NDArray[np.bool_]) -> list[list[int]]:
    """The longest runs of neighbours, in the order of their rates, of which no two are apart."""
    agents, groups, reached = len(is_apart), [], 0
    for start in range(agents):
        end = start + 1
        while end < agents and not is_apart[start:end, end].any():
            end += 1
        if end > reached and end - start > 1:
            groups.append(list(range(start, end)))
        reached = max(reached, end)
    return groups
