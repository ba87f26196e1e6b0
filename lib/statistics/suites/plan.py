"""Planning a suite's run: which difference between two agents so many continuations show, and what they cost."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import normal_below, t_quantile

Floats = npt.NDArray[np.float64]

MOST_CONTINUATIONS = 1000
"""A suite is not worth more continuations of one scenario than this: other scenarios would tell more."""


class Noise(NamedTuple):
    """The variance of the paired difference of two agents at one scenario.

    Attributes:
        between: The variance between scenarios of the true difference, which no number of continuations removes.
        within: The sum over both agents of the variance of one rated continuation, of the outcomes as they are rated.
        youden: What of a true difference remains in the ratings: sensitivity + specificity - 1.
    """

    between: float
    within: float
    youden: float

    def error(self, *, scenarios: int, continuations: float) -> float:
        """The standard error of the true difference."""
        return math.sqrt((self.between + self.within / (continuations * self.youden**2)) / scenarios)


def power_of(difference: float, noise: Noise, *, scenarios: int, continuations: float) -> float:
    """The share of runs in which two agents who differ by `difference` are told apart, at 5 % for two equal ones.

    Source: the power of the paired t test, with the noncentral t replaced by a shifted normal distribution.

    >>> round(power_of(0.05, Noise(0.02, 0.36, 0.8), scenarios=160, continuations=10), 2)
    0.62
    """
    error = noise.error(scenarios=scenarios, continuations=continuations)
    bound, degrees = t_quantile(0.975, scenarios - 1), scenarios - 1
    # Johnson & Welch's approximation of the noncentral t.
    scale = math.sqrt(1 + bound * bound / (2 * degrees))
    centre = bound * (1 - 1 / (4 * degrees))
    shift = difference / error
    return 1 - normal_below((centre - shift) / scale) + normal_below((-centre - shift) / scale)


def visible_difference(noise: Noise, *, scenarios: int, continuations: float, power: float) -> float:
    """The smallest true difference that is found with this power; at most 1.

    >>> found = visible_difference(Noise(0.02, 0.36, 0.8), scenarios=160, continuations=10, power=0.8)
    >>> round(found, 4)
    0.0615
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        found = power_of(middle, noise, scenarios=scenarios, continuations=continuations)
        low, high = (low, middle) if found >= power else (middle, high)
    return high


def continuations_for(difference: float, noise: Noise, *, scenarios: int, power: float) -> int | None:
    """The fewest continuations of each scenario that show `difference` with this power; None where no number does.

    >>> continuations_for(0.05, Noise(0.02, 0.36, 0.8), scenarios=160, power=0.8)
    19
    >>> continuations_for(0.01, Noise(0.02, 0.36, 0.8), scenarios=160, power=0.8) is None
    True
    """

    def shows(number: int) -> bool:
        return power_of(difference, noise, scenarios=scenarios, continuations=number) >= power

    if not shows(MOST_CONTINUATIONS):
        return None
    low, high = 0, MOST_CONTINUATIONS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


class Measured(NamedTuple):
    """The noise of a suite, as estimated from its earlier runs; `pairs` is the number of pairs of agents behind it."""

    pairs: int
    between: float
    within: float


def measured_noise(successes: npt.ArrayLike, n: npt.ArrayLike) -> Measured | None:
    """The variances of paired differences in the outcomes as rated, averaged over all pairs of agents.

    The variance between scenarios is what the variance of the observed differences exceeds that of their continuations
    by, at least 0.

    Args:
        successes: Number of successes, shape (agents, scenarios).
        n: Number of judged continuations, of the same shape. Cells with fewer than two do not count.

    Returns:
        None where no two agents share two scenarios.
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    used = tries > 1
    rates = np.divide(hits, tries, out=np.zeros(hits.shape), where=used)
    single = np.divide(rates * (1 - rates) * tries, tries - 1, out=np.zeros(hits.shape), where=used)
    noise = np.divide(single, tries, out=np.zeros(hits.shape), where=used)
    betweens, withins = [], []
    for a in range(len(hits)):
        for b in range(a):
            both = used[a] & used[b]
            if both.sum() < 2:
                continue
            apart = rates[a, both] - rates[b, both]
            betweens.append(float(apart.var(ddof=1) - (noise[a, both] + noise[b, both]).mean()))
            withins.append(float((single[a, both] + single[b, both]).mean()))
    if not betweens:
        return None
    return Measured(len(betweens), max(float(np.mean(betweens)), 0.0), float(np.mean(withins)))
