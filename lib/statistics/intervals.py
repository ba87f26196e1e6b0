"""Wilson's interval of a proportion."""

import math
from typing import NamedTuple

Z95 = 1.959963984540054
"""Normal quantile of a two-sided 95 % interval."""


class Interval(NamedTuple):
    """An interval within [0, 1]; `low <= high`."""

    low: float
    high: float


def wilson(successes: float, n: float, *, z: float = Z95) -> Interval:
    """The Wilson score interval of a proportion.

    Args:
        successes: Number of successes, 0 <= successes <= n. It may be a fraction, for expected counts are.
        n: Number of trials, n > 0.
        z: Normal quantile.

    Raises:
        ValueError: n <= 0, or successes outside 0..n.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if not (n > 0 and 0 <= successes <= n):
        raise ValueError(f"no proportion of {successes} in {n}")
    rate = successes / n
    centre = rate + z * z / (2 * n)
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # In theory the ends are exactly 0 and 1; rounding would leave them 1e-17 off.
    low = 0.0 if successes == 0 else max(0.0, (centre - half) / scale)
    high = 1.0 if successes == n else min(1.0, (centre + half) / scale)
    return Interval(low, high)
