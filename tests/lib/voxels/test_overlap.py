"""Agreement of masks, and the vote over several."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import jaccard_score

from lib.voxels.mask import Keys, keys_of, places_of, voxels_of
from lib.voxels.overlap import grown, iou, tolerant_iou
from lib.voxels.votes import shares, voted

SIDE = 6
voxel = st.tuples(*[st.integers(0, SIDE - 1)] * 3)
masks = st.sets(voxel, max_size=20).map(lambda found: keys_of(sorted(found)))
EMPTY = keys_of([])


def cube(low: int, high: int) -> Keys:
    return keys_of(list(itertools.product(range(low, high), repeat=3)))


def flat(mask: Keys) -> list[int]:
    """The mask as scikit-learn takes labels: 0 or 1 for each voxel of the scene."""
    grid = np.zeros((SIDE, SIDE, SIDE), dtype=int)
    grid[tuple(places_of(mask).T)] = 1
    return [int(value) for value in grid.ravel()]


@given(masks, masks)
def test_iou_is_the_jaccard_index_of_scikit_learn(a: Keys, b: Keys) -> None:
    expected = 1.0 if not a.size and not b.size else jaccard_score(flat(a), flat(b), zero_division=0.0)
    assert iou(a, b) == pytest.approx(expected)
    assert iou(a, b) == iou(b, a)


@given(masks, masks)
def test_tolerance_forgives_and_never_punishes(a: Keys, b: Keys) -> None:
    assert tolerant_iou(a, b, reach=0) == pytest.approx(iou(a, b))
    found = [tolerant_iou(a, b, reach=reach) for reach in range(3)]
    assert found == sorted(found)
    assert found[1] == tolerant_iou(b, a, reach=1)


def test_a_border_one_block_off_is_forgiven_and_two_are_not() -> None:
    true = cube(1, 4)
    assert iou(true, cube(1, 3)) == 8 / 27
    moved = keys_of(places_of(true) + np.array([1, 0, 0], dtype=np.int32))
    assert (iou(true, moved), tolerant_iou(true, moved)) == (0.5, 1.0)
    far = keys_of(places_of(true) + np.array([2, 0, 0], dtype=np.int32))
    assert tolerant_iou(true, far) == pytest.approx(2 / 3 / (2 / 3 + 2 / 3))
    assert tolerant_iou(true, EMPTY) == 0.0


def test_a_mask_grows_over_faces_and_not_out_of_the_world() -> None:
    assert voxels_of(grown(keys_of([[0, 0, 0]]), 1)) == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert grown(keys_of([[100, 100, 100]]), 2).size == 25
    assert voxels_of(grown(keys_of([[255, 255, 255]]), 1))[-1] == [255, 255, 255]


@given(masks)
def test_voxels_come_back_in_order(mask: Keys) -> None:
    listed = voxels_of(mask)
    assert listed == sorted(listed)
    assert (keys_of(listed) == mask).all()


def test_the_confidence_map_says_how_much_weight_is_behind_each_voxel() -> None:
    found = shares([keys_of([[0, 0, 0], [0, 0, 1]]), keys_of([[0, 0, 1]]), EMPTY], [1.0, 2.0, 1.0])
    assert voxels_of(found.keys) == [[0, 0, 0], [0, 0, 1]]
    assert found.shares.tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("marked", "weights", "mask", "confidence"),
    [
        ([cube(0, 2)], [1], cube(0, 2), 1.0),
        ([cube(0, 2), cube(0, 2), EMPTY], [1, 1, 1], cube(0, 2), 2 / 3),
        ([cube(0, 2), EMPTY, EMPTY], [1, 1, 1], EMPTY, 2 / 3),
        ([cube(0, 2), EMPTY, EMPTY], [3, 1, 1], cube(0, 2), 3 / 5),
        ([cube(0, 2), EMPTY], [1, 1], None, 0.5),
        ([cube(0, 2), EMPTY], [0.1, 0.1], None, 0.5),
        ([cube(0, 2), EMPTY], [0, 0], None, 0.5),
        ([cube(0, 2), cube(0, 3)], [1, 1], cube(0, 2), (1 + 8 / 27) / 2),
        ([cube(0, 2), cube(0, 3)], [1, 2], cube(0, 3), (8 / 27 + 2) / 3),
        # Nothing in common: the one that agrees best with the others, the first of several.
        ([cube(0, 1), cube(2, 3), cube(4, 5)], [1, 1, 1], cube(0, 1), 1 / 3),
        ([cube(0, 1), cube(2, 3)], [1, 2], cube(2, 3), 2 / 3),
    ],
)
def test_masks_are_voted_by_weight(
    marked: list[Keys], weights: list[float], mask: Keys | None, confidence: float
) -> None:
    found = voted(marked, weights)
    assert (found.mask is None) == (mask is None)
    assert mask is None or voxels_of(found.mask) == voxels_of(mask)  # type: ignore[arg-type]
    assert found.confidence == pytest.approx(confidence)
