"""Agreement against krippendorff and scikit-learn, and against what must hold of it."""

import math
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotation.statistics.agreement import (
    Level,
    Value,
    agreement_matrix,
    alpha_interval,
    alpha_of,
    krippendorff_alpha,
    long_form,
    time_agreement,
)

NEAR = 1e-9
Units = list[list[Value | None]]

CELL = st.one_of(st.none(), st.integers(0, 3))
TABLE = st.integers(2, 5).flatmap(
    lambda raters: st.lists(st.lists(CELL, min_size=raters, max_size=raters), min_size=1, max_size=12)
)


def by_package(units: list[list[int | None]] | Units, level: Level) -> float | None:
    table = np.array([[np.nan if value is None else float(value) for value in unit] for unit in units]).T
    with np.errstate(all="ignore"):
        return float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))


def test_alpha_agrees_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["agreement"]
    assert krippendorff_alpha(group["units_x_raters_nominal"]) == pytest.approx(group["alpha_nominal"], abs=NEAR)
    assert krippendorff_alpha(group["full_units_x_raters"]) == pytest.approx(group["alpha_nominal_full"], abs=NEAR)
    times = group["marker_times_units_x_raters_seconds"]
    assert krippendorff_alpha(times, "interval") == pytest.approx(group["alpha_interval_times"], abs=NEAR)


def test_distances_of_pairs_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["agreement"]
    expected = group["pairwise_abs_diff"]
    index, values = long_form(group["marker_times_units_x_raters_seconds"])
    got = time_agreement(index, values)
    assert got.pairs == expected["n_pairs"]
    assert (got.median_s, got.p90_s) == pytest.approx((expected["median"], expected["p90_linear"]), abs=NEAR)
    assert got.within_half_s == pytest.approx(expected["share_within_0_5s"], abs=NEAR)
    assert got.within_1_s == pytest.approx(expected["share_within_1s"], abs=NEAR)


@pytest.mark.parametrize("level", ["nominal", "interval"])
@settings(max_examples=60, deadline=None)
@given(units=TABLE)
def test_alpha_agrees_with_krippendorff(level: Level, units: Units) -> None:
    got = krippendorff_alpha(units, level)
    paired = [value for unit in units if sum(v is not None for v in unit) > 1 for value in unit if value is not None]
    if len(set(paired)) < 2:
        assert got is None
    else:
        assert got == pytest.approx(by_package(units, level), abs=NEAR)


@settings(max_examples=40, deadline=None)
@given(units=TABLE, seed=st.integers(0, 99))
def test_alpha_knows_no_order_and_no_names(units: Units, seed: int) -> None:
    shuffle = np.random.default_rng(seed).permutation
    moved: Units = [[units[u][r] for r in shuffle(len(units[0]))] for u in shuffle(len(units))]
    renamed: Units = [[None if v is None else "dabc"[int(v)] for v in unit] for unit in moved]
    expected = krippendorff_alpha(units)
    assert krippendorff_alpha(moved) == (None if expected is None else pytest.approx(expected, abs=NEAR))
    assert krippendorff_alpha(renamed) == (None if expected is None else pytest.approx(expected, abs=NEAR))


@settings(max_examples=40, deadline=None)
@given(units=TABLE, shift=st.floats(-1e4, 1e4), scale=st.floats(0.1, 10))
def test_interval_alpha_knows_no_clock(units: Units, shift: float, scale: float) -> None:
    moved: Units = [[None if v is None else float(v) * scale + shift for v in unit] for unit in units]
    expected = krippendorff_alpha(units, "interval")
    got = krippendorff_alpha(moved, "interval")
    assert got == (None if expected is None else pytest.approx(expected, abs=1e-6))


@pytest.mark.parametrize(
    "units",
    [[], [[]], [[None, None]], [[1, None], [None, 2]], [[1, 1], [1, 1, 1]], [[0.1, 0.1, 0.1]]],
)
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_alpha_is_none_where_nothing_can_differ(units: Units, level: Level) -> None:
    index, values = long_form(units)
    assert krippendorff_alpha(units, level) is None
    assert alpha_interval(index, values, level) is None


def test_alpha_is_one_for_agreement_and_below_zero_for_opposition() -> None:
    assert krippendorff_alpha([[1, 1], [0, 0], [2, 2]]) == 1
    opposed = krippendorff_alpha([[1, 0], [0, 1], [1, 0]])
    assert opposed is not None
    assert opposed < 0


def test_alpha_of_long_rows_is_that_of_the_table_in_any_order() -> None:
    units: Units = [[1, 1, None], [0, 1, 0], [None, 0, 0], [1, None, 1], [None, None, 1]]
    index, values = long_form(units)
    back = [(i * 1000 - 7, v) for i, v in reversed(list(zip(index, values, strict=True)))]
    assert alpha_of([i for i, _ in back], [v for _, v in back]) == pytest.approx(krippendorff_alpha(units), abs=NEAR)


def test_alpha_of_numbers_asks_for_numbers() -> None:
    with pytest.raises(ValueError, match="numbers"):
        alpha_of([1, 1, 2, 2], [0.5, math.nan, 1.0, 2.0], "interval")
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


def test_the_interval_covers_the_true_alpha_about_as_often_as_it_says() -> None:
    """Two raters of accuracy .9 at even classes: they agree with chance .82, so alpha is 1 - .18/.5 = .64."""
    draw = np.random.default_rng(11)
    covered = 0
    for _ in range(200):
        truth = draw.integers(0, 2, 100)
        unit = np.repeat(np.arange(100), 2)
        value = np.where(draw.random(200) < 0.9, truth[unit], 1 - truth[unit])
        interval = alpha_interval(unit, value, resamples=200)
        assert interval is not None
        covered += interval[0] <= 0.64 <= interval[1]
    # 200 draws at .95: within 180..198 with probability .9996; the bootstrap is a little below its name.
    assert 178 <= covered <= 198


def test_the_interval_of_moments_narrows_with_more_units() -> None:
    draw = np.random.default_rng(5)

    def width(units: int) -> float:
        unit = np.repeat(np.arange(units), 2)
        interval = alpha_interval(unit, draw.normal(0, 3, units)[unit] + draw.normal(0, 1, 2 * units), "interval")
        assert interval is not None
        return interval[1] - interval[0]

    assert width(400) < width(100) < width(25)


def test_distances_of_no_pair_are_none() -> None:
    assert time_agreement([], []) == (0, None, None, None, None)
    assert time_agreement([1, 2, 3], [0.0, 1.0, 2.0]) == (0, None, None, None, None)
    with pytest.raises(ValueError, match="seconds"):
        time_agreement([1, 1], [0.0, math.inf])


def test_a_pair_on_the_edge_is_within() -> None:
    # 1.1 - 0.6 is a little more than 0.5 as floats go, and 4.4 - 3.4 than 1.
    got = time_agreement([1, 1, 2, 2], [1.1, 0.6, 4.4, 3.4])
    assert (got.within_half_s, got.within_1_s) == (0.5, 1.0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 60)), max_size=25))
def test_distances_are_those_of_every_pair(rows: list[tuple[int, int]]) -> None:
    # Frames of a 30 Hz video: 15 and 30 frames apart lie on the edges and count.
    seconds = [frame / 30 for _, frame in rows]
    got = time_agreement([unit for unit, _ in rows], seconds)
    apart = [abs(a[1] - b[1]) for a, b in combinations(rows, 2) if a[0] == b[0]]
    assert got.pairs == len(apart)
    if apart:
        assert got.median_s == pytest.approx(float(np.median(apart)) / 30, abs=NEAR)
        assert got.within_half_s == pytest.approx(np.mean([frames <= 15 for frames in apart]), abs=NEAR)
        assert got.within_1_s == pytest.approx(np.mean([frames <= 30 for frames in apart]), abs=NEAR)


def test_pairs_of_raters_agree_as_often_as_counted_by_hand_and_by_kappa(computed: dict[str, Any]) -> None:
    table = computed["agreement"]["full_units_x_raters"]
    rows = [(unit, rater, value) for unit, said in enumerate(table) for rater, value in enumerate(said)]
    got = agreement_matrix(*(list(column) for column in zip(*rows, strict=True)))
    assert got.raters == [0, 1, 2]
    for i in range(3):
        assert (got.common[i][i], got.agreed[i][i]) == (len(table), len(table))
        for j in range(3):
            assert got.agreed[i][j] == sum(said[i] == said[j] for said in table)
    first, second = [said[0] for said in table], [said[1] for said in table]
    chance = sum((first.count(kind) / len(table)) * (second.count(kind) / len(table)) for kind in (0, 1))
    share = got.share(0, 1)
    assert share is not None
    assert (share - chance) / (1 - chance) == pytest.approx(cohen_kappa_score(first, second), abs=NEAR)


def test_the_most_active_raters_come_first_and_the_rest_is_left_out() -> None:
    rows = [(1, 7, "a"), (2, 7, "b"), (3, 7, "a"), (1, 5, "a"), (2, 5, "a"), (9, 3, "a"), (3, 2, "a"), (4, 2, "b")]
    units, raters, values = (list(column) for column in zip(*rows, strict=True))
    got = agreement_matrix(units, raters, values, most=3)
    assert got.raters == [7, 2, 5]
    assert got.common == [[3, 1, 2], [1, 2, 0], [2, 0, 2]]
    assert got.agreed == [[3, 1, 1], [1, 2, 0], [1, 0, 2]]
    assert (got.share(0, 2), got.share(1, 2)) == (0.5, None)
    assert agreement_matrix([], [], []).raters == []
