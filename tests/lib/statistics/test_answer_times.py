"""Times of tasks: the flags as computed, robust scores against scipy, and times that are odd."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lib.statistics.answer_times import (
    LEAST_S,
    FastLimits,
    fast_flags,
    fast_limits,
    log_histogram,
    log_times,
    robust_z,
    worker_times,
)

TIMES = st.lists(st.floats(0, 1e5), min_size=1, max_size=60)


def test_limits_and_flags_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["pay"]
    limits = fast_limits(group["seconds"])
    assert limits is not None
    assert limits.third_of_median_s == pytest.approx(group["fast_flag_seconds_median_third"], abs=1e-9)
    assert limits.low_log_s == pytest.approx(group["log_mad_low_threshold"], abs=1e-9)
    assert fast_flags(group["seconds"]) == group["flags_fast"]


def test_either_rule_flags() -> None:
    tight = [100.0, 101, 102, 99, 98, 100, 80]
    assert fast_flags(tight) == [False] * 6 + [True]
    wide = [10.0, 100, 1000, 20, 400, 50, 250, 8]
    limits = fast_limits(wide)
    assert limits is not None
    assert limits.low_log_s is not None
    assert limits.low_log_s < limits.third_of_median_s
    assert fast_flags(wide) == [second < limits.third_of_median_s for second in wide]


def test_times_that_are_mostly_the_same_flag_only_by_the_median() -> None:
    same = [60.0] * 8 + [59.0, 19.0]
    assert fast_limits(same) == FastLimits(20.0, None)
    assert fast_flags(same) == [False] * 9 + [True]
    lie = log_times(same)
    assert lie is not None
    assert robust_z(same, lie) == [None] * 10


def test_no_times_have_no_limits_and_no_bins() -> None:
    assert fast_limits([]) is None
    assert fast_flags([]) == []
    assert log_times([]) is None
    assert log_histogram([]) == ([], [])
    assert worker_times([], [3.0, 5.0]) == (0, None, None, 0)


@pytest.mark.parametrize("seconds", [[-1.0], [float("nan")], [float("inf"), 3.0]])
def test_a_number_that_is_no_time_is_refused(seconds: list[float]) -> None:
    with pytest.raises(ValueError, match="number of seconds"):
        log_times(seconds)


def test_a_time_of_nothing_counts_as_a_millisecond() -> None:
    assert log_times([0.0]) == log_times([LEAST_S])
    assert fast_flags([0.0, 30, 40, 50]) == [True, False, False, False]


@given(TIMES)
def test_the_spread_is_that_of_scipy(seconds: list[float]) -> None:
    lie = log_times(seconds)
    assert lie is not None
    logs = np.log(np.maximum(seconds, LEAST_S))
    assert lie.spread == pytest.approx(1.4826 * stats.median_abs_deviation(logs), abs=1e-9)
    scores = robust_z(seconds, lie)
    if lie.spread > 1e-6:
        assert scores == pytest.approx(list((logs - np.median(logs)) / lie.spread))


@given(TIMES, st.integers(1, 30))
def test_every_time_falls_in_one_bin(seconds: list[float], bins: int) -> None:
    got = log_histogram(seconds, bins=bins)
    assert (sum(got.counts), len(got.counts), len(got.edges_s)) == (len(seconds), bins, bins + 1)
    assert all(low < high for low, high in zip(got.edges_s, got.edges_s[1:], strict=False))
    ratios = [high / low for low, high in zip(got.edges_s, got.edges_s[1:], strict=False)]
    assert ratios == pytest.approx([ratios[0]] * bins, rel=1e-6)


def test_a_workers_bins_can_be_the_projects() -> None:
    got = log_histogram([1.0, 10.0, 5000.0, 0.2], bins=3, within=(1.0, 1000.0))
    assert got.edges_s == pytest.approx([1, 10, 100, 1000])
    assert got.counts == [2, 1, 1]
    assert log_histogram([], bins=2, within=(1.0, 100.0)).counts == [0, 0]


def test_a_hasty_worker_stands_out_of_the_project() -> None:
    draw = np.random.default_rng(6)
    others = np.exp(draw.normal(np.log(60), 0.4, 500))
    hasty = np.exp(draw.normal(np.log(12), 0.3, 40))
    project = np.concatenate([others, hasty])
    got, usual = worker_times(hasty, project), worker_times(others[:40], project)
    assert got.n == 40
    assert got.median_s == pytest.approx(12, rel=0.2)
    assert got.z is not None
    assert usual.z is not None
    assert got.z < -2.5 < -0.5 < usual.z
    assert got.fast > 30 > 2 >= usual.fast
