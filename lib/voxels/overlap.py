"""Intersection over union of two masks, exact and with a tolerance."""

import numpy as np

from lib.voxels.mask import Keys, keys_of, places_of
from lib.voxels.table import FACES, MOST_AXIS


def iou(a: Keys, b: Keys) -> float:
    """Intersection over union (Jaccard index), 0..1; 1 where both are empty.

    >>> iou(keys_of([[0, 0, 0], [0, 0, 1]]), keys_of([[0, 0, 1], [0, 0, 2]]))
    0.3333333333333333
    """
    common = np.intersect1d(a, b, assume_unique=True).size
    either = a.size + b.size - common
    return float(common / either) if either else 1.0


def tolerant_iou(a: Keys, b: Keys, *, reach: int = 1) -> float:
    """Intersection over union where a voxel is common if the other mask has a voxel within `reach` steps over faces.

    With m the mean of |a near b| and |b near a|: m / (m + |a not near b| + |b not near a|). It tolerates a border that
    is one block off, and equals `iou` for a reach of 0. Nothing is near an empty mask.

    >>> tolerant_iou(keys_of([[0, 0, 0], [0, 0, 1]]), keys_of([[0, 0, 1], [0, 0, 2]]))
    1.0
    """
    if not a.size or not b.size:
        return iou(a, b)
    only_a, only_b = np.setdiff1d(a, b, assume_unique=True), np.setdiff1d(b, a, assume_unique=True)
    missed_a, missed_b = _missed(only_a, b, reach), _missed(only_b, a, reach)
    met = (a.size - missed_a + b.size - missed_b) / 2
    return float(met / (met + missed_a + missed_b))


def _missed(voxels: Keys, mask: Keys, reach: int) -> int:
    """How many of these voxels are not near the mask. Costs: in proportion to the voxels, not to the mask."""
    near = mask[np.isin(mask, grown(voxels, reach))]
    return int(voxels.size - np.isin(voxels, grown(near, reach)).sum())


def grown(mask: Keys, steps: int) -> Keys:
    """The mask with all voxels at most `steps` steps over faces away, within the largest scene."""
    found = mask
    for _ in range(steps):
        places = places_of(found)
        around = np.concatenate([places, *(places + np.array(face, dtype=np.int32) for face in FACES)])
        inside = ((around >= 0) & (around < MOST_AXIS)).all(axis=1)
        found = keys_of(around[inside])
    return found
