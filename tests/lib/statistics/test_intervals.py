"""Intervals against values that statsmodels and scikit-learn computed, and against what must hold of any."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from lib.statistics.accuracy import accuracy_windows, balanced_accuracy
from lib.statistics.intervals import wilson

NEAR = 1e-9


def test_wilson_agrees_with_statsmodels(computed: dict[str, Any]) -> None:
    cases = computed["proportion_ci_95"]["cases"]
    assert len(cases) == 7
    for case in cases:
        assert tuple(wilson(case["k"], case["n"])) == pytest.approx(case["wilson"], abs=NEAR), case


def test_balanced_accuracy_and_its_interval_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    cases = computed["balanced_accuracy"]["cases"]
    assert len(cases) == 5
    for case in cases:
        got = balanced_accuracy(tp=case["tp"], fn=case["fn"], tn=case["tn"], fp=case["fp"])
        assert (got.sensitivity, got.specificity) == pytest.approx((case["sensitivity"], case["specificity"]), abs=NEAR)
        assert got.value == pytest.approx(case["balanced_accuracy"], abs=NEAR)
        low, high = case["mover_wilson_95"]
        assert (got.low, got.high) == pytest.approx((max(0, low), min(1, high)), abs=NEAR), case


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5), (0, -1)])
def test_there_is_no_interval_of_no_proportion(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        wilson(successes, n)


@given(st.floats(0.01, 500), st.floats(0, 1))
def test_wilson_of_fractional_counts_agrees_with_statsmodels(n: float, share: float) -> None:
    low, high = wilson(share * n, n)
    assert (low, high) == pytest.approx(proportion_confint(share * n, n, method="wilson"), abs=NEAR)
    assert 0 <= low <= high <= 1


@given(st.lists(st.integers(0, 500), min_size=4, max_size=4))
def test_balanced_accuracy_lies_in_its_interval_or_is_none(counts: list[int]) -> None:
    tp, fn, tn, fp = counts
    got = balanced_accuracy(tp=tp, fn=fn, tn=tn, fp=fp)
    assert got.n == sum(counts)
    if tp + fn == 0 or tn + fp == 0:
        assert (got.value, got.low, got.high) == (None, None, None)
        return
    assert got.value is not None
    assert got.low is not None
    assert got.high is not None
    assert 0 <= got.low <= got.value <= got.high <= 1


@given(st.lists(st.booleans(), max_size=80), st.integers(1, 15))
def test_windows_cover_every_answer_once(rights: list[bool], size: int) -> None:
    windows = accuracy_windows(rights, size)
    assert [n for w in windows for n in range(w.first, w.last + 1)] == list(range(1, len(rights) + 1))
    for w in windows:
        part = rights[w.first - 1 : w.last]
        assert (w.right, w.share) == (sum(part), sum(part) / len(part))
        expected = proportion_confint(sum(part), len(part), method="wilson")
        assert (w.low, w.high) == pytest.approx(expected, abs=1e-9)
    assert all(w.last - w.first + 1 == size for w in windows[:-1])


def test_a_window_holds_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        accuracy_windows([True], 0)
