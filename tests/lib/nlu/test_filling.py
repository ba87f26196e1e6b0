"""Words that fill holes, against all possible choices of words."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from lib.nlu.filling import Run, best_runs, filled


def _by_trying_all(weights: np.ndarray, count: int) -> float:
    """The greatest weight of `count` disjoint runs: 2·count bounds are chosen among the places between words."""
    length = len(weights)
    runs: list[Run] = [(first, last) for first in range(length) for last in range(first, length)]
    return max(
        sum(float(weights[first : last + 1].sum()) for first, last in chosen)
        for chosen in combinations(runs, count)
        if all(a[1] < b[0] for a, b in pairwise(chosen))
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_runs_have_the_greatest_weight_that_is_possible(count: int) -> None:
    chance = np.random.default_rng(count)
    for _ in range(40):
        weights = chance.normal(size=int(chance.integers(count, 7)))
        runs = best_runs(weights, count)
        assert runs is not None
        assert len(runs) == count
        assert all(first <= last for first, last in runs)
        assert all(a[1] < b[0] for a, b in pairwise(runs))
        found = sum(float(weights[first : last + 1].sum()) for first, last in runs)
        assert found == pytest.approx(_by_trying_all(weights, count))


def test_more_holes_than_words_cannot_be_filled() -> None:
    assert best_runs(np.array([1.0]), 2) is None
    assert filled(["a", "a"], {"a": np.array([1.0])}) is None


def test_holes_of_two_kinds_may_take_the_same_words() -> None:
    weights = {"a": np.array([-1.0, 2.0, -1.0]), "b": np.array([-1.0, 3.0, 1.0])}
    assert filled(["b", "a"], weights) == [(1, 2), (1, 1)]
