"""The probability that one task is a success, given its votes and the accuracy of its raters."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import Z95, Interval, wilson

Floats = npt.NDArray[np.float64]

LEAST = 1e-10
"""The smallest expected count and the smallest probability, so that logarithms exist."""


class Smoothing(NamedTuple):
    """Expected counts that are added to the observed ones.

    `right` and `wrong` are added to the right and to the wrong answers of a rater, in each of the two classes; `prior`
    is added to each class of the tasks. With the defaults a rater without answers has sensitivity and specificity 2/3.
    """

    right: float = 1.0
    wrong: float = 0.5
    prior: float = 1.0


SMOOTHING = Smoothing()
NO_SMOOTHING = Smoothing(0.0, 0.0, 0.0)
WHOLE = Interval(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Rater:
    """The accuracy of one rater: the probability of a right answer where success is true, and where failure is true.

    `successes` and `failures` are the expected counts of answers behind the two, smoothing included; more answers make
    the rates more certain. The intervals are only shown to people; a rater without counts has the widest.
    """

    sensitivity: float
    specificity: float
    successes: float
    failures: float
    sensitivity_interval: Interval = WHOLE
    specificity_interval: Interval = WHOLE


def unknown_rater(smoothing: Smoothing = SMOOTHING) -> Rater:
    """A rater without any answer: the rates come from smoothing alone.

    >>> round(unknown_rater().sensitivity, 3), unknown_rater().successes
    (0.667, 1.5)
    """
    return rater_from_counts(0, 0, 0, 0, smoothing=smoothing)


def rater_from_counts(right1: float, n1: float, right0: float, n0: float, *, smoothing: Smoothing = SMOOTHING) -> Rater:
    """A rater with `right1` right answers of `n1` where success is true, and `right0` of `n0` where failure is true.

    Counts may be fractions. The intervals are Wilson's 95 % intervals of the counts without smoothing.

    Raises:
        ValueError: more right answers than answers, a negative count, or neither counts nor smoothing.
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
    """One rater's answer to one task; `weight` in 0..1 counts it as a fraction of a vote."""

    rater: int
    label: bool
    weight: float = 1.0


class Posterior(NamedTuple):
    """The probability that a task is a success, with a 95 % interval; `low <= value <= high`."""

    value: float
    low: float
    high: float


def posterior_of(
    votes: Iterable[Vote], raters: Mapping[int, Rater], prior: float = 0.5, *, default: Rater | None = None
) -> Posterior:
    """The posterior of one task, given the accuracy of its raters (naive Bayes).

    Its log-odds are those of `prior` plus, for each vote, the weight times the log likelihood ratio of that rater's
    answer. This is the E-step of `dawid_skene.fit`, so both agree for the same raters.

    Args:
        votes: The votes on the task; without votes the posterior is the prior.
        raters: Raters by id; a missing rater is `default`, or else `unknown_rater()`.
        prior: The share of successes among such tasks, strictly between 0 and 1.

    Returns:
        The interval comes from the uncertainty of the raters' rates, by the delta method on the log-odds: the variance
        is the sum of weight² times var(llr), and var(log p) of a rate p from n answers is (1 - p)/(n p). The prior
        counts as certain.

    Raises:
        ValueError: `prior` is not strictly between 0 and 1.

    Source: Nitzan & Paroush (1982), "Optimal decision rules in uncertain dichotomous choice situations".

    >>> sure = Rater(sensitivity=0.9, specificity=0.9, successes=1000, failures=1000)
    >>> round(posterior_of([Vote(1, True), Vote(2, False)], {1: sure}).value, 3)
    0.818
    """
    if not 0 < prior < 1:
        raise ValueError(f"a prior lies strictly between 0 and 1, not at {prior}")
    unknown = default or unknown_rater()
    all_votes = list(votes)
    by = [raters.get(vote.rater, unknown) for vote in all_votes]
    label = np.array([vote.label for vote in all_votes], dtype=np.int64)[:, None]
    weight = np.array([vote.weight for vote in all_votes], dtype=np.float64)
    sensitivity = np.array([rater.sensitivity for rater in by], dtype=np.float64)
    specificity = np.array([rater.specificity for rater in by], dtype=np.float64)
    successes = np.array([rater.successes for rater in by], dtype=np.float64)
    failures = np.array([rater.failures for rater in by], dtype=np.float64)
    ratios = np.take_along_axis(likelihood_ratios(sensitivity, specificity), label, axis=1)[:, 0]
    spread = np.take_along_axis(ratio_variances(sensitivity, specificity, successes, failures), label, axis=1)[:, 0]
    odds = math.log(prior / (1 - prior)) + float(weight @ ratios)
    variance = float(weight**2 @ spread)
    half = Z95 * math.sqrt(variance)
    value, low, high = sigmoid(np.array([odds, odds - half, odds + half])).tolist()
    return Posterior(value, low, high)


def likelihood_ratios(sensitivity: Floats, specificity: Floats) -> Floats:
    """Log likelihood ratios, success over failure, of the answers failure and success; shape (n, 2)."""
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
    """The probability of log-odds, in any shape."""
    # exp of a number <= 0 cannot overflow.
    small = np.exp(-np.abs(odds))
    return np.where(odds >= 0, 1 / (1 + small), small / (1 + small))
