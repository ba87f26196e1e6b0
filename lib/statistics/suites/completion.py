"""Time to completion: the share that has succeeded by each moment, among the successes or among all continuations."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import wilson

Floats = npt.NDArray[np.float64]

SUCCESS, FAILURE, CENSORED = 1, 2, 0


class CurvePoint(NamedTuple):
    """The share that has succeeded by this time, with a 95 % interval for independent continuations.

    `at_risk` counts the continuations that had neither succeeded nor failed just before.
    """

    time_s: float
    completed: float
    low: float
    high: float
    at_risk: int


def among_successes(times: Sequence[float]) -> list[CurvePoint]:
    """The distribution of the times of successes, a point for each distinct time; figure 8 of paper 000.

    The interval is Wilson's at each time.

    >>> [(point.time_s, point.completed, point.at_risk) for point in among_successes([2.0, 1.0, 2.0])]
    [(1.0, 0.3333333333333333, 3), (2.0, 1.0, 2)]
    """
    moments, counts = np.unique(np.asarray(times, dtype=np.float64), return_counts=True)
    n, done = len(times), 0
    points = []
    for time_s, count in zip(moments.tolist(), counts.tolist(), strict=True):
        at_risk = n - done
        done += count
        points.append(CurvePoint(time_s, done / n, *wilson(done, n), at_risk))
    return points


def cumulative_incidence(times: Sequence[float], events: Sequence[int]) -> list[CurvePoint]:
    """The share of all continuations that has succeeded, a point for each distinct time of a success.

    A failure competes: who has failed never succeeds. Without censoring this is the number of successes so far divided
    by all. "1 - Kaplan-Meier" with failures as censored would overstate it.

    Args:
        times: When each continuation succeeded, failed, or was censored.
        events: `SUCCESS`, `FAILURE` or `CENSORED`; at equal times events come before censoring.

    Returns:
        The interval is Wilson's, with as many continuations as give the estimator's own variance.

    Source: Aalen & Johansen (1978), "An empirical transition matrix for non-homogeneous Markov chains based on censored
    observations"; variance by the delta method: Marubini & Valsecchi (1995), "Analysing Survival Data", section 10.4.

    >>> points = cumulative_incidence([1.0, 2.0, 3.0, 4.0], [1, 2, 1, 1])
    >>> [(point.time_s, point.completed, point.at_risk) for point in points]
    [(1.0, 0.25, 4), (3.0, 0.5, 2), (4.0, 0.75, 1)]
    """
    moment, event = np.asarray(times, dtype=np.float64), np.asarray(events, dtype=np.int64)
    moments, which = np.unique(moment, return_inverse=True)
    size = len(moments)
    wins = _count(which, event == SUCCESS, size)
    ends = wins + _count(which, event == FAILURE, size)
    leaving = _count(which, np.ones(len(event), dtype=bool), size)
    at_risk = len(moment) - np.concatenate(([0], np.cumsum(leaving)[:-1]))
    left = np.cumprod(1 - ends / at_risk)
    before = np.concatenate(([1.0], left[:-1]))
    shares = np.cumsum(before * wins / at_risk)
    variances = _variances(shares, before, wins, ends, at_risk)
    return [
        CurvePoint(
            float(moments[at]), min(float(shares[at]), 1.0), *_interval(shares[at], variances[at]), int(at_risk[at])
        )
        for at in np.flatnonzero(wins > 0).tolist()
    ]


def _count(which: npt.NDArray[np.int64], is_counted: npt.NDArray[np.bool_], size: int) -> Floats:
    return np.bincount(which, is_counted, minlength=size).astype(np.float64)


def _variances(shares: Floats, before: Floats, wins: Floats, ends: Floats, at_risk: Floats) -> Floats:
    """The variance of each share, from running sums over the times before it."""
    lived = at_risk - ends
    greenwood = np.divide(ends, at_risk * lived, out=np.zeros(len(ends)), where=lived > 0)
    own = before**2 * (at_risk - wins) * wins / at_risk**3
    mixed = before * wins / at_risk**2
    # The sum over earlier times of (F(t) - F(u))^2 g(u), written out so that each part is a running sum.
    squared = shares**2 * np.cumsum(greenwood) - 2 * shares * np.cumsum(shares * greenwood)
    squared += np.cumsum(shares**2 * greenwood)
    crossed = shares * np.cumsum(mixed) - np.cumsum(shares * mixed)
    variances: Floats = np.maximum(squared + np.cumsum(own) - 2 * crossed, 0.0)
    return variances


def _interval(share: float, variance: float) -> tuple[float, float]:
    share = min(float(share), 1.0)
    if variance <= 0 or not 0 < share < 1:
        return share, share
    n = share * (1 - share) / variance
    return wilson(share * n, n)


def thinned(points: Sequence[CurvePoint], most: int) -> list[CurvePoint]:
    """At most `most` of the points, evenly chosen, the last among them.

    >>> [point.time_s for point in thinned(among_successes([1.0, 2.0, 3.0, 4.0, 5.0]), 3)]
    [1.0, 3.0, 5.0]
    """
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[math.floor(number * step + 0.5)] for number in range(most)]
