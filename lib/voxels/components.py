"""Connected components of cells."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.int64]
"""Pairs of cell numbers, shape (2, m)."""
_HALF = tuple(step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0))
"""Half of the 26 steps to a neighbour; the other half leads back."""


def touching_pairs(places: NDArray[np.int32], *, by_faces: bool = False) -> Edges:
    """Each pair of cells that share a corner, an edge or a face, once; with `by_faces`, only those that share a face.

    Args:
        places: The cells, shape (n, 3).
    """
    if not len(places):
        return np.zeros((2, 0), np.int64)
    low = places.min(axis=0) - 1
    sides = places.max(axis=0) - low + 2
    strides = np.array([sides[1] * sides[2], sides[2], 1], np.int64)
    flat = (places - low).astype(np.int64) @ strides
    number = np.full(int(sides.prod()), -1, np.int64)
    number[flat] = np.arange(len(places))
    pairs = []
    for step in _HALF:
        if by_faces and sum(map(abs, step)) > 1:
            continue
        other = number[flat + int(np.array(step) @ strides)]
        met = np.flatnonzero(other >= 0)
        pairs.append(np.stack([met, other[met]]))
    return np.concatenate(pairs, axis=1)


def component_labels(places: NDArray[np.int32], edges: Edges) -> NDArray[np.int64]:
    """For each cell the number of the first cell that it is connected with, shape (n,).

    Args:
        places: In order of x, y, z, so that cells of one row have consecutive numbers.

    Costs: a few passes over the edges; every pass joins each part with at least one neighbour.
    """
    parent = _rows(len(places), edges)
    left = edges
    while left.size:
        ends = parent[left]
        # Two rows that lie side by side touch in many cells; the first pair is enough.
        new = (ends[0] != ends[1]) & (np.diff(ends, axis=1, prepend=-1) != 0).any(axis=0)
        left, ends = left[:, new], ends[:, new]
        np.minimum.at(parent, ends.max(axis=0), ends.min(axis=0))
        while not np.array_equal(further := parent[parent], parent):
            parent = further
    return parent


def _rows(cells: int, edges: Edges) -> NDArray[np.int64]:
    """For each cell the first cell of its row of touching cells along z."""
    goes_on = np.zeros(cells, np.bool_)
    goes_on[edges[1][edges[1] == edges[0] + 1]] = True
    found: NDArray[np.int64] = np.maximum.accumulate(np.where(goes_on, 0, np.arange(cells)))
    return found
