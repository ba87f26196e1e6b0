"""Accuracy of one rater: balanced accuracy with its interval, and accuracy over time."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from lib.statistics.intervals import Z95, wilson


class BalancedAccuracy(NamedTuple):
    """The mean of sensitivity and specificity with its interval; None while a class has no item."""

    n: int
    sensitivity: float | None
    specificity: float | None
    value: float | None
    low: float | None
    high: float | None


def balanced_accuracy(*, tp: int, fn: int, tn: int, fp: int, z: float = Z95) -> BalancedAccuracy:
    """Balanced accuracy of one rater on items of known truth.

    Args:
        tp, fn: Answers to truly positive items (right, wrong).
        tn, fp: Answers to truly negative items (right, wrong).

    Returns:
        The value is None while one of the two classes has no item: the recall of one class alone would mislead.

    Source: interval by MOVER from two Wilson intervals (Zou & Donner 2008, "Construction of confidence limits about
    effect measures"): BA -/+ half the root of the summed squared distances to each class's own limit.

    >>> ba = balanced_accuracy(tp=9, fn=1, tn=8, fp=2)
    >>> round(ba.value, 3), round(ba.low, 3), round(ba.high, 3)
    (0.85, 0.633, 0.933)
    """
    n = tp + fn + tn + fp
    sensitivity = tp / (tp + fn) if tp + fn else None
    specificity = tn / (tn + fp) if tn + fp else None
    if sensitivity is None or specificity is None:
        return BalancedAccuracy(n, sensitivity, specificity, None, None, None)
    value = (sensitivity + specificity) / 2
    positive, negative = wilson(tp, tp + fn, z=z), wilson(tn, tn + fp, z=z)
    low = value - 0.5 * math.hypot(sensitivity - positive.low, specificity - negative.low)
    high = value + 0.5 * math.hypot(positive.high - sensitivity, negative.high - specificity)
    return BalancedAccuracy(n, sensitivity, specificity, value, max(0.0, low), min(1.0, high))


class Window(NamedTuple):
    """Answers `first` to `last` of a worker, counted from 1: the share of right ones with its 95 % Wilson interval."""

    first: int
    last: int
    right: int
    share: float
    low: float
    high: float


def accuracy_windows(rights: Sequence[bool], size: int) -> list[Window]:
    """The share of right answers in successive windows of `size` answers, oldest first; the last may be shorter.

    Windows do not overlap, so each point of a plot rests on answers of its own.

    Raises:
        ValueError: size < 1.

    >>> [(w.first, w.last, w.share) for w in accuracy_windows([True, True, False, True, False], 2)]
    [(1, 2, 1.0), (3, 4, 0.5), (5, 5, 0.0)]
    """
    if size < 1:
        raise ValueError(f"a window holds at least one answer, not {size}")
    windows = []
    for start in range(0, len(rights), size):
        part = rights[start : start + size]
        right = sum(part)
        interval = wilson(right, len(part))
        windows.append(Window(start + 1, start + len(part), right, right / len(part), interval.low, interval.high))
    return windows
