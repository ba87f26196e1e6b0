"""How consistent an agent is: whether its continuations of one scenario end alike."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import t_quantile

LEAST_SCENARIOS = 2


class Consistency(NamedTuple):
    """The chance that two continuations of one scenario have the same outcome, as the mean over scenarios.

    Attributes:
        low, high: Its 95 % interval for new scenarios, by Student's t; None with a single scenario, and where all of
            them are equally consistent: the formula would give the interval no width.
        expected: The same chance for two continuations of any scenarios: what equal difficulty everywhere would give.
    """

    scenarios: int
    value: float
    low: float | None
    high: float | None
    expected: float


def consistency_of(successes: npt.ArrayLike, n: npt.ArrayLike) -> Consistency | None:
    """The consistency of one agent; None where no scenario has two judged continuations.

    Args:
        successes: Number of successes, shape (scenarios,).
        n: Number of judged continuations, of the same shape.

    Source: the share of agreeing pairs, as in Fleiss' kappa (1971), which is unbiased for any number of continuations.

    >>> found = consistency_of([10, 5, 0], [10, 10, 10])
    >>> round(found.value, 3), round(found.expected, 3)
    (0.815, 0.5)

    However many continuations each scenario has, it counts once:

    >>> consistency_of([98, 0], [98, 2]).expected
    0.5
    """
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    used = tries > 1
    if not used.any():
        return None
    k, c = hits[used], tries[used]
    alike = (k * (k - 1) + (c - k) * (c - k - 1)) / (c * (c - 1))
    rate = float((k / c).mean())
    value, scenarios = float(alike.mean()), len(alike)
    low = high = None
    if scenarios >= LEAST_SCENARIOS and np.ptp(alike) > 0:
        half = t_quantile(0.975, scenarios - 1) * float(alike.std(ddof=1)) / math.sqrt(scenarios)
        low, high = max(value - half, 0.0), min(value + half, 1.0)
    return Consistency(scenarios, value, low, high, rate * rate + (1 - rate) * (1 - rate))
