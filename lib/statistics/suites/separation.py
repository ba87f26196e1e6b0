"""Whether a scenario still tells agents apart: the stronger half of the agents against the weaker half."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import wilson

LEAST_IN_HALF = 10
"""With fewer judged continuations in one half, a scenario is not judged."""


class Separation(NamedTuple):
    """The share of successes of the stronger agents less that of the weaker, at one scenario, with its 95 % interval.

    Which agents are stronger is decided at the other scenarios.
    """

    difference: float
    low: float
    high: float
    n_strong: int
    n_weak: int


def difference_of_shares(k1: float, n1: float, k2: float, n2: float) -> tuple[float, float, float]:
    """k1/n1 - k2/n2 with its 95 % interval, for independent trials.

    Raises:
        ValueError: one of the shares does not exist.

    Source: Newcombe (1998), "Interval estimation for the difference between independent proportions", method 10.

    >>> [round(number, 4) for number in difference_of_shares(56, 70, 48, 80)]
    [0.2, 0.0524, 0.3339]
    """
    first, second = wilson(k1, n1), wilson(k2, n2)
    p1, p2 = k1 / n1, k2 / n2
    apart = p1 - p2
    low = apart - math.hypot(p1 - first.low, second.high - p2)
    high = apart + math.hypot(first.high - p1, p2 - second.low)
    return apart, low, high


def separations(successes: npt.ArrayLike, n: npt.ArrayLike) -> list[Separation | None]:
    """The separation of each scenario; None where a half has too few continuations.

    Args:
        successes: Number of successes, shape (agents, scenarios).
        n: Number of judged continuations, of the same shape.

    >>> [one and round(one.difference, 1) for one in separations([[20, 18], [2, 18]], [[20, 20], [20, 20]])]
    [None, 0.0]
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    found: list[Separation | None] = []
    all_hits, all_tries = hits.sum(axis=1), tries.sum(axis=1)
    for at in range(hits.shape[1]):
        elsewhere = all_tries - tries[:, at]
        used = np.flatnonzero((tries[:, at] > 0) & (elsewhere > 0))
        rates = (all_hits[used] - hits[used, at]) / elsewhere[used]
        middle = float(np.median(rates)) if len(used) else 0.0
        # Agents at the median itself are in neither half.
        strong, weak = used[rates > middle], used[rates < middle]
        n_strong, n_weak = int(tries[strong, at].sum()), int(tries[weak, at].sum())
        if min(n_strong, n_weak) < LEAST_IN_HALF:
            found.append(None)
            continue
        k_strong, k_weak = float(hits[strong, at].sum()), float(hits[weak, at].sum())
        difference, low, high = difference_of_shares(k_strong, n_strong, k_weak, n_weak)
        found.append(Separation(difference, low, high, n_strong, n_weak))
    return found
