"""Success rates without what guessing achieves."""

from typing import NamedTuple

from lib.statistics.intervals import wilson


class WithoutChance(NamedTuple):
    """A rate on the scale on which guessing is 0 and success at every try is 1; below 0 it is worse than guessing.

    `chance` is the share of successes by guessing; `low` and `high` are the ends of the 95 % Wilson interval of the
    rate on that scale, since `chance` is taken as known.
    """

    chance: float
    score: float
    low: float
    high: float


def without_chance(successes: int, n: int, chance: float) -> WithoutChance:
    """(rate - chance) / (1 - chance), the correction of Abbott (1925), which Cohen's kappa has too.

    Raises:
        ValueError: n is 0, or guessing never fails: no such score exists.

    >>> [round(value, 3) for value in without_chance(7, 10, 0.25)]
    [0.25, 0.6, 0.196, 0.856]
    >>> without_chance(25, 100, 0.25).score
    0.0
    """
    if not n or not 0 <= chance < 1:
        raise ValueError(f"no score of {n} tries with the chance {chance}")
    interval = wilson(successes, n)
    score, low, high = ((rate - chance) / (1 - chance) for rate in (successes / n, interval.low, interval.high))
    return WithoutChance(chance, score, low, high)
