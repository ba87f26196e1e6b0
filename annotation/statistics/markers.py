"""Errors of the moment: how far from the true moment people place their markers."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TOLERANCE_S = 1.0


class MarkerErrors(NamedTuple):
    """Marked minus true moment, in seconds; positive is late.

    `median_offset_s` is the habit (a reaction lag), `median_absolute_s` and `p90_absolute_s` the size of the errors,
    `within` the share that is at most the tolerance off. All but `n` are None without a marker.
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
        marked_s: Where the rater put the marker, seconds, shape (n,).
        true_s: Where it belongs, seconds, shape (n,).
        tolerance_s: How far off still counts as right, for all or for each, seconds >= 0; the edge counts as right.

    Returns:
        The 90th percentile is interpolated linearly between markers.

    Raises:
        ValueError: shapes that do not fit, moments that are no numbers.

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
    # Moments are whole ticks: a difference of floats must not put one that is exactly on the edge outside.
    inside = size <= np.asarray(tolerance_s, dtype=np.float64) + 1e-9
    return MarkerErrors(
        n=len(error),
        median_offset_s=float(np.median(error)),
        median_absolute_s=float(np.median(size)),
        p90_absolute_s=float(np.percentile(size, 90)),
        within=float(inside.mean()),
    )


def marker_errors_by_rater(
    raters: npt.ArrayLike, marked_s: npt.ArrayLike, true_s: npt.ArrayLike, *, tolerance_s: npt.ArrayLike = TOLERANCE_S
) -> dict[int, MarkerErrors]:
    """`marker_errors` of each rater by id, from one row per marker. Costs: one sort."""
    who = np.asarray(raters, dtype=np.int64)
    marked, true = np.asarray(marked_s, dtype=np.float64), np.asarray(true_s, dtype=np.float64)
    tolerance = np.broadcast_to(np.asarray(tolerance_s, dtype=np.float64), marked.shape)
    if not who.shape == marked.shape == true.shape or who.ndim != 1:
        raise ValueError("each marker has one rater and one true moment")
    order = np.argsort(who, kind="stable")
    ids, starts = np.unique(who[order], return_index=True)
    groups = np.split(order, starts[1:]) if len(ids) else []
    return {
        rater: marker_errors(marked[rows], true[rows], tolerance_s=tolerance[rows])
        for rater, rows in zip(ids.tolist(), groups, strict=True)
    }
