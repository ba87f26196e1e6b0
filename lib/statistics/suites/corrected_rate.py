"""Success rates without the raters' errors, and whether the raters err alike everywhere."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lib.statistics.distributions import f_above
from lib.statistics.intervals import Z95

LEAST_ANSWERS = 5
"""Groups with fewer answers to references of a class are compared as one group, `None`."""


class RankedOutcome(NamedTuple):
    """How often the outcome that is ranked is right.

    Attributes:
        sensitivity: The share of true successes whose outcome is success.
        specificity: The share of true failures whose outcome is failure.
        n_success, n_failure: The number of independent true successes and failures on which these rest. It may be a
            fraction, where it was worked out from a standard error.
    """

    sensitivity: float
    specificity: float
    n_success: float
    n_failure: float

    @property
    def youden(self) -> float:
        """Sensitivity + specificity - 1: what of a true difference between agents remains in the raters' outcomes."""
        return self.sensitivity + self.specificity - 1

    @property
    def youden_variance(self) -> float:
        return _variance(self.sensitivity, self.n_success) + _variance(self.specificity, self.n_failure)


class CorrectedRate(NamedTuple):
    """A rate and its 95 % interval, all within [0, 1]."""

    rate: float
    low: float
    high: float


def corrected_rate(successes: float, n: float, outcome: RankedOutcome) -> CorrectedRate | None:
    """The rate of true successes behind a rate of outcomes.

    Returns:
        None where sensitivity + specificity <= 1: such outcomes say nothing about the truth.

    Raises:
        ValueError: n <= 0, or successes outside 0..n.

    Source: Rogan & Gladen (1978), "Estimating prevalence from the results of a screening test"; the interval by the
    delta method, with the errors of sensitivity and specificity.

    >>> found = corrected_rate(1100, 1600, RankedOutcome(0.9, 0.88, 50, 50))
    >>> [round(value, 4) for value in found]
    [0.7276, 0.6389, 0.8162]
    """
    if not (n > 0 and 0 <= successes <= n):
        raise ValueError(f"no rate of {successes} in {n}")
    if outcome.youden <= 0:
        return None
    share = successes / n
    rate = (share + outcome.specificity - 1) / outcome.youden
    variance = (
        share * (1 - share) / n
        + rate * rate * _variance(outcome.sensitivity, outcome.n_success)
        + (1 - rate) ** 2 * _variance(outcome.specificity, outcome.n_failure)
    )
    half = Z95 * math.sqrt(variance) / outcome.youden
    return CorrectedRate(_within(rate), _within(rate - half), _within(rate + half))


class CorrectedDifference(NamedTuple):
    """A difference of two agents without the raters' errors, with its 95 % interval, in [-1, 1]."""

    difference: float
    low: float
    high: float


def corrected_difference(
    difference: float, standard_error: float, quantile: float, outcome: RankedOutcome
) -> CorrectedDifference | None:
    """A difference of two rates, divided by what the raters leave of it; None where they leave nothing.

    >>> corrected_difference(0.08, 0.02, 1.96, RankedOutcome(0.9, 0.9, 1e9, 1e9)).difference
    0.09999999999999999
    """
    youden = outcome.youden
    if youden <= 0:
        return None
    found = difference / youden
    half = quantile * math.sqrt(standard_error**2 + found**2 * outcome.youden_variance) / youden
    return CorrectedDifference(*(min(max(one, -1.0), 1.0) for one in (found, found - half, found + half)))


def _variance(share: float, n: float) -> float:
    return share * (1 - share) / n


def _within(rate: float) -> float:
    return min(max(rate, 0.0), 1.0)


# The majority of several answers --------------------------------------------------------------------------------


def majority_of_independent(right: float, n: float, answers: int) -> tuple[float, float] | None:
    """How often the majority of several answers is right, if the answers err independently of each other.

    Args:
        right, n: How many single answers to references of this class were right, of how many.
        answers: The number of answers of a majority. Ties of an even number have no outcome and are left out.

    Returns:
        The share, and the number of references that would give it the same standard error. None without an answer.

    >>> share, n = majority_of_independent(80, 100, 3)
    >>> round(share, 3), round(n)
    (0.896, 63)
    """
    if not n:
        return None
    share = right / n
    found = _majority(share, answers)
    step = 1e-6
    low, high = max(share - step, 0.0), min(share + step, 1.0)
    slope = (_majority(high, answers) - _majority(low, answers)) / (high - low)
    variance = slope * slope * _variance(share, n)
    return found, (found * (1 - found) / variance if variance > 0 and 0 < found < 1 else n)


def _majority(share: float, answers: int) -> float:
    chances = [math.comb(answers, k) * share**k * (1 - share) ** (answers - k) for k in range(answers + 1)]
    wins = math.fsum(chances[answers // 2 + 1 :])
    loses = math.fsum(chances[: (answers + 1) // 2])
    return wins / (wins + loses)


def majority_observed(right: Sequence[int], n: Sequence[int], answers: int) -> tuple[float, float] | None:
    """How often the majority of several answers to one and the same reference is right.

    Answers to one reference err together, where it is a hard one. So each reference with enough answers counts with the
    share of its sets of `answers` answers whose majority is right.

    Args:
        right, n: For each reference of this class, how many answers were right, of how many.

    Returns:
        The share, and the number of references that it rests on; None where no reference has enough answers.

    >>> share, n = majority_observed([3, 2, 0], [3, 3, 4], 3)
    >>> round(share, 3), n
    (0.667, 3.0)
    """
    shares = []
    for hits, size in zip(right, n, strict=True):
        if size < answers:
            continue
        sets = [math.comb(hits, k) * math.comb(size - hits, answers - k) for k in range(answers + 1)]
        wins, loses = sum(sets[answers // 2 + 1 :]), sum(sets[: (answers + 1) // 2])
        if wins + loses:
            shares.append(wins / (wins + loses))
    return (math.fsum(shares) / len(shares), float(len(shares))) if shares else None


# Alike everywhere -------------------------------------------------------------------------------------------------


def p_of_equal_shares(groups: Sequence[str | None], right: Sequence[int], n: Sequence[int]) -> float | None:
    """How likely shares of right answers that differ between groups this much are, if they do not differ in truth.

    Args:
        groups, right, n: For each reference its group, and how many of its answers were right, of how many.

    Returns:
        None where nothing can differ: one group alone, no error at all or no right answer, or as many groups as
        references.

    Source: McCullagh & Nelder (1989), "Generalized Linear Models", section 4.5: a chi-square over its degrees of
    freedom, divided by the dispersion between references of one group, which is taken as at least 1.

    >>> round(p_of_equal_shares(["a"] * 20 + ["b"] * 20, [1] * 18 + [0] * 2 + [1] * 9 + [0] * 11, [1] * 40), 4)
    0.0053
    >>> p_of_equal_shares(["a", "b"], [1, 1], [1, 1]) is None
    True
    """
    totals: dict[str | None, int] = {}
    for group, size in zip(groups, n, strict=True):
        totals[group] = totals.get(group, 0) + size
    names = [group if totals[group] >= LEAST_ANSWERS else None for group in groups]
    kinds, which = np.unique([name or "" for name in names], return_inverse=True)
    hits, sizes = np.asarray(right, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if len(kinds) < 2 or len(hits) <= len(kinds) or not 0 < hits.sum() < sizes.sum():
        return None
    group_hits, group_sizes = np.bincount(which, hits), np.bincount(which, sizes)
    every, shares = hits.sum() / sizes.sum(), group_hits / group_sizes
    between = float((group_sizes * (shares - every) ** 2).sum() / (every * (1 - every))) / (len(kinds) - 1)
    spread = sizes * shares[which] * (1 - shares[which])
    apart = np.divide((hits - sizes * shares[which]) ** 2, spread, out=np.zeros(len(hits)), where=spread > 0)
    below = len(hits) - len(kinds)
    return f_above(between / max(float(apart.sum()) / below, 1.0), len(kinds) - 1, below)
