"""The Rasch model: how able agents are and how difficult scenarios are, on one scale of log-odds."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.intervals import Z95

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_MOST_STEPS = 100
_NEAR = 1e-10


class Placed(NamedTuple):
    """A place on the scale in log-odds, with its 95 % interval."""

    value: float
    low: float
    high: float


class RaschFit(NamedTuple):
    """The fitted model.

    Attributes:
        abilities: By agent; None where all of its continuations succeeded, or all failed, or where it shares no
            scenario with the others.
        difficulties: By scenario, likewise. Their mean is 0.
        misfit: Pearson's chi-square over its degrees of freedom: about 1 where agents differ in ability alone, and more
            where each has scenarios of its own that it is good at. None where nothing is left to judge it by.
    """

    abilities: list[Placed | None]
    difficulties: list[Placed | None]
    misfit: float | None


def fit_rasch(successes: npt.ArrayLike, n: npt.ArrayLike) -> RaschFit:
    """Fit P(success) = 1 / (1 + exp(difficulty - ability)) by maximum likelihood.

    Args:
        successes: Number of successes, shape (agents, scenarios).
        n: Number of judged continuations, of the same shape.

    Returns:
        The intervals are Wald's, from the inverse of the information.

    Source: Rasch (1960), "Probabilistic Models for Some Intelligence and Attainment Tests"; this is the logistic
    regression on agents and scenarios.

    Costs: O(agents cubed + agents squared x scenarios) a step, about ten steps.

    >>> found = fit_rasch([[9, 5], [6, 2]], [[10, 10], [10, 10]])
    >>> [round(one.value, 2) for one in found.difficulties]
    [-0.98, 0.98]
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    agents, scenarios = _connected(hits, tries)
    abilities: list[Placed | None] = [None] * hits.shape[0]
    difficulties: list[Placed | None] = [None] * hits.shape[1]
    if not (agents.any() and scenarios.any()):
        return RaschFit(abilities, difficulties, None)
    k, c = hits[np.ix_(agents, scenarios)], tries[np.ix_(agents, scenarios)]
    able, hard = _solved(k, c)
    able_error, hard_error = _errors(c * _variance(able, hard))
    for found, places, values, errors in (
        (abilities, np.flatnonzero(agents), able, able_error),
        (difficulties, np.flatnonzero(scenarios), hard, hard_error),
    ):
        for place, value, error in zip(places.tolist(), values.tolist(), errors.tolist(), strict=True):
            found[place] = Placed(value, value - Z95 * error, value + Z95 * error)
    return RaschFit(abilities, difficulties, _misfit(k, c, able, hard))


def _connected(hits: Floats, tries: Floats) -> tuple[Bools, Bools]:
    """The agents and scenarios that have a place: of mixed outcomes, and compared with each other."""
    agents, scenarios = np.ones(hits.shape[0], dtype=bool), np.ones(hits.shape[1], dtype=bool)
    while True:
        k, c = hits * scenarios, tries * scenarios
        own = (k.sum(axis=1) > 0) & (k.sum(axis=1) < c.sum(axis=1)) & agents
        k, c = hits * own[:, None], tries * own[:, None]
        theirs = (k.sum(axis=0) > 0) & (k.sum(axis=0) < c.sum(axis=0)) & scenarios
        if (own == agents).all() and (theirs == scenarios).all():
            break
        agents, scenarios = own, theirs
    best: tuple[Bools, Bools] = (np.zeros_like(agents), np.zeros_like(scenarios))
    left = agents.copy()
    while left.any():
        part = np.zeros_like(agents)
        part[np.flatnonzero(left)[0]] = True
        while True:
            reached = (tries[part] > 0).any(axis=0) & scenarios
            grown = (tries[:, reached] > 0).any(axis=1) & agents
            if (grown == part).all():
                break
            part = grown
        if reached.sum() > best[1].sum():
            best = (part, reached)
        left &= ~part
    return best


def _chance(able: Floats, hard: Floats) -> Floats:
    return 1 / (1 + np.exp(np.clip(hard[None, :] - able[:, None], -40, 40)))


def _variance(able: Floats, hard: Floats) -> Floats:
    chance = _chance(able, hard)
    return chance * (1 - chance)


def _likelihood(k: Floats, c: Floats, able: Floats, hard: Floats) -> float:
    odds = able[:, None] - hard[None, :]
    return float((k * odds - c * np.logaddexp(0.0, odds)).sum())


def _solved(k: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Newton's method; the scenarios' part of the information is diagonal, so only the agents' is inverted."""
    able, hard = np.zeros(k.shape[0]), np.zeros(k.shape[1])
    reached = _likelihood(k, c, able, hard)
    for _ in range(_MOST_STEPS):
        apart = k - c * _chance(able, hard)
        weight = c * _variance(able, hard)
        able_step, hard_step = _steps(weight, apart.sum(axis=1), -apart.sum(axis=0))
        size = 1.0
        while True:
            next_able, next_hard = able + size * able_step, hard + size * hard_step
            likelihood = _likelihood(k, c, next_able, next_hard)
            if likelihood >= reached - 1e-12 or size < 1e-6:
                break
            size /= 2
        moved = max(float(np.abs(next_able - able).max()), float(np.abs(next_hard - hard).max()))
        able, hard, reached = next_able, next_hard, likelihood
        if moved < _NEAR:
            break
    middle = float(hard.mean())
    return able - middle, hard - middle


def _steps(weight: Floats, able_slope: Floats, hard_slope: Floats) -> tuple[Floats, Floats]:
    of_hard = weight.sum(axis=0)
    reduced = np.diag(weight.sum(axis=1)) - (weight / of_hard) @ weight.T
    able = np.linalg.pinv(reduced, hermitian=True) @ (able_slope + (weight / of_hard) @ hard_slope)
    return able, (hard_slope + weight.T @ able) / of_hard


def _errors(weight: Floats) -> tuple[Floats, Floats]:
    """Standard errors on the scale on which the mean difficulty is 0."""
    of_hard = weight.sum(axis=0)
    share = weight / of_hard
    reduced = np.diag(weight.sum(axis=1)) - share @ weight.T
    # One covariance of the many that the free origin allows; then the origin is put at the mean difficulty.
    able = np.linalg.pinv(reduced, hermitian=True)
    both = able @ share
    hard_mean_able = both.mean(axis=1)
    hard_rows = share.T @ both
    hard_mean_hard = hard_rows.mean(axis=1) + 1 / (of_hard * len(of_hard))
    mean = float(hard_mean_hard.mean())
    able_variance = np.diag(able) - 2 * hard_mean_able + mean
    hard_variance = np.einsum("as,as->s", share, both) + 1 / of_hard - 2 * hard_mean_hard + mean
    return np.sqrt(np.maximum(able_variance, 0.0)), np.sqrt(np.maximum(hard_variance, 0.0))


def _misfit(k: Floats, c: Floats, able: Floats, hard: Floats) -> float | None:
    left = int((c > 0).sum()) - len(able) - len(hard) + 1
    if left <= 0:
        return None
    variance = c * _variance(able, hard)
    apart = (k - c * _chance(able, hard)) ** 2
    return float(np.divide(apart, variance, out=np.zeros(k.shape), where=variance > 0).sum()) / left
