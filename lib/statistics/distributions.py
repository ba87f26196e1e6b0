"""Tails of Student's t, of F, and of the normal distribution, for arrays; equal to scipy's to some 1e-12."""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_TINY = 1e-300
_MOST_STEPS = 500
_NEAR = 1e-15


def t_two_sided(t: npt.ArrayLike, degrees: npt.ArrayLike) -> Floats:
    """The chance that Student's t is as far from 0 as `t` or farther, on either side; nan where `t` is nan.

    >>> t_two_sided(2.0, 10).round(6).item()
    0.073388
    """
    value, df = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.asarray(degrees, dtype=np.float64))
    with np.errstate(over="ignore"):
        return _beta_cdf(df / 2, np.full(value.shape, 0.5), df / (df + value * value))


def t_quantile(share: float, degrees: float) -> float:
    """The quantile of Student's t distribution.

    Raises:
        ValueError: `share` is not between 0 and 1, or `degrees` is not positive.

    >>> round(t_quantile(0.975, 4), 6), round(t_quantile(0.975, 1), 6)
    (2.776445, 12.706205)
    """
    if not (0 < share < 1 and degrees > 0):
        raise ValueError(f"no quantile {share} of t with {degrees} degrees of freedom")
    return -_upper_quantile(1 - share, degrees) if share < 0.5 else _upper_quantile(share, degrees)


@lru_cache(maxsize=4096)
def _upper_quantile(share: float, degrees: float) -> float:
    """Newton's method, within bounds that close in."""
    tail = 2 * (1 - share)
    scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    low, high = 0.0, 1.0
    while float(t_two_sided(high, degrees)) > tail:
        low, high = high, high * 2
    value = (low + high) / 2
    for _ in range(_MOST_STEPS):
        excess = float(t_two_sided(value, degrees)) - tail
        low, high = (value, high) if excess > 0 else (low, value)
        density = math.exp(scale - (degrees + 1) / 2 * math.log1p(value * value / degrees))
        following = value + excess / (2 * density)
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - value) <= 1e-14 * value:
            break
        value = following
    return value


def f_above(f: float, above: float, below: float) -> float:
    """The chance that F with `above` and `below` degrees of freedom is `f` or more.

    >>> round(f_above(3.0, 2, 20), 6)
    0.072538
    """
    if math.isinf(f):
        return 0.0
    return float(_beta_cdf(np.array([below / 2]), np.array([above / 2]), np.array([below / (below + above * f)]))[0])


def normal_quantile(share: float) -> float:
    """The quantile of the normal distribution."""
    return NormalDist().inv_cdf(share)


def normal_below(z: float) -> float:
    """The chance that a normal value is below `z`."""
    return NormalDist().cdf(z)


def _beta_cdf(a: Floats, b: Floats, x: Floats) -> Floats:
    """The regularised incomplete beta function.

    Source: Press, Teukolsky, Vetterling & Flannery (2007), "Numerical Recipes", section 6.4: Lentz's method.
    """
    a, b, x = (np.asarray(one, dtype=np.float64) for one in (a, b, x))
    swapped = x > (a + 1) / (a + b + 2)
    a, b, x = np.where(swapped, b, a), np.where(swapped, a, b), np.where(swapped, 1 - x, x)
    is_inside = (x > 0) & (x < 1)
    # Elsewhere a value for which the fraction converges at once.
    safe = np.where(is_inside, x, 1e-9)
    gammas = np.vectorize(lambda p, q: math.lgamma(p + q) - math.lgamma(p) - math.lgamma(q), otypes=[np.float64])
    with np.errstate(under="ignore"):
        front = np.exp(gammas(a, b) + a * np.log(safe) + b * np.log1p(-safe)) / a if a.size else np.zeros(a.shape)
        found = np.where(is_inside, front * _fraction(a, b, safe), np.where(x >= 1, 1.0, 0.0))
    found = np.where(swapped, 1 - found, found)
    return np.where(np.isnan(x), np.nan, found)


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction of the incomplete beta function."""
    c = np.ones(x.shape)
    d = 1 / _away_from_0(1 - (a + b) * x / (a + 1))
    h = d.copy()
    for step in range(1, _MOST_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        d = 1 / _away_from_0(1 + even * d)
        c = _away_from_0(1 + even / c)
        h *= d * c
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        d = 1 / _away_from_0(1 + odd * d)
        c = _away_from_0(1 + odd / c)
        h *= d * c
        if (np.abs(d * c - 1) < _NEAR).all():
            break
    return h


def _away_from_0(value: Floats) -> Floats:
    return np.where(np.abs(value) < _TINY, _TINY, value)
