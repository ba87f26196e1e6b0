"""How sure a ratio of sums is where its parts come in clusters: a bootstrap over the people who did the work.

One worker's sessions are alike, so a worker is drawn whole, with everything they did. The draws begin from a fixed
seed: equal data gives equal intervals. No Django here.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DRAWS = 2000
LEAST_CLUSTERS = 5
"""With fewer people an interval would say more about the method than about the work."""
LEAST_DEFINED = 0.9
"""The share of draws in which a ratio must exist, for an interval to be given at all."""
_BATCH = 250
_SEED = 20_220


class Estimate(NamedTuple):
    """A number and its 95 % interval. No value: it is not known. No interval: too few people.

    `high` None beside a `low`: there is no upper end, since the data does not rule out that what it is divided by is 0.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class Drawn(NamedTuple):
    """Sums as they are, and as they came out in each draw.

    Attributes:
        sums: Shape (groups, measures).
        draws: Shape (draws, groups, measures).
        clusters: Shape (groups,): how many have anything in each group.
    """

    sums: Floats
    draws: Floats
    clusters: npt.NDArray[np.int64]


def resample(parts: npt.ArrayLike, *, draws: int = DRAWS, seed: int = _SEED) -> Drawn:
    """Draw clusters with replacement, many times, and add up what they have.

    Where each cluster is in one group only, as workers are in arms, every group keeps its number of clusters; else all
    are drawn from together, so that what one worker did in two groups goes with both.

    Args:
        parts: Shape (clusters, groups, measures), >= 0: what each cluster adds to each sum. The clusters stand in an
            order of their own (as by id), or equal data would give other draws.

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
            # How often each was drawn: a product with that is far quicker than to gather what was drawn.
            times = np.bincount(picked.ravel(), minlength=batch * n).reshape(batch, n)
            out[start : start + batch] += times.astype(np.float64) @ members
    return Drawn(flat.sum(axis=0).reshape(groups, measures), out.reshape(draws, groups, measures), is_in.sum(axis=0))


def rate(drawn: Drawn, group: int, *, of: int, by: int) -> Estimate:
    """The sum of one measure divided by that of another, within a group.

    >>> drawn = resample([[[2.0, 1.0]]] * 6)
    >>> rate(drawn, 0, of=0, by=1)
    Estimate(value=2.0, low=2.0, high=2.0)
    """
    sums, draws = drawn.sums[group], drawn.draws[:, group]
    return _estimate(sums[of], sums[by], draws[:, of], draws[:, by], clusters=int(drawn.clusters[group]))


def ratio(drawn: Drawn, group: int, base: int, *, of: int, by: int) -> Estimate:
    """How many times the rate of the group `base` that of another is; of the base itself, 1 and no interval."""
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
    """A quotient of sums with its interval; 0 below gives no value."""
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
    """The share of draws to leave out at each end for an interval of 95 %.

    2.5 % is too much for few clusters: their draws scatter less than new people would, by sqrt((n - 1) / n), and have
    the tails of a normal where a t distribution is due.

    Source: Hesterberg (2015), "What Teachers Should Know About the Bootstrap", section 4.3: expanded percentiles.

    >>> round(tail_for(5), 5), round(tail_for(30), 4), round(tail_for(100_000), 4)
    (0.00096, 0.0188, 0.025)
    """
    return NormalDist().cdf(-math.sqrt(clusters / (clusters - 1)) * t_quantile(0.975, clusters - 1))


def t_quantile(share: float, degrees: int) -> float:
    """The quantile of Student's t distribution, to three places from 4 degrees of freedom on.

    Source: Abramowitz and Stegun (1964), 26.7.5.

    >>> round(t_quantile(0.975, 4), 3), round(t_quantile(0.975, 10), 3)
    (2.776, 2.228)
    """
    z = NormalDist().inv_cdf(share)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + math.fsum(term / degrees**power for power, term in enumerate(terms, start=1))
