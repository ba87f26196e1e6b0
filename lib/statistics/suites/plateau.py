"""Whether the success of agents has plateaued: newer agents are no better than those before them."""

from collections.abc import Sequence
from typing import NamedTuple

from lib.statistics.suites.separation import difference_of_shares

NEWEST = 5
"""The agents that are held against all before them."""
LEAST_BEFORE = 3
LITTLE = 0.05
"""A gain of at most so much, with 95 % confidence, is none."""


class Plateau(NamedTuple):
    """The rate of the best of the newest agents less that of the best before them, with its 95 % interval.

    `newest` and `before` are the places of these two. Both were picked as the best of several, so both rates are a
    little too high.
    """

    newest: int
    before: int
    difference: float
    low: float
    high: float


def plateau(successes: Sequence[int], n: Sequence[int]) -> Plateau | None:
    """The plateau that these agents have reached; None where they have not, or nobody can say yet.

    Args:
        successes: Number of successes of each agent, the oldest first.
        n: Number of judged continuations of each.

    Source of the idea: paper 000, figure 6: "agent performance has not yet plateaued".

    >>> plateau([500, 600, 710, 700, 690, 705, 640, 700], [1000] * 8).newest
    5
    >>> plateau([500, 600, 700, 700, 690, 705, 640, 790], [1000] * 8) is None
    True
    """
    judged = [at for at, size in enumerate(n) if size]
    if len(judged) < NEWEST + LEAST_BEFORE:
        return None

    def best(places: Sequence[int]) -> int:
        return max(places, key=lambda at: (successes[at] / n[at], at))

    newest, before = best(judged[-NEWEST:]), best(judged[:-NEWEST])
    found = difference_of_shares(successes[newest], n[newest], successes[before], n[before])
    return Plateau(newest, before, *found) if found[2] <= LITTLE else None
