"""The chance that one task is a success, given what its raters said and what the raters are like."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from common.statistics import Z95, Interval, wilson

Floats = npt.NDArray[np.float64]

LEAST = 1e-10
"""No expected count and no probability is taken for less, so that logarithms exist."""


class Smoothing(NamedTuple):
    """Expected counts added to what was observed.

    `right` and `wrong` to each of a rater's two rows, in favour of right and of wrong answers; `prior` to each class of
    the tasks. With the defaults a rater of whom nothing is known has sensitivity and specificity 2/3.
    """

    right: float = 1.0
    wrong: float = 0.5
    prior: float = 1.0


SMOOTHING = Smoothing()
NO_SMOOTHING = Smoothing(0.0, 0.0, 0.0)
WHOLE = Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Rater:
    """How one rater answers: chances of a right answer where success and where failure is true.

    `successes` and `failures` are the counts behind the two, expected ones and with what smoothing added; the more, the
    surer. The intervals are for people; a rater made from numbers alone has the widest.
    """

    sensitivity: float
    specificity: float
    successes: float
    failures: float
    sensitivity_interval: Interval = WHOLE
    specificity_interval: Interval = WHOLE


def unknown_rater(smoothing: Smoothing = SMOOTHING) -> Rater:
    """A rater of whom nothing was seen: what smoothing alone says.

    >>> round(unknown_rater().sensitivity, 3), unknown_rater().successes
    (0.667, 1.5)
    """
    return rater_from_counts(0, 0, 0, 0, smoothing=smoothing)


def rater_from_counts(right1: float, n1: float, right0: float, n0: float, *, smoothing: Smoothing = SMOOTHING) -> Rater:
    """A rater with `right1` of `n1` right where success is true and `right0` of `n0` where failure is.

    Counts may be fractions. The intervals are Wilson's 95 % of the counts without smoothing.

    Raises:
        ValueError: more right than there are, a negative count, or neither counts nor smoothing.
    """
    for right, n in ((right1, n1), (right0, n0)):
        if not 0 <= right <= n:
            raise ValueError(f"no rater is right {right} times in {n}")
    added = smoothing.right + smoothing.wrong
    if min(n1, n0) + added <= 0:
        raise ValueError("nothing is known of this rater in a class, and nothing is assumed")
    return Rater(
        sensitivity=(right1 + smoothing.right) / (n1 + added),
        specificity=(right0 + smoothing.right) / (n0 + added),
        successes=n1 + added,
        failures=n0 + added,
        sensitivity_interval=wilson(right1, n1) if n1 > 0 else WHOLE,
        specificity_interval=wilson(right0, n0) if n0 > 0 else WHOLE,
    )


class Vote(NamedTuple):
    """One rater's word on one task; `weight` in 0..1 counts it as a fraction of a vote."""

    rater: int
    label: bool
    weight: float = 1.0


class Posterior(NamedTuple):
    """Chance that a task is a success, with a 95 % interval; `low <= value <= high`."""

    value: float
    low: float
    high: float


def posterior_of(
    votes: Iterable[Vote], raters: Mapping[int, Rater], prior: float = 0.5, *, default: Rater | None = None
) -> Posterior:
    """The posterior of one task, given what its raters are like.

    The log-odds of `prior` plus, for each vote, its weight times the log likelihood ratio of that rater's saying so.
    This is the E-step of `fit`, so it agrees with it for the same raters.

    Args:
        votes: Of one task; none leaves the prior.
        raters: By id; who is missing is `default`, or else `unknown_rater()`.
        prior: Share of successes among such tasks, strictly between 0 and 1.

    Returns:
        The interval carries the uncertainty of the raters' rates, by the delta method on the log-odds: the variance is
        the sum of weight² times var(llr), and var(log p) of a rate p from n answers is (1 - p)/(n p). The prior is
        taken as known.

    Raises:
        ValueError: `prior` outside 0..1 or at an end.

    >>> sure = Rater(sensitivity=0.9, specificity=0.9, successes=1000, failures=1000)
    >>> round(posterior_of([Vote(1, True), Vote(2, False)], {1: sure}).value, 3)
    0.818
    """
    if not 0 < prior < 1:
        raise ValueError(f"a prior lies strictly between 0 and 1, not at {prior}")
    unknown = default or unknown_rater()
    cast = list(votes)
    by = [raters.get(vote.rater, unknown) for vote in cast]
    said = np.array([vote.label for vote in cast], dtype=np.int64)[:, None]
    weight = np.array([vote.weight for vote in cast], dtype=np.float64)
    sensitivity = np.array([rater.sensitivity for rater in by], dtype=np.float64)
    specificity = np.array([rater.specificity for rater in by], dtype=np.float64)
    successes = np.array([rater.successes for rater in by], dtype=np.float64)
    failures = np.array([rater.failures for rater in by], dtype=np.float64)
    ratios = np.take_along_axis(likelihood_ratios(sensitivity, specificity), said, axis=1)[:, 0]
    spread = np.take_along_axis(ratio_variances(sensitivity, specificity, successes, failures), said, axis=1)[:, 0]
    odds = math.log(prior / (1 - prior)) + float(weight @ ratios)
    variance = float(weight**2 @ spread)
    half = Z95 * math.sqrt(variance)
    value, low, high = sigmoid(np.array([odds, odds - half, odds + half])).tolist()
    return Posterior(value, low, high)


def likelihood_ratios(sensitivity: Floats, specificity: Floats) -> Floats:
    """Log likelihood ratios, success over failure, of saying failure and of saying success; shape (n, 2)."""
    miss, false_alarm = np.maximum(1 - sensitivity, LEAST), np.maximum(1 - specificity, LEAST)
    hit, rejection = np.maximum(sensitivity, LEAST), np.maximum(specificity, LEAST)
    return np.stack([np.log(miss / rejection), np.log(hit / false_alarm)], axis=1)


def ratio_variances(sensitivity: Floats, specificity: Floats, successes: Floats, failures: Floats) -> Floats:
    """Variances of `likelihood_ratios` by the delta method; shape (n, 2)."""
    hit = np.clip(sensitivity, LEAST, 1 - LEAST)
    rejection = np.clip(specificity, LEAST, 1 - LEAST)
    said_failure = hit / (successes * (1 - hit)) + (1 - rejection) / (failures * rejection)
    said_success = (1 - hit) / (successes * hit) + rejection / (failures * (1 - rejection))
    return np.stack([said_failure, said_success], axis=1)


def sigmoid(odds: Floats) -> Floats:
    # By the side on which exp cannot overflow.
    small = np.exp(-np.abs(odds))
    return np.where(odds >= 0, 1 / (1 + small), small / (1 + small))
