"""Answering times of a worker, compared with the answering times of the whole project."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEAST_S = 0.001
"""Shorter times count as this long: a clock may measure 0, and 0 has no logarithm."""

MAD_TO_SD = 1.4826
"""A normal distribution's standard deviation is this many median absolute deviations."""

LOW_SDS = 3.0


class LogTimes(NamedTuple):
    """Median and spread of the logarithms of times, in log seconds; `spread` is 1.4826 MAD, a robust deviation."""

    n: int
    median: float
    spread: float

    @property
    def median_s(self) -> float:
        """The median of the log times, in seconds."""
        return float(np.exp(self.median))


class FastLimits(NamedTuple):
    """Limits in seconds; a time below one of them is suspiciously short.

    `low_log_s` is None where half the times are the same.
    """

    third_of_median_s: float
    low_log_s: float | None


class LogHistogram(NamedTuple):
    """Counts of times in bins of equal width on a log scale; `edges_s` has one more entry than `counts`."""

    edges_s: list[float]
    counts: list[int]


def log_times(seconds: npt.ArrayLike) -> LogTimes | None:
    """Median and spread of the log times; None without a time.

    Args:
        seconds: Shape (n,), each >= 0.

    Raises:
        ValueError: a time is negative or not a finite number.
    """
    logs = _logs(seconds)
    if len(logs) == 0:
        return None
    middle = float(np.median(logs))
    return LogTimes(len(logs), middle, MAD_TO_SD * float(np.median(np.abs(logs - middle))))


def robust_z(seconds: npt.ArrayLike, of: LogTimes) -> list[float | None]:
    """The number of robust deviations by which each log time lies above the median `of` a project; below 0 is fast.

    None where the project's times have no spread.

    Source: Iglewicz & Hoaglin (1993), "How to detect and handle outliers".
    """
    logs = _logs(seconds)
    if of.spread <= 0:
        return [None] * len(logs)
    return [float(z) for z in (logs - of.median) / of.spread]


def fast_limits(seconds: npt.ArrayLike) -> FastLimits | None:
    """The limits below which a time of the project is suspiciously short; None without a time.

    They are a third of the median, and the median log time less three robust deviations. A time below a limit is a
    reason to check the work, not to refuse it.
    """
    lie = log_times(seconds)
    if lie is None:
        return None
    third = float(np.median(np.asarray(seconds, dtype=np.float64))) / 3
    return FastLimits(third, float(np.exp(lie.median - LOW_SDS * lie.spread)) if lie.spread > 0 else None)


def fast_flags(seconds: npt.ArrayLike, limits: FastLimits | None = None) -> list[bool]:
    """For each time whether it lies below one of the limits; without `limits`, those of the times themselves.

    >>> fast_flags([310, 295, 402, 288, 350, 30, 333])
    [False, False, False, False, False, True, False]
    """
    limits = limits or fast_limits(seconds)
    if limits is None:
        return []
    below = max(limits.third_of_median_s, limits.low_log_s or 0.0)
    return [bool(fast) for fast in np.asarray(seconds, dtype=np.float64) < below]


def log_histogram(seconds: npt.ArrayLike, *, bins: int = 24, within: tuple[float, float] | None = None) -> LogHistogram:
    """The number of times in each bin.

    Args:
        seconds: Shape (n,), each >= 0.
        bins: Number of bins, >= 1.
        within: Lowest and highest edge in seconds, so that a worker's times can have the bins of the project; without
            it, the shortest and the longest time. Times outside count in the outermost bins.

    Returns:
        No edges and no counts where there are neither times nor `within`.
    """
    logs = _logs(seconds)
    if within is not None:
        low, high = (float(edge) for edge in np.log(np.maximum(within, LEAST_S)))
    elif len(logs):
        low, high = float(logs.min()), float(logs.max())
    else:
        return LogHistogram([], [])
    if high - low < 1e-6:
        # All times are nearly the same: one decade around them, so that a plot has bins.
        low, high = low - np.log(10) / 2, low + np.log(10) / 2
    edges = np.linspace(low, high, bins + 1)
    counts, _ = np.histogram(np.clip(logs, low, high), edges)
    return LogHistogram([float(edge) for edge in np.exp(edges)], [int(count) for count in counts])


class WorkerTimes(NamedTuple):
    """The times of one worker, compared with the times of a project.

    `z` is the robust z of the worker's median log time, None where the project's times have no spread. `fast` counts
    the worker's times below the project's limits. `median_s` is None without a time.
    """

    n: int
    median_s: float | None
    z: float | None
    fast: int


def worker_times(seconds: npt.ArrayLike, project_seconds: npt.ArrayLike) -> WorkerTimes:
    """Compare the worker's `seconds` with all times of the project, including the worker's own."""
    own, project = log_times(seconds), log_times(project_seconds)
    if own is None:
        return WorkerTimes(0, None, None, 0)
    median_s = float(np.median(np.asarray(seconds, dtype=np.float64)))
    z = None if project is None else robust_z([own.median_s], project)[0]
    return WorkerTimes(own.n, median_s, z, sum(fast_flags(seconds, fast_limits(project_seconds))))


def _logs(seconds: npt.ArrayLike) -> Floats:
    times = np.asarray(seconds, dtype=np.float64)
    if not (np.isfinite(times).all() and (times >= 0).all()):
        raise ValueError("a time is a number of seconds, 0 or more")
    return np.asarray(np.log(np.maximum(times, LEAST_S)), dtype=np.float64)
