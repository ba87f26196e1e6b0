"""The likeness of many masks."""

import pytest

from lib.voxels.likeness import MOST_COMPARED, Likeness, between, ious_between, likeness, likest, mean_of
from lib.voxels.mask import Keys, keys_of
from lib.voxels.overlap import iou, tolerant_iou

ONE = keys_of([[0, 0, 0]])
TWO = keys_of([[0, 0, 0], [0, 1, 0]])
FAR = keys_of([[9, 9, 9]])
NONE = keys_of([])


@pytest.mark.parametrize(("a", "b"), [(ONE, TWO), (TWO, TWO), (ONE, FAR), (ONE, NONE), (NONE, NONE)])
def test_both_figures_are_those_of_the_masks(a: Keys, b: Keys) -> None:
    assert likeness(a, b) == Likeness(iou(a, b), tolerant_iou(a, b))


def test_the_likest_of_several_is_taken_by_the_voxel() -> None:
    assert likest(ONE, [FAR, TWO]) == Likeness(0.5, 1.0)
    assert likest(ONE, [FAR, ONE]) == Likeness(1.0, 1.0)
    assert likest(ONE, []) is None


def test_each_two_are_compared_and_never_too_many() -> None:
    assert ious_between([ONE, TWO, FAR]) == [0.5, 0.0, 0.0]
    assert between([ONE, TWO]) == [Likeness(0.5, 1.0)]
    assert between([ONE]) == []
    assert len(ious_between([ONE] * 100)) == MOST_COMPARED * (MOST_COMPARED - 1) / 2


def test_a_mean_has_an_honest_interval() -> None:
    assert mean_of([]) == (0, None, None, None)
    n, value, low, high = mean_of([1.0, 1.0, 1.0])
    assert (n, value) == (3, 1.0)
    assert low is not None
    assert high is not None
    assert low < 0.5 < high <= 1
