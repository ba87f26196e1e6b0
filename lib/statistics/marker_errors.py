"""Errors of markers: the time between the moment that a rater marked and the true moment."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TOLERANCE_S = 1.0


class MarkerErrors(NamedTuple):
    """Errors in seconds, marked moment minus true moment; positive is late.

    `median_offset_s` is the rater's usual lag (reaction time), `median_absolute_s` and `p90_absolute_s` are the size of
    the errors, `within` is the share of markers whose error is at most the tolerance. All but `n` are None without a
    marker.
    """

    n: int
    median_offset_s: float | None
    median_absolute_s: float | None
    p90_absolute_s: float | None
    within: float | None


def marker_errors(
    marked_s: npt.ArrayLike, true_s: npt.ArrayLike, *, tolerance_s: npt.ArrayLike = TOLERANCE_S
) -> MarkerErrors:
    """The errors of one rater's markers.

    Args:
        marked_s: The moments that the rater marked, in seconds, shape (n,).
        true_s: The true moments, in seconds, shape (n,).
        tolerance_s: The largest error that counts as right, in seconds >= 0, one for all markers or one for each.

    Returns:
        The 90th percentile is interpolated linearly between markers.

    Raises:
        ValueError: the arrays differ in shape, or a moment is not a finite number.

    >>> marker_errors([1.5, 2.0], [1.0, 4.0])
    MarkerErrors(n=2, median_offset_s=-0.75, median_absolute_s=1.25, p90_absolute_s=1.85, within=0.5)
    """
    marked, true = np.asarray(marked_s, dtype=np.float64), np.asarray(true_s, dtype=np.float64)
    if marked.shape != true.shape or marked.ndim != 1:
        raise ValueError("each marker has one true moment")
    error = marked - true
    if not np.isfinite(error).all():
        raise ValueError("a moment is a number of seconds")
    if len(error) == 0:
        return MarkerErrors(0, None, None, None, None)
    size = np.abs(error)
    # Moments are whole ticks: rounding of a float difference must not exclude an error that is exactly the tolerance.
    inside = size <= np.asarray(tolerance_s, dtype=np.float64) + 1e-9
    return MarkerErrors(
        n=len(error),
        median_offset_s=float(np.median(error)),
        median_absolute_s=float(np.median(size)),
        p90_absolute_s=float(np.percentile(size, 90)),
        within=float(inside.mean()),
    )
