"""Estimate the truth of tasks and the accuracy of raters together: two-coin Dawid–Skene by EM.

Model: a task is a success with probability `prior`; a rater answers success with probability `sensitivity` where the
task is a success, and failure with probability `specificity` where it is not; raters err independently given the truth.

Source: Dawid & Skene (1979), "Maximum likelihood estimation of observer error-rates using the EM algorithm"; the
smoothing counts make it a maximum a posteriori fit under Beta priors, which few labels need.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import Z95, Interval, wilson
from lib.statistics.posterior import (
    LEAST,
    SMOOTHING,
    WHOLE,
    Posterior,
    Rater,
    Smoothing,
    likelihood_ratios,
    ratio_variances,
    sigmoid,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a fit.

    With `stop_on` "posterior" the fit ends when no task's posterior changed by `tolerance` or more; with "elbo" when
    the evidence lower bound, divided by the number of labels, rose by less than `tolerance`. Both end after
    `max_iterations`.
    """

    smoothing: Smoothing = SMOOTHING
    stop_on: Literal["posterior", "elbo"] = "posterior"
    tolerance: float = 1e-9
    max_iterations: int = 2000


@dataclass(frozen=True, slots=True)
class Fit:
    """The estimates of a fit.

    Arrays belong to `task_ids` (n_tasks,) or `rater_ids` (n_raters,), both ascending. `posterior` is the probability
    that the task is a success, `low` and `high` its 95 % interval as in `posterior_of`; a task of known truth has 0 or
    1 in all three. `successes` and `failures` are the expected counts behind each rater's rates, smoothing included;
    `right_successes` and `right_failures` are the right ones among them, without smoothing. `overlap` counts the tasks
    from which rates can be learned: those of known truth, and those with two labels or more. `converged` is False if
    `max_iterations` ended the fit.
    """

    task_ids: Ints
    posterior: Floats
    low: Floats
    high: Floats
    rater_ids: Ints
    sensitivity: Floats
    specificity: Floats
    successes: Floats
    failures: Floats
    right_successes: Floats
    right_failures: Floats
    prior: float
    overlap: int
    iterations: int
    converged: bool
    smoothing: Smoothing

    def raters(self) -> dict[int, Rater]:
        """Every rater by id, with Wilson intervals from the expected counts.

        The posteriors behind the counts count as certain, so an interval is somewhat too narrow where the tasks are
        uncertain.
        """
        added = self.smoothing.right + self.smoothing.wrong
        found: dict[int, Rater] = {}
        for at, rater in enumerate(self.rater_ids.tolist()):
            n1, n0 = max(0.0, float(self.successes[at]) - added), max(0.0, float(self.failures[at]) - added)
            found[rater] = Rater(
                sensitivity=float(self.sensitivity[at]),
                specificity=float(self.specificity[at]),
                successes=float(self.successes[at]),
                failures=float(self.failures[at]),
                sensitivity_interval=_interval(float(self.right_successes[at]), n1),
                specificity_interval=_interval(float(self.right_failures[at]), n0),
            )
        return found

    def posteriors(self) -> dict[int, Posterior]:
        """Every task's posterior by id."""
        rows = zip(self.posterior.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return {task: Posterior(*row) for task, row in zip(self.task_ids.tolist(), rows, strict=True)}


def fit(
    tasks: npt.ArrayLike,
    raters: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    truths: Mapping[int, bool] | None = None,
    weights: Mapping[int, float] | None = None,
    options: Options = Options(),
) -> Fit:
    """Estimate posteriors of tasks and rates of raters from one row per label.

    The fit starts from each task's (weighted) share of success votes, so "success" keeps its meaning as long as most
    votes are right. Then it computes rates from posteriors (M) and posteriors from rates (E), until nothing changes.
    The order of the rows does not matter. Two labels of one rater on one task count as two votes.

    Accuracy can be learned only from tasks that several raters judged or whose truth is known. With little overlap
    (`Fit.overlap`) the rates are a guess, and the fit can do worse than a plain majority; then use
    `posterior.posterior_of` with rates from references.

    Args:
        tasks: Task id of each label, shape (n,).
        raters: Rater id of each label, shape (n,).
        labels: 1 or True for success, shape (n,).
        truths: Known truths by task id. These posteriors stay fixed and count for the raters' rates, but not for the
            prior, since references do not have the share of successes of other tasks.
        weights: Weight 0..1 by rater id, 1 where missing. A vote of weight w counts as w votes, for its task and for
            the rater's own rates.
        options: Smoothing and the rule for the end.

    Raises:
        ValueError: the arrays differ in shape, a label is not 0 or 1, or a weight is outside 0..1.

    Costs: a pass over the labels for each of some dozens of iterations; 1e6 labels take a few seconds and 150 MB.
    """
    table = _table(tasks, raters, labels, truths or {}, weights or {})
    posterior, rates, iterations, converged = _em(table, options)
    odds = _log_odds(table, rates)
    spread = ratio_variances(rates.sensitivity, rates.specificity, rates.successes, rates.failures).ravel()
    squares = table.weight**2 * spread[table.cell]
    half = Z95 * np.sqrt(np.bincount(table.task, squares, minlength=len(table.task_ids)))
    low, high = sigmoid(odds - half), sigmoid(odds + half)
    # After "elbo" the posterior is one step behind the rates; the interval must hold the posterior that is returned.
    low, high = np.minimum(low, posterior), np.maximum(high, posterior)
    labels_of = np.bincount(table.task, minlength=len(table.task_ids))
    return Fit(
        task_ids=table.task_ids,
        posterior=posterior,
        low=np.where(table.known, posterior, low),
        high=np.where(table.known, posterior, high),
        rater_ids=table.rater_ids,
        sensitivity=rates.sensitivity,
        specificity=rates.specificity,
        successes=rates.successes,
        failures=rates.failures,
        right_successes=rates.right_successes,
        right_failures=rates.right_failures,
        prior=rates.prior,
        overlap=int((table.known | (labels_of > 1)).sum()),
        iterations=iterations,
        converged=converged,
        smoothing=options.smoothing,
    )


class _Table(NamedTuple):
    """The labels as indices: `task` in 0..n_tasks-1, `cell` = 2 * rater + label."""

    task_ids: Ints
    rater_ids: Ints
    task: Ints
    cell: Ints
    weight: Floats
    known: npt.NDArray[np.bool_]
    truth: Floats


class _Rates(NamedTuple):
    sensitivity: Floats
    specificity: Floats
    successes: Floats
    failures: Floats
    right_successes: Floats
    right_failures: Floats
    prior: float


def _table(
    tasks: npt.ArrayLike,
    raters: npt.ArrayLike,
    labels: npt.ArrayLike,
    truths: Mapping[int, bool],
    weights: Mapping[int, float],
) -> _Table:
    task, rater = np.asarray(tasks, dtype=np.int64), np.asarray(raters, dtype=np.int64)
    label = np.asarray(labels)
    if not task.shape == rater.shape == label.shape or task.ndim != 1:
        raise ValueError("tasks, raters and labels are one row per label each")
    if not np.isin(label, (0, 1)).all():
        raise ValueError("a label is 0 or 1")
    # The rows are sorted, so float sums agree to the last bit whatever the order of the caller is.
    order = np.lexsort((label, rater, task))
    task_ids, place = np.unique(task[order], return_inverse=True)
    rater_ids, who = np.unique(rater[order], return_inverse=True)
    weight = np.array([weights.get(rater, 1.0) for rater in rater_ids.tolist()], dtype=np.float64)
    if not ((weight >= 0) & (weight <= 1)).all():
        raise ValueError("a weight lies in 0..1")
    truth = np.array([float(truths.get(task, -1)) for task in task_ids.tolist()], dtype=np.float64)
    return _Table(task_ids, rater_ids, place, 2 * who + label[order].astype(np.int64), weight[who], truth >= 0, truth)


def _em(table: _Table, options: Options) -> tuple[Floats, _Rates, int, bool]:
    success = table.weight * (table.cell % 2)
    votes = np.bincount(table.task, table.weight, minlength=len(table.task_ids))
    share = np.bincount(table.task, success, minlength=len(table.task_ids))
    posterior = np.where(votes > 0, share / np.where(votes > 0, votes, 1.0), 0.5)
    posterior = np.where(table.known, table.truth, posterior)
    rates = _m_step(table, posterior, options.smoothing)
    if len(table.task) == 0:
        return posterior, rates, 0, True
    bound = -math.inf
    for iteration in range(1, options.max_iterations + 1):
        before, posterior = posterior, _e_step(table, rates)
        if options.stop_on == "posterior" and float(np.max(np.abs(posterior - before))) < options.tolerance:
            return posterior, rates, iteration, True
        rates = _m_step(table, posterior, options.smoothing)
        if options.stop_on == "elbo":
            before_bound, bound = bound, _bound(table, posterior, rates, options.smoothing) / len(table.task)
            if bound - before_bound < options.tolerance:
                return posterior, rates, iteration, True
    return posterior, rates, options.max_iterations, False


def _e_step(table: _Table, rates: _Rates) -> Floats:
    return np.where(table.known, table.truth, sigmoid(_log_odds(table, rates)))


def _log_odds(table: _Table, rates: _Rates) -> Floats:
    ratios = likelihood_ratios(rates.sensitivity, rates.specificity).ravel()[table.cell]
    summed = np.bincount(table.task, table.weight * ratios, minlength=len(table.task_ids))
    return np.asarray(math.log(rates.prior / (1 - rates.prior)) + summed, dtype=np.float64)


def _m_step(table: _Table, posterior: Floats, smoothing: Smoothing) -> _Rates:
    size = 2 * len(table.rater_ids)
    as_success = posterior[table.task]
    # Rows: raters; columns: label failure, label success.
    where_success = _tally(table.cell, table.weight * as_success, size)
    where_failure = _tally(table.cell, table.weight * (1 - as_success), size)
    right1, wrong1 = where_success[:, 1], where_success[:, 0]
    right0, wrong0 = where_failure[:, 0], where_failure[:, 1]
    sensitivity, successes = _rate(right1, wrong1, smoothing)
    specificity, failures = _rate(right0, wrong0, smoothing)
    open_tasks = posterior[~table.known]
    total = len(open_tasks) + 2 * smoothing.prior
    prior = (float(open_tasks.sum()) + smoothing.prior) / total if total > 0 else 0.5
    return _Rates(sensitivity, specificity, successes, failures, right1, right0, min(max(prior, LEAST), 1 - LEAST))


def _tally(cell: Ints, count: Floats, size: int) -> Floats:
    return np.bincount(cell, count, minlength=size).astype(np.float64).reshape(-1, 2)


def _rate(right: Floats, wrong: Floats, smoothing: Smoothing) -> tuple[Floats, Floats]:
    numerator = np.maximum(right + smoothing.right, LEAST)
    rest = np.maximum(wrong + smoothing.wrong, LEAST)
    return numerator / (numerator + rest), numerator + rest


def _bound(table: _Table, posterior: Floats, rates: _Rates, smoothing: Smoothing) -> float:
    """The evidence lower bound, including the logarithm of the Beta priors that the smoothing means."""
    said1 = np.log(np.maximum(np.stack([1 - rates.sensitivity, rates.sensitivity], axis=1), LEAST))
    said0 = np.log(np.maximum(np.stack([rates.specificity, 1 - rates.specificity], axis=1), LEAST))
    as_success = posterior[table.task]
    of_labels = table.weight * (as_success * said1.ravel()[table.cell] + (1 - as_success) * said0.ravel()[table.cell])
    free = posterior[~table.known]
    chance = math.log(rates.prior)
    against = math.log(1 - rates.prior)
    entropy = -(_x_log_x(free) + _x_log_x(1 - free)).sum()
    assumed = (
        smoothing.right * (said1[:, 1].sum() + said0[:, 0].sum())
        + smoothing.wrong * (said1[:, 0].sum() + said0[:, 1].sum())
        + smoothing.prior * (chance + against)
    )
    of_tasks = free.sum() * chance + (1 - free).sum() * against
    return float(of_labels.sum() + of_tasks + entropy + assumed)


def _x_log_x(p: Floats) -> Floats:
    return np.asarray(p * np.log(np.maximum(p, 1e-300)), dtype=np.float64)


def _interval(right: float, n: float) -> Interval:
    return wilson(min(right, n), n) if n > 0 else WHOLE
