"""Intervals of a ratio of sums whose parts come in clusters: a bootstrap over the workers.

The sessions of one worker resemble each other, so a resample draws a worker with all their sessions. The seed is fixed:
equal data gives equal intervals.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import t_quantile

Floats = npt.NDArray[np.float64]

DRAWS = 2000
LEAST_CLUSTERS = 5
"""With fewer clusters an interval would depend on the method more than on the data."""
LEAST_DEFINED = 0.9
"""The least share of resamples in which a ratio must exist; with fewer there is no interval."""
_BATCH = 250
_SEED = 20_220


class Estimate(NamedTuple):
    """A number and its 95 % interval.

    `value` is None where the number is not known; `low` is None where there are too few clusters for an interval.
    `high` is None beside a `low` where the interval has no upper end: the data allows a divisor of 0.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class Drawn(NamedTuple):
    """Sums of the data, and of each resample.

    Attributes:
        sums: Sums of the data, shape (groups, measures).
        draws: Sums of each resample, shape (draws, groups, measures).
        clusters: Number of clusters that add anything to each group, shape (groups,).
    """

    sums: Floats
    draws: Floats
    clusters: npt.NDArray[np.int64]


def resample(parts: npt.ArrayLike, *, draws: int = DRAWS, seed: int = _SEED) -> Drawn:
    """Draw clusters with replacement, `draws` times, and sum their parts.

    Where each cluster is in one group only, as a worker is in one arm, every group keeps its number of clusters.
    Otherwise the clusters of all groups are drawn together, so a worker's parts in two groups stay together.

    Args:
        parts: The amount >= 0 that each cluster adds to each sum, shape (clusters, groups, measures). The order of the
            clusters must be fixed (for example by id): equal data in another order gives other resamples.

    >>> drawn = resample([[[2.0, 1.0]], [[4.0, 1.0]]])
    >>> drawn.sums.tolist(), drawn.draws.shape, drawn.clusters.tolist()
    ([[6.0, 2.0]], (2000, 1, 2), [2])
    """
    found = np.asarray(parts, dtype=np.float64)
    clusters, groups, measures = found.shape
    is_in = (found != 0).any(axis=2)
    strata = is_in.argmax(axis=1) if (is_in.sum(axis=1) <= 1).all() else np.zeros(clusters, dtype=np.int64)
    random = np.random.default_rng(seed)
    flat = found.reshape(clusters, groups * measures)
    out = np.zeros((draws, groups * measures))
    for stratum in np.unique(strata):
        members = flat[strata == stratum]
        n = len(members)
        for start in range(0, draws, _BATCH):
            batch = min(_BATCH, draws - start)
            picked = random.integers(0, n, size=(batch, n)) + np.arange(batch)[:, None] * n
            # The product with the count of each cluster is far quicker than to gather the rows of the drawn clusters.
            times = np.bincount(picked.ravel(), minlength=batch * n).reshape(batch, n)
            out[start : start + batch] += times.astype(np.float64) @ members
    return Drawn(flat.sum(axis=0).reshape(groups, measures), out.reshape(draws, groups, measures), is_in.sum(axis=0))


def rate(drawn: Drawn, group: int, *, of: int, by: int) -> Estimate:
    """The sum of measure `of` divided by the sum of measure `by`, within a group.

    >>> drawn = resample([[[2.0, 1.0]]] * 6)
    >>> rate(drawn, 0, of=0, by=1)
    Estimate(value=2.0, low=2.0, high=2.0)
    """
    sums, draws = drawn.sums[group], drawn.draws[:, group]
    return _estimate(sums[of], sums[by], draws[:, of], draws[:, by], clusters=int(drawn.clusters[group]))


def ratio(drawn: Drawn, group: int, base: int, *, of: int, by: int) -> Estimate:
    """The rate of `group` divided by the rate of `base`; the base itself has 1 and no interval."""
    if group == base:
        return Estimate(1.0 if drawn.sums[base][by] and drawn.sums[base][of] else None)
    (mine, yours), (my_draws, your_draws) = (
        (where[..., group, :], where[..., base, :]) for where in (drawn.sums, drawn.draws)
    )
    return _estimate(
        mine[of] * yours[by],
        mine[by] * yours[of],
        my_draws[:, of] * your_draws[:, by],
        my_draws[:, by] * your_draws[:, of],
        clusters=int(min(drawn.clusters[group], drawn.clusters[base])),
    )


def _estimate(above: float, below: float, draws_above: Floats, draws_below: Floats, *, clusters: int) -> Estimate:
    """A quotient of sums with its interval; a divisor of 0 gives no value."""
    if not below:
        return Estimate(None)
    value = float(above / below)
    is_defined = (draws_above != 0) | (draws_below != 0)
    if clusters < LEAST_CLUSTERS or is_defined.mean() < LEAST_DEFINED:
        return Estimate(value)
    with np.errstate(divide="ignore"):
        found = np.sort(draws_above[is_defined] / draws_below[is_defined])
    tail = tail_for(clusters)
    low, high = found[math.floor(tail * (len(found) - 1))], found[math.ceil((1 - tail) * (len(found) - 1))]
    return Estimate(value, float(low), float(high) if math.isfinite(high) else None)


def tail_for(clusters: int) -> float:
    """The share of resamples to leave out at each end for an interval of 95 %.

    2.5 % is too much for few clusters: resamples scatter less than new clusters would, by sqrt((n - 1) / n), and they
    have the tails of a normal distribution where a t distribution is right.

    Source: Hesterberg (2015), "What Teachers Should Know About the Bootstrap", section 4.3: expanded percentiles.

    >>> round(tail_for(5), 5), round(tail_for(30), 4), round(tail_for(100_000), 4)
    (0.00095, 0.0188, 0.025)
    """
    return NormalDist().cdf(-math.sqrt(clusters / (clusters - 1)) * t_quantile(0.975, clusters - 1))
