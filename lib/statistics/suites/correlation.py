"""Correlations of two measures over agents, with p values and 95 % intervals."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import t_two_sided
from lib.statistics.intervals import Z95

Floats = npt.NDArray[np.float64]

METHODS = ("spearman", "pearson")
LEAST = 3
"""Fewer agents than this have no correlation that says anything."""
LEAST_FOR_INTERVAL = 4


class Correlation(NamedTuple):
    """`rho` in -1..1 with its p value; None where it does not exist.

    `low` and `high` are None for fewer than four agents, and where all lie on one line: the interval's formula would
    give it no width.
    """

    n: int
    rho: float | None
    p: float | None
    low: float | None
    high: float | None


def correlation(x: Sequence[float], y: Sequence[float], *, method: str = "spearman") -> Correlation:
    """The correlation of paired values.

    Raises:
        ValueError: the lengths differ, or the method is unknown.

    Source: the p value by Student's t; the interval by Fisher's transformation, for ranks with the variance of Bonett &
    Wright (2000), "Sample size requirements for estimating Pearson, Kendall and Spearman correlations".

    >>> found = correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(found.rho, 3), round(found.p, 3), round(found.low, 3), round(found.high, 3)
    (0.8, 0.104, -0.457, 0.991)
    >>> correlation([1, 1, 1], [1, 2, 3]).rho is None
    True
    """
    if len(x) != len(y) or method not in METHODS:
        raise ValueError(f"no correlation by {method} of {len(x)} and {len(y)} values")
    n = len(x)
    first, second = (np.asarray(one, dtype=np.float64) for one in (x, y))
    if method == "spearman":
        first, second = average_ranks(first), average_ranks(second)
    rho = _pearson(first, second) if n >= LEAST else None
    if rho is None:
        return Correlation(n, None, None, None, None)
    is_line = abs(rho) >= 1 - 1e-15
    p = 0.0 if is_line else float(t_two_sided(rho * math.sqrt((n - 2) / ((1 - rho) * (1 + rho))), n - 2))
    if n < LEAST_FOR_INTERVAL or is_line:
        return Correlation(n, rho, p, None, None)
    inflated = 1 + rho * rho / 2 if method == "spearman" else 1.0
    half = Z95 * math.sqrt(inflated / (n - 3))
    return Correlation(n, rho, p, math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half))


def average_ranks(values: Floats) -> Floats:
    """The rank of each value from 1; equal values share the mean of their ranks.

    >>> average_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[which], dtype=np.float64)


def _pearson(x: Floats, y: Floats) -> float | None:
    # Divided by the greatest first, so that squares of huge numbers do not overflow.
    apart = []
    for values in (x, y):
        middle = values - values.mean()
        scale = float(np.abs(middle).max())
        if scale <= 1e-13 * float(np.abs(values).max()):
            return None
        apart.append(middle / scale)
    first, second = apart
    found = float(first @ second / math.sqrt((first @ first) * (second @ second)))
    return min(max(found, -1.0), 1.0)
