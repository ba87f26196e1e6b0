"""Cohen's kappa: how far two people agree on kinds, beyond chance."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lib.statistics.intervals import Z95


class Kappa(NamedTuple):
    """Kappa with its interval, of `n` things that both people coded.

    `value` is None where it is undefined: nothing was coded by both, or both gave one kind to everything.
    """

    n: int
    agreement: float | None
    value: float | None
    low: float | None
    high: float | None


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> Kappa:
    """The agreement of two people on the same things, in the same order, with a 95 % interval.

    Raises:
        ValueError: the lengths differ.

    Source: Cohen (1960); the variance is that of Fleiss, Cohen and Everitt (1969), for large numbers of things.

    >>> cohen_kappa(["a"] * 5 + ["b"] * 5, ["a"] * 4 + ["b"] * 6)
    Kappa(n=10, agreement=0.9, value=0.8, low=0.435636422178, high=1.0)
    """
    if len(first) != len(second):
        raise ValueError("each thing has two codes")
    n = len(first)
    if not n:
        return Kappa(0, None, None, None, None)
    kinds, codes = np.unique([*first, *second], return_inverse=True)
    table = np.zeros((len(kinds), len(kinds)))
    np.add.at(table, (codes[:n], codes[n:]), 1 / n)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = float(np.trace(table)), float(rows @ columns)
    if expected >= 1 - 1e-12:
        return Kappa(n, observed, None, None, None)
    value = (observed - expected) / (1 - expected)
    same = np.diag(table) @ ((1 - expected) - (rows + columns) * (1 - observed)) ** 2
    others = table * (columns[:, None] + rows[None, :]) ** 2
    different = (1 - observed) ** 2 * (others.sum() - np.trace(others))
    variance = float(same + different) - (observed * expected - 2 * expected + observed) ** 2
    error = math.sqrt(max(variance, 0.0) / n) / (1 - expected) ** 2
    return Kappa(
        n,
        round(observed, 12),
        round(value, 12),
        round(max(value - Z95 * error, -1.0), 12),
        round(min(value + Z95 * error, 1.0), 12),
    )
