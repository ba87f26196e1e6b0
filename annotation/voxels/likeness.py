"""How alike many masks are: of one task between workers, of one worker to what is known. Pure."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from annotation.voxels.mask import Keys
from annotation.voxels.overlap import iou, tolerant_iou
from common.statistics import wilson

MOST_COMPARED = 20
"""Masks of one task of which each is held against each."""


class Likeness(NamedTuple):
    """IoU of two masks, and with a border of one block forgiven; each 0..1."""

    iou: float
    tolerant: float


class Mean(NamedTuple):
    """The mean of n numbers in 0..1 with its 95 % interval; None without any."""

    n: int
    value: float | None
    low: float | None
    high: float | None


def likeness(a: Keys, b: Keys) -> Likeness:
    same = iou(a, b)
    return Likeness(same, 1.0 if same == 1 else tolerant_iou(a, b))


def likest(mask: Keys, others: Iterable[Keys]) -> Likeness | None:
    """To that one of several which it is most like by the voxel; None where there is none."""
    nearest = max(others, key=lambda other: iou(mask, other), default=None)
    return None if nearest is None else likeness(mask, nearest)


def ious_between(masks: Sequence[Keys]) -> list[float]:
    """The IoU of each two of the first MOST_COMPARED masks."""
    return [iou(a, b) for a, b in combinations(masks[:MOST_COMPARED], 2)]


def between(masks: Sequence[Keys]) -> list[Likeness]:
    """The same with a border forgiven, which takes some ten times as long."""
    return [likeness(a, b) for a, b in combinations(masks[:MOST_COMPARED], 2)]


def mean_of(values: Sequence[float]) -> Mean:
    """The mean, with Wilson's interval of a share of the same size.

    No numbers in 0..1 with that mean vary more than yes and no do, so the interval is rather too wide; and it stays
    honest where all of a few numbers are the same.

    >>> [round(one, 3) for one in mean_of([0.5, 1.0, 1.0, 0.5])]
    [4, 0.75, 0.301, 0.954]
    """
    n = len(values)
    if not n:
        return Mean(0, None, None, None)
    whole = math.fsum(values)
    return Mean(n, whole / n, *wilson(min(whole, n), n))
