"""Exact tests of two models on the same items, and how much the second may be worse than the first."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import normal_below, normal_quantile, t_quantile

_EXACT = 50
"""Up to so many differences the signed ranks are counted exactly."""


class Discordant(NamedTuple):
    """How many items only the new one of two models has right, and how many only the old one."""

    gained: int
    lost: int

    @property
    def n(self) -> int:
        return self.gained + self.lost


def at_least(successes: int, n: int) -> float:
    """The chance of so many heads or more among `n` throws of a fair coin.

    >>> at_least(3, 4)
    0.3125
    """
    if successes <= 0:
        return 1.0
    # Whole numbers, so that nothing is lost before the one division.
    return sum(math.comb(n, one) for one in range(successes, n + 1)) / (1 << n)


@lru_cache(maxsize=65536)
def mcnemar(gained: int, lost: int) -> float:
    """The two-sided p value of the exact McNemar test; 1 where nothing differs.

    Source: McNemar (1947); exact as a sign test of the discordant pairs.

    >>> round(mcnemar(32, 9), 6)
    0.000431
    """
    return min(1.0, 2 * at_least(max(gained, lost), gained + lost))


def alpha_of_look(look: int, *, alpha: float = 0.05) -> float:
    """The level of the k-th test of one series, k from 1: all levels of an endless series sum to `alpha`.

    >>> [round(alpha_of_look(k), 4) for k in (1, 2, 10)]
    [0.0304, 0.0076, 0.0003]
    """
    return alpha * 6 / (math.pi * look) ** 2


def least_discordant(alpha: float) -> int:
    """With how many discordant items the exact McNemar test can reject at all, if all of them are gains.

    >>> least_discordant(0.0304), least_discordant(0.0076)
    (7, 9)
    """
    least = 1
    while mcnemar(least, 0) >= alpha:
        least += 1
    return least


def lower_end(gained: int, lost: int, n: int, *, confidence: float = 0.95) -> float:
    """The one-sided lower end of the paired difference of two shares (new minus old) of `n` items.

    One gain and one loss are added, so that few items never look certain; with no item it is -1.

    Source: Bonett & Price (2012), "Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data".

    >>> round(lower_end(30, 30, 1000), 4), round(lower_end(0, 0, 10), 4)
    (-0.0129, -0.1938)
    """
    if n == 0:
        return -1.0
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    error = math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return max(-1.0, up - down - normal_quantile(confidence) * error)


def lower_end_of_mean(differences: Sequence[float], *, confidence: float = 0.95) -> float:
    """The one-sided lower end of a mean difference, by Student's t; -1 with fewer than two differences."""
    if len(differences) < 2:
        return -1.0
    values = np.asarray(differences, dtype=np.float64)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean()) - t_quantile(confidence, len(values) - 1) * error


class SignedRanks(NamedTuple):
    """The Wilcoxon signed-rank test.

    Attributes:
        n: Differences that are not 0.
        above, below: The sums of the ranks of positive and of negative differences.
        p: Two-sided.
    """

    n: int
    above: float
    below: float
    p: float


def wilcoxon(differences: npt.ArrayLike) -> SignedRanks:
    """Test whether differences lie around 0. Differences of 0 are left out, equal ones share their rank.

    Exact (given the ranks) up to 50 differences; above, the normal approximation with the correction for ties.

    Source: Wilcoxon (1945), "Individual comparisons by ranking methods".

    >>> wilcoxon([0.1, 0.2, 0.3, 0.4, 0.5])
    SignedRanks(n=5, above=15.0, below=0.0, p=0.0625)
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    n = len(values)
    if n == 0:
        return SignedRanks(0, 0.0, 0.0, 1.0)
    ranks, ties = _ranks(np.abs(values))
    above = float(ranks[values > 0].sum())
    below = float(ranks[values < 0].sum())
    if n <= _EXACT:
        p = _exact(ranks, min(above, below))
    else:
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
        p = 2 * normal_below((min(above, below) - n * (n + 1) / 4) / math.sqrt(variance))
    return SignedRanks(n, above, below, min(1.0, p))


def _ranks(sizes: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The ranks from 1, the mean of them for equal sizes, and how many sizes share each rank."""
    _, place, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place], counts


def _exact(ranks: npt.NDArray[np.float64], smaller: float) -> float:
    """Twice the chance of a sum of ranks of at most `smaller` when every sign is as likely as the other."""
    # Shared ranks end in a half, so they are doubled.
    doubled = np.rint(2 * ranks).astype(int)
    ways = [1] + [0] * int(doubled.sum())
    for rank in doubled.tolist():
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return 2 * sum(ways[: round(2 * smaller) + 1]) / (1 << len(doubled))
