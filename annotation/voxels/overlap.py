"""How well two masks agree. Pure."""

import numpy as np

from annotation.voxels.mask import Keys, keys_of, places_of
from annotation.voxels.table import FACES, MOST_AXIS


def iou(a: Keys, b: Keys) -> float:
    """Intersection over union (Jaccard index), 0..1; 1 where both are empty.

    >>> iou(keys_of([[0, 0, 0], [0, 0, 1]]), keys_of([[0, 0, 1], [0, 0, 2]]))
    0.3333333333333333
    """
    common = np.intersect1d(a, b, assume_unique=True).size
    either = a.size + b.size - common
    return float(common / either) if either else 1.0


def tolerant_iou(a: Keys, b: Keys, *, reach: int = 1) -> float:
    """The same where a voxel counts as met if the other mask comes within `reach` steps of it, over faces.

    With m the mean of |a near b| and |b near a|: m / (m + |a not near b| + |b not near a|). It forgives a border that
    is a block off, and equals `iou` for a reach of 0. An empty mask is near nothing.

    >>> tolerant_iou(keys_of([[0, 0, 0], [0, 0, 1]]), keys_of([[0, 0, 1], [0, 0, 2]]))
    1.0
    """
    if not a.size or not b.size:
        return iou(a, b)
    met_a = np.isin(a, grown(b, reach)).sum()
    met_b = np.isin(b, grown(a, reach)).sum()
    met = (met_a + met_b) / 2
    return float(met / (met + (a.size - met_a) + (b.size - met_b)))


def grown(mask: Keys, steps: int) -> Keys:
    """The mask with all voxels that are at most so many steps over faces away; within the largest scene."""
    found = mask
    for _ in range(steps):
        places = places_of(found)
        around = np.concatenate([places, *(places + np.array(face, dtype=np.int32) for face in FACES)])
        inside = ((around >= 0) & (around < MOST_AXIS)).all(axis=1)
        found = keys_of(around[inside])
    return found
