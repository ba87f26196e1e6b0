"""Cohen's kappa, against statsmodels and where it is undefined."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from lib.statistics.kappa import cohen_kappa


@pytest.mark.parametrize(("n", "kinds", "seed"), [(40, 2, 1), (100, 7, 2), (300, 4, 3)])
def test_kappa_and_its_interval_are_those_of_statsmodels(n: int, kinds: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    first = draw.integers(0, kinds, n)
    second = np.where(draw.random(n) < 0.6, first, draw.integers(0, kinds, n))
    table = np.zeros((kinds, kinds))
    np.add.at(table, (first, second), 1)
    known = cohens_kappa(table)
    found = cohen_kappa([str(one) for one in first], [str(one) for one in second])
    assert found.value == pytest.approx(known.kappa)
    assert found.low == pytest.approx(known.kappa_low, abs=1e-4)
    assert found.high == pytest.approx(known.kappa_upp, abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("", "", (0, None, None)),
        ("aaa", "aaa", (3, 1.0, None)),
        ("ab", "ab", (2, 1.0, 1.0)),
        ("ab", "ba", (2, 0.0, -1.0)),
        ("aabb", "abab", (4, 0.5, 0.0)),
    ],
)
def test_kappa_of_few_things(first: str, second: str, found: tuple[int, float | None, float | None]) -> None:
    kappa = cohen_kappa(list(first), list(second))
    assert (kappa.n, kappa.agreement, kappa.value) == found


def test_each_thing_needs_two_codes() -> None:
    with pytest.raises(ValueError, match="two codes"):
        cohen_kappa(["a"], [])
