"""Hours of people that a rate of success takes at a given standard error, where it is measured in two ways."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

EQUAL_ERROR = 0.02
"""The standard error at which two ways are compared."""
ROUNDING = 1e-12
"""A standard error below this comes from rounding: all clusters have the same rate."""


class Effort(NamedTuple):
    """One way to measure a rate of success, and what it took.

    Attributes:
        n: Judgements.
        clusters: The scenarios or sessions that they come from, which are taken as drawn at random.
        standard_error: For new scenarios or sessions; None where it is not known.
        hours: Of people.
        hours_at_equal_error: The hours until the standard error is `EQUAL_ERROR`; None where it is not known.
    """

    n: int
    clusters: int
    rate: float | None
    standard_error: float | None
    hours: float | None
    hours_at_equal_error: float | None


def effort(successes: npt.ArrayLike, n: npt.ArrayLike, *, hours: float | None) -> Effort:
    """The effort behind successes and judgements of each cluster; both of shape (clusters,).

    The standard error is that of a ratio of sums over clusters. It halves with four times the hours, so the hours to
    another error follow from it. It is not known from fewer than two clusters, nor where all have the same rate.

    Raises:
        ValueError: the shapes differ.

    Source: Cochran (1977), "Sampling Techniques", section 6.3.

    >>> found = effort([3, 1, 2], [4, 4, 4], hours=2.0)
    >>> found.n, found.clusters, found.rate, round(found.standard_error, 4), round(found.hours_at_equal_error, 1)
    (12, 3, 0.5, 0.1443, 104.2)
    """
    hits, sizes = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if hits.shape != sizes.shape or hits.ndim != 1:
        raise ValueError("each cluster has its successes and its judgements")
    hits, sizes = hits[sizes > 0], sizes[sizes > 0]
    clusters, total = len(sizes), float(sizes.sum())
    if not clusters:
        return Effort(0, 0, None, None, hours, None)
    rate = float(hits.sum()) / total
    error = None
    if clusters > 1:
        apart = hits - rate * sizes
        error = math.sqrt(clusters / (clusters - 1) * float(apart @ apart)) / total
        error = error if error > ROUNDING else None
    needed = hours * (error / EQUAL_ERROR) ** 2 if hours is not None and error is not None else None
    return Effort(int(total), clusters, rate, error, hours, needed)


def times_faster(one: Effort, other: Effort) -> float | None:
    """How many times the hours of `one` the other takes to the same standard error; None where one is not known.

    >>> times_faster(effort([3, 1], [4, 4], hours=1.0), effort([3, 1], [4, 4], hours=6.0))
    6.0
    """
    if not one.hours_at_equal_error or other.hours_at_equal_error is None:
        return None
    return other.hours_at_equal_error / one.hours_at_equal_error
