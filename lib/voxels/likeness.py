"""Similarity of masks: between the workers of one task, or between one worker and known masks."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from lib.statistics.intervals import wilson
from lib.voxels.mask import Keys
from lib.voxels.overlap import iou, tolerant_iou

MOST_COMPARED = 20
"""The most masks of one task that are compared with each other."""


class Likeness(NamedTuple):
    """The IoU of two masks, and the IoU that tolerates a border of one block; each in 0..1."""

    iou: float
    tolerant: float


class Mean(NamedTuple):
    """The mean of n numbers in 0..1 with its 95 % interval; None without any."""

    n: int
    value: float | None
    low: float | None
    high: float | None


def likeness(a: Keys, b: Keys) -> Likeness:
    """The likeness of two masks."""
    same = iou(a, b)
    return Likeness(same, 1.0 if same == 1 else tolerant_iou(a, b))


def likest(mask: Keys, others: Iterable[Keys]) -> Likeness | None:
    """The likeness to the mask with the highest IoU among `others`; None without another mask."""
    nearest = max(others, key=lambda other: iou(mask, other), default=None)
    return None if nearest is None else likeness(mask, nearest)


def ious_between(masks: Sequence[Keys]) -> list[float]:
    """The IoU of each pair of the first MOST_COMPARED masks."""
    return [iou(a, b) for a, b in combinations(masks[:MOST_COMPARED], 2)]


def between(masks: Sequence[Keys]) -> list[Likeness]:
    """The likeness of each pair of the first MOST_COMPARED masks; it takes some ten times as long as the IoU alone."""
    return [likeness(a, b) for a, b in combinations(masks[:MOST_COMPARED], 2)]


def mean_of(values: Sequence[float]) -> Mean:
    """The mean, with the Wilson interval of a share of the same size.

    Numbers in 0..1 with this mean vary at most as much as zeros and ones, so the interval is rather too wide. It is
    valid also for a few equal numbers.

    >>> [round(one, 3) for one in mean_of([0.5, 1.0, 1.0, 0.5])]
    [4, 0.75, 0.301, 0.954]
    """
    n = len(values)
    if not n:
        return Mean(0, None, None, None)
    whole = math.fsum(values)
    return Mean(n, whole / n, *wilson(min(whole, n), n))
