"""Differences between agents, paired by scenario, and p values that are adjusted for their number."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.statistics.distributions import normal_quantile, t_quantile, t_two_sided
from lib.statistics.intervals import Z95

Floats = npt.NDArray[np.float64]

POWER = 0.8
_NOTHING = 1e-12


class Paired(NamedTuple):
    """The mean difference between two agents over the scenarios that both tried; None where it cannot be computed.

    Attributes:
        quantile: The number of standard errors on either side of the difference that the interval has.
        smallest_visible: The true difference that a test with this standard error finds in 80 % of runs; None where
            none is, because it would have to be greater than 1.
    """

    scenarios: int
    difference: float | None
    standard_error: float | None
    quantile: float | None
    low: float | None
    high: float | None
    p: float | None
    smallest_visible: float | None


def for_new_scenarios(a: npt.ArrayLike, b: npt.ArrayLike) -> Paired:
    """The difference a - b for new scenarios of the same kind, by the paired t test.

    Args:
        a, b: The agents' rates at the scenarios that both tried, shape (scenarios,).

    Returns:
        Only the difference where there are fewer than two scenarios, or where it is the same at each.

    >>> found = for_new_scenarios([0.8, 0.6, 0.9, 0.7], [0.6, 0.5, 0.8, 0.3])
    >>> round(found.difference, 3), round(found.p, 4)
    (0.2, 0.0663)
    """
    apart = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    size = len(apart)
    if not size:
        return Paired(0, None, None, None, None, None, None, None)
    difference = float(apart.mean())
    error = float(apart.std(ddof=1)) / math.sqrt(size) if size > 1 else 0.0
    if error <= _NOTHING:
        return Paired(size, difference, None, None, None, None, None, None)
    quantile = t_quantile(0.975, size - 1)
    return Paired(
        size,
        difference,
        error,
        quantile,
        max(difference - quantile * error, -1.0),
        min(difference + quantile * error, 1.0),
        float(t_two_sided(difference / error, size - 1)),
        _visible((quantile + t_quantile(POWER, size - 1)) * error),
    )


def for_this_suite(a: npt.ArrayLike, n_a: npt.ArrayLike, b: npt.ArrayLike, n_b: npt.ArrayLike) -> Paired:
    """The difference a - b at these very scenarios: only the continuations would be others.

    Args:
        a, b: The agents' rates at the scenarios that both tried, shape (scenarios,).
        n_a, n_b: The number of their judged continuations there.

    Returns:
        Only the difference where a scenario has a single continuation of an agent, or where no rate lies between 0
        and 1.

    >>> found = for_this_suite([0.75, 0.5], [4, 4], [0.25, 0.25], [4, 4])
    >>> round(found.difference, 3), round(found.standard_error, 3)
    (0.375, 0.26)
    """
    rates = [np.asarray(one, dtype=np.float64) for one in (a, b)]
    tries = [np.asarray(one, dtype=np.float64) for one in (n_a, n_b)]
    size = len(rates[0])
    if not size:
        return Paired(0, None, None, None, None, None, None, None)
    difference = float((rates[0] - rates[1]).mean())
    if any((one < 2).any() for one in tries):
        return Paired(size, difference, None, None, None, None, None, None)
    error = math.sqrt(sum(float((m * (1 - m) / (c - 1)).sum()) for m, c in zip(rates, tries, strict=True))) / size
    if error <= _NOTHING:
        return Paired(size, difference, None, None, None, None, None, None)
    return Paired(
        size,
        difference,
        error,
        Z95,
        max(difference - Z95 * error, -1.0),
        min(difference + Z95 * error, 1.0),
        math.erfc(abs(difference) / error / math.sqrt(2)),
        _visible((Z95 + normal_quantile(POWER)) * error),
    )


def _visible(difference: float) -> float | None:
    return difference if difference <= 1 else None


def p_of_all_pairs(rates: npt.ArrayLike) -> Floats:
    """The p value of the paired t test for each two agents, shape (agents, agents); nan where there is none.

    Args:
        rates: The rate of each agent at each scenario, shape (agents, scenarios); nan where it was not tried.

    Costs: O(agents squared x scenarios), without a loop over pairs.
    """
    table = np.asarray(rates, dtype=np.float64)
    tried = (~np.isnan(table)).astype(np.float64)
    # Deviations from each scenario's mean keep the sums of squares small, so that little is lost by subtraction.
    counts = tried.sum(axis=0)
    means = np.divide(np.nansum(table, axis=0), counts, out=np.zeros(len(counts)), where=counts > 0)
    value = np.where(tried > 0, table - means, 0.0)
    size = tried @ tried.T
    total = value @ tried.T - tried @ value.T
    squares = (value**2) @ tried.T + tried @ (value**2).T - 2 * value @ value.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / size
        variance = (squares - size * mean**2) / (size - 1)
        error = np.sqrt(np.where((size > 1) & (variance > 1e-10), variance, np.nan) / size)
        return t_two_sided(mean / error, np.maximum(size - 1, 1))


def p_of_all_pairs_here(rates: npt.ArrayLike, n: npt.ArrayLike) -> Floats:
    """As `p_of_all_pairs`, but for these very scenarios, as `for_this_suite` has it.

    Args:
        rates, n: The rate (nan where it was not tried) and the judged continuations, shape (agents, scenarios).
    """
    table, tries = np.asarray(rates, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tried = (tries > 0).astype(np.float64)
    value = np.where(tried > 0, table, 0.0)
    variance = np.divide(value * (1 - value), tries - 1, out=np.zeros(tries.shape), where=tries > 1)
    alone = (tries == 1).astype(np.float64)
    size = tried @ tried.T
    total = value @ tried.T - tried @ value.T
    spread = variance @ tried.T + tried @ variance.T
    is_known = (alone @ tried.T + tried @ alone.T == 0) & (spread > 1e-10) & (size > 0)
    z = np.divide(np.abs(total), np.sqrt(np.maximum(spread, 1e-300)), out=np.full(total.shape, np.nan), where=is_known)
    p: Floats = np.vectorize(lambda one: math.erfc(one / math.sqrt(2)), otypes=[np.float64])(z)
    return p


def holm(p: Sequence[float]) -> list[float]:
    """The p values adjusted for their number, in the given order.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure".

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    adjusted = np.minimum(np.maximum.accumulate(values[order] * (len(values) - np.arange(len(values)))), 1.0)
    found = np.empty(len(values))
    found[order] = adjusted
    return found.tolist()


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """The p values adjusted so that the share of false discoveries is controlled, in the given order.

    Source: Benjamini & Hochberg (1995), "Controlling the false discovery rate".

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(-values, kind="stable")
    share = len(values) / (len(values) - np.arange(len(values)))
    found = np.empty(len(values))
    found[order] = np.minimum(np.minimum.accumulate(values[order] * share), 1.0)
    return found.tolist()
