"""Success rates of agents, with standard errors, intervals and ranks."""

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from lib.statistics.intervals import wilson


class SuccessRate(NamedTuple):
    """The share of continuations that succeeded; all but the counts are None where n = 0.

    `standard_error` is the binomial one of paper 000 (figure 3), `low` and `high` the 95 % Wilson interval.
    """

    n: int
    successes: int
    rate: float | None
    standard_error: float | None
    low: float | None
    high: float | None


def success_rate(successes: int, n: int) -> SuccessRate:
    """The rate of `successes` in `n` continuations, with sqrt(rate(1 - rate)/n) and a Wilson interval.

    Raises:
        ValueError: successes outside 0..n.

    Source: paper 000, section 3.4 and figure 3.

    >>> success_rate(3, 4)[:4]
    (4, 3, 0.75, 0.21650635094610965)
    >>> success_rate(0, 0).rate is None
    True
    """
    if not 0 <= successes <= n:
        raise ValueError(f"no rate of {successes} in {n}")
    if n == 0:
        return SuccessRate(0, 0, None, None, None, None)
    rate = successes / n
    interval = wilson(successes, n)
    return SuccessRate(n, successes, rate, math.sqrt(rate * (1 - rate) / n), interval.low, interval.high)


def ranks(rates: Mapping[str, float | None]) -> dict[str, int | None]:
    """The rank of each name: 1 for the highest rate; equal rates share the lowest number; None without a rate.

    >>> ranks({"a": 0.5, "b": 0.9, "c": 0.5, "d": None})
    {'a': 2, 'b': 1, 'c': 2, 'd': None}
    """
    known = sorted(rate for rate in rates.values() if rate is not None)
    return {name: None if rate is None else 1 + len(known) - bisect_right(known, rate) for name, rate in rates.items()}
