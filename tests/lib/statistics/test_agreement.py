"""Agreement against krippendorff and scikit-learn, and against what must hold of it."""

from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.statistics.agreement import agreement_matrix, alpha_interval, alpha_of

NEAR = 1e-9
Units = list[list[int | None]]

TABLE = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=raters, max_size=raters), min_size=1, max_size=12
    )
)


def rows(units: Units) -> tuple[list[int], list[int]]:
    """Units x raters as one row per value: the unit's place, and the value."""
    found = [(at, value) for at, unit in enumerate(units) for value in unit if value is not None]
    return [at for at, _ in found], [value for _, value in found]


def by_package(units: Units) -> float:
    table = np.array([[np.nan if value is None else float(value) for value in unit] for unit in units]).T
    with np.errstate(all="ignore"):
        return float(krippendorff.alpha(reliability_data=table, level_of_measurement="nominal"))


def test_alpha_agrees_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["agreement"]
    assert alpha_of(*rows(group["units_x_raters_nominal"])) == pytest.approx(group["alpha_nominal"], abs=NEAR)
    assert alpha_of(*rows(group["full_units_x_raters"])) == pytest.approx(group["alpha_nominal_full"], abs=NEAR)


@settings(max_examples=60, deadline=None)
@given(units=TABLE)
def test_alpha_agrees_with_krippendorff(units: Units) -> None:
    paired = [value for unit in units if sum(v is not None for v in unit) > 1 for value in unit if value is not None]
    defined = len(set(paired)) > 1
    assert alpha_of(*rows(units)) == (pytest.approx(by_package(units), abs=NEAR) if defined else None)


@pytest.mark.parametrize("units", [[], [[]], [[None, None]], [[1, None], [None, 2]], [[1, 1], [1, 1, 1]], [[3, 3, 3]]])
def test_alpha_is_none_where_nothing_can_differ(units: Units) -> None:
    assert alpha_of(*rows(units)) is None
    assert alpha_interval(*rows(units)) is None


def test_each_value_has_a_unit() -> None:
    with pytest.raises(ValueError, match="one unit"):
        alpha_of([1, 1, 2], [0, 1])


def test_the_interval_is_the_same_every_time_and_holds_alpha() -> None:
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 2, 80)
    unit = np.repeat(np.arange(80), 3)
    value = np.where(draw.random(240) < 0.85, truth[unit], 1 - truth[unit])
    alpha, interval = alpha_of(unit, value), alpha_interval(unit, value)
    assert interval == alpha_interval(unit, value)
    assert alpha is not None
    assert interval is not None
    low, high = interval
    assert -1 < low < alpha < high < 1
    assert 0.1 < high - low < 0.4


def test_an_interval_needs_most_resamples_to_have_an_alpha() -> None:
    """Two units of two values: of four equally likely resamples two hold one unit twice, without any difference."""
    index, values = rows([[1, 1], [0, 0]])
    assert alpha_of(index, values) == 1
    assert {alpha_interval(index, values, resamples=9, seed=seed) is None for seed in range(20)} == {True, False}


def test_the_most_active_raters_come_first_and_the_rest_is_left_out() -> None:
    triples = [(1, 7, "a"), (2, 7, "b"), (3, 7, "a"), (1, 5, "a"), (2, 5, "a"), (9, 3, "a"), (3, 2, "a"), (4, 2, "b")]
    units, raters, values = (list(column) for column in zip(*triples, strict=True))
    got = agreement_matrix(units, raters, values, most=3)
    assert got.raters == [7, 2, 5]
    assert got.common == [[3, 1, 2], [1, 2, 0], [2, 0, 2]]
    assert got.agreed == [[3, 1, 1], [1, 2, 0], [1, 0, 2]]
    assert (got.share(0, 2), got.share(1, 2)) == (0.5, None)
    assert agreement_matrix([], [], []).raters == []


def test_the_interval_covers_the_true_alpha() -> None:
    """Two raters of accuracy .9 at even classes: they agree with chance .82, so alpha is 1 - .18/.5 = .64."""
    draw = np.random.default_rng(11)
    covered = 0
    for _ in range(100):
        truth = draw.integers(0, 2, 100)
        unit = np.repeat(np.arange(100), 2)
        value = np.where(draw.random(200) < 0.9, truth[unit], 1 - truth[unit])
        interval = alpha_interval(unit, value, resamples=200)
        assert interval is not None
        covered += interval[0] <= 0.64 <= interval[1]
    # 100 draws at .95: within 86..100 with probability .9998; the bootstrap is a little below its name.
    assert 85 <= covered <= 100
