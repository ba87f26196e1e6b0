"""The accuracy-weighted vote: a word counts as much as its rater proved on references.

Every record is smoothed, (right + 1)/(n + 1.5), so that ten of ten is not certainty.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from annotation.statistics.posterior import SMOOTHING, Posterior, Rater, Vote, posterior_of, rater_from_counts


class ReferenceCounts(NamedTuple):
    """One rater on references: how many right of how many, where success and where failure was true."""

    right_successes: int
    successes: int
    right_failures: int
    failures: int


def rater_on_references(counts: ReferenceCounts) -> Rater:
    """What the counts tell of the rater: smoothed rates, with Wilson intervals of the counts themselves.

    Raises:
        ValueError: more right than there are, or a negative count.

    >>> round(rater_on_references(ReferenceCounts(9, 10, 0, 0)).sensitivity, 3)
    0.87
    """
    return rater_from_counts(
        counts.right_successes, counts.successes, counts.right_failures, counts.failures, smoothing=SMOOTHING
    )


def weighted_vote(votes: Iterable[Vote], references: Mapping[int, ReferenceCounts], *, prior: float = 0.5) -> Posterior:
    """The chance that the task is a success, by each rater's own record.

    Naive Bayes: prior log-odds plus each vote's log likelihood ratio; the interval carries the uncertainty of the
    records (`posterior_of`). Raters without a record count as 2/3 right, so among them the majority wins.

    Args:
        votes: Of one task.
        references: Records by rater id.

    Source: Nitzan & Paroush (1982), "Optimal decision rules in uncertain dichotomous choice situations".

    >>> bob, two = ReferenceCounts(50, 50, 50, 50), ReferenceCounts(11, 20, 11, 20)
    >>> says = [Vote(1, True), Vote(2, False), Vote(3, False)]
    >>> weighted_vote(says, {1: bob, 2: two, 3: two}).value > 0.95
    True
    """
    return posterior_of(votes, {rater: rater_on_references(counts) for rater, counts in references.items()}, prior)


def log_odds_weight(right: int, n: int) -> float:
    """The weight of a rater's answer where answers are no yes or no: log-odds of the smoothed accuracy, at least 0.

    Raises:
        ValueError: `right` outside 0..n.

    >>> round(log_odds_weight(9, 10), 3), log_odds_weight(2, 10)
    (1.897, 0.0)
    """
    if not 0 <= right <= n:
        raise ValueError(f"no accuracy of {right} in {n}")
    return max(0.0, math.log((right + SMOOTHING.right) / (n - right + SMOOTHING.wrong)))
