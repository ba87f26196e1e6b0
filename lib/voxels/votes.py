"""Merge several masks of one object by a weighted vote on each voxel."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.voxels.mask import Keys
from lib.voxels.overlap import iou

_SAME = 1e-9


class Shares(NamedTuple):
    """The confidence map: for each voxel of any mask the share of the weight, in 0..1, that marked it."""

    keys: Keys
    shares: npt.NDArray[np.float64]


class Vote(NamedTuple):
    """The result of a vote: the mask, empty where the object is not in the scene, None for a tie on that.

    `confidence`, in 0..1, is the weighted mean IoU of the masks with the result.
    """

    mask: Keys | None
    confidence: float


def shares(masks: Sequence[Keys], weights: Sequence[float]) -> Shares:
    """The share of the weight for each voxel. An empty mask counts against every voxel of the others."""
    whole = sum(weights)
    if not whole:
        return shares(masks, [1.0] * len(masks))
    keys, place = np.unique(np.concatenate(masks), return_inverse=True)
    each = np.repeat(np.asarray(weights, dtype=np.float64), [mask.size for mask in masks])
    return Shares(keys.astype(np.int32), np.bincount(place, each, minlength=keys.size) / whole)


def voted(masks: Sequence[Keys], weights: Sequence[float]) -> Vote:
    """A weighted vote on whether the object is in the scene; then a vote on each voxel among the masks with voxels.

    A voxel needs more than half of their weight. Where no voxel has it, the result is the mask with the highest
    weighted IoU with all of them; among equals the first.
    """
    total = sum(weights)
    if not total:
        return voted(masks, [1.0] * len(masks))
    found = [(mask, weight) for mask, weight in zip(masks, weights, strict=True) if mask.size]
    present = sum(weight for _, weight in found)
    if abs(2 * present - total) <= _SAME * total:
        return Vote(None, 0.5)
    if 2 * present < total:
        mask = np.zeros(0, dtype=np.int32)
    else:
        mask = _majority([mask for mask, _ in found], [weight for _, weight in found])
    agreed = sum(weight * iou(one, mask) for one, weight in zip(masks, weights, strict=True))
    return Vote(mask, min(1.0, agreed / total))


def _majority(masks: Sequence[Keys], weights: Sequence[float]) -> Keys:
    keys, share = shares(masks, weights)
    mask = keys[share > 0.5 + _SAME]
    if mask.size:
        return mask
    return max(masks, key=lambda one: sum(w * iou(one, other) for other, w in zip(masks, weights, strict=True)))
