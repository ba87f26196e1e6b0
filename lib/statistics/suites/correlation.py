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
LEAST_TO_COMPARE = 10
"""With fewer agents, a bootstrap over agents says nothing of two correlations."""
RESAMPLES = 2000
SEED = 20_190
_NO_SPREAD = 1e-13
LEAST_KNOWN = 0.9
"""The least share of the resamples in which both correlations must exist."""


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


class CorrelationDifference(NamedTuple):
    """How much better one measure goes with `y` than another, over the n agents that have all three."""

    n: int
    difference: float
    low: float
    high: float


def difference_of_correlations(
    a: Sequence[float],
    b: Sequence[float],
    y: Sequence[float],
    *,
    method: str = "spearman",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> CorrelationDifference | None:
    """The correlation of a with y less that of b with y, and its 95 % interval by a bootstrap over agents.

    Both correlations share their agents, so they are resampled together; comparing their two intervals would be wrong.

    Returns:
        None for fewer than `LEAST_TO_COMPARE` agents, where one of the correlations does not exist, and where it does
        not in more than a tenth of the resamples.

    >>> one = [1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    >>> difference_of_correlations(one, one, one).difference
    0.0
    """
    n = len(y)
    values = np.asarray([a, b, y], dtype=np.float64)
    if n < LEAST_TO_COMPARE:
        return None
    observed = _difference(values, method)
    if observed is None:
        return None
    draw = np.random.default_rng(seed)
    drawn = [_difference(values[:, draw.integers(0, n, n)], method) for _ in range(resamples)]
    known = [one for one in drawn if one is not None]
    if len(known) < LEAST_KNOWN * resamples:
        return None
    low, high = np.quantile(known, [0.025, 0.975]).tolist()
    return CorrelationDifference(n, observed, low, high)


def _difference(values: Floats, method: str) -> float | None:
    a, b, y = (average_ranks(one) if method == "spearman" else one for one in values)
    first, second = _pearson(a, y), _pearson(b, y)
    return None if first is None or second is None else first - second


def average_ranks(values: Floats) -> Floats:
    """The rank of each value from 1; equal values share the mean of their ranks.

    >>> average_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[which], dtype=np.float64)


def correlations_of_columns(x: Floats, y: Floats, *, method: str) -> Floats:
    """The correlation of each column of x, shape (n, columns), with y; nan where it does not exist. See `correlation`.

    >>> found = correlations_of_columns(np.array([[1.0, 5], [2, 5], [3, 5]]), np.array([2.0, 4, 9]), method="spearman")
    >>> found.round(6).tolist()
    [1.0, nan]
    """
    if len(y) < LEAST:
        return np.full(x.shape[1], np.nan)
    if method == "spearman":
        x, y = _ranks_of_columns(x), average_ranks(y)
    first, second = x - x.mean(axis=0), y - y.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        # Divided by the greatest first, as in `_pearson`; a column that is the same throughout has no correlation.
        scales = np.abs(first).max(axis=0)
        first = first / np.where(scales <= _NO_SPREAD * np.abs(x).max(axis=0), np.nan, scales)
        greatest = np.abs(second).max()
        second = second / (np.nan if greatest <= _NO_SPREAD * np.abs(y).max() else greatest)
        found = second @ first / np.sqrt((first**2).sum(axis=0) * (second @ second))
    return np.asarray(np.clip(found, -1.0, 1.0))


def _ranks_of_columns(values: Floats) -> Floats:
    """`average_ranks` of each column."""
    n, columns = values.shape
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    is_new = np.vstack([np.ones((1, columns), dtype=bool), ordered[1:] != ordered[:-1]])
    group = (np.cumsum(is_new, axis=0) - 1 + n * np.arange(columns)).ravel()
    places = np.repeat(np.arange(1.0, n + 1), columns)
    sizes = np.maximum(np.bincount(group, minlength=n * columns), 1)
    means = np.bincount(group, weights=places, minlength=n * columns) / sizes
    ranks = np.empty_like(values)
    np.put_along_axis(ranks, order, means[group].reshape(n, columns), axis=0)
    return ranks


def _pearson(x: Floats, y: Floats) -> float | None:
    # Divided by the greatest first, so that squares of huge numbers do not overflow.
    apart = []
    for values in (x, y):
        middle = values - values.mean()
        scale = float(np.abs(middle).max())
        if scale <= _NO_SPREAD * float(np.abs(values).max()):
            return None
        apart.append(middle / scale)
    first, second = apart
    found = float(first @ second / math.sqrt((first @ first) * (second @ second)))
    return min(max(found, -1.0), 1.0)
