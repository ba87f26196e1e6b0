"""What several masks of one object come to, voxel by voxel. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.voxels.mask import Keys
from annotation.voxels.overlap import iou

_SAME = 1e-9


class Shares(NamedTuple):
    """The confidence map: the share of the weight, in 0..1, behind each voxel that anybody marked; aligned."""

    keys: Keys
    shares: npt.NDArray[np.float64]


class Vote(NamedTuple):
    """What they come to: the mask, empty where the object is not there, None where as many say so as do not.

    `confidence`, in 0..1, is the mean IoU, by weight, of the masks with what they come to.
    """

    mask: Keys | None
    confidence: float


def shares(masks: Sequence[Keys], weights: Sequence[float]) -> Shares:
    """How much of the weight is behind each voxel. An empty mask speaks against every voxel that others marked."""
    whole = sum(weights)
    if not whole:
        return shares(masks, [1.0] * len(masks))
    keys, place = np.unique(np.concatenate(masks), return_inverse=True)
    each = np.repeat(np.asarray(weights, dtype=np.float64), [mask.size for mask in masks])
    return Shares(keys.astype(np.int32), np.bincount(place, each, minlength=keys.size) / whole)


def voted(masks: Sequence[Keys], weights: Sequence[float]) -> Vote:
    """Whether the object is there, by weight; then the voxels that more than half of those mark who say it is.

    Where these share no voxel that most of them marked, it is the mask that agrees best with the others, the first of
    several.
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
