"""Correlations against scipy, and data that has none."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from lib.statistics.suites.correlation import (
    average_ranks,
    correlation,
    correlations_of_columns,
    difference_of_correlations,
)

NEAR = 1e-9


def test_spearman_agrees_with_the_computed_one(computed: dict[str, Any]) -> None:
    group = computed["spearman"]
    found = correlation(group["x"], group["y"])
    assert (found.rho, found.p) == pytest.approx((group["rho"], group["p"]), rel=NEAR)
    assert (found.low, found.high) == pytest.approx(group["ci95"], abs=NEAR)


@pytest.mark.parametrize("n", [3, 4, 9, 200])
def test_both_agree_with_scipy(n: int) -> None:
    draw = np.random.default_rng(n)
    x = draw.normal(size=n)
    y = (x + draw.normal(size=n)).round(1)
    ranked, straight = correlation(x.tolist(), y.tolist()), correlation(x.tolist(), y.tolist(), method="pearson")
    assert (ranked.rho, ranked.p) == pytest.approx(tuple(stats.spearmanr(x, y)), abs=NEAR)
    assert (straight.rho, straight.p) == pytest.approx(tuple(stats.pearsonr(x, y)), abs=NEAR)
    if n > 3:
        assert (straight.low, straight.high) == pytest.approx(
            tuple(stats.pearsonr(x, y).confidence_interval()), abs=NEAR
        )
    assert average_ranks(y).tolist() == stats.rankdata(y).tolist()


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([], [], (0, None, None, None, None)),
        ([1.0, 2.0], [2.0, 1.0], (2, None, None, None, None)),  # two agents always lie on a line
        ([1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0], (4, None, None, None, None)),  # constant
        ([0.1 + 0.2, 0.3, 0.3, 0.3], [1.0, 2.0, 3.0, 4.0], (4, None, None, None, None)),  # constant but for rounding
        ([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], (4, 1.0, 0.0, None, None)),  # on a line
        ([1e200, 2e200, 3e200], [1.0, 0.0, -1.0], (3, -1.0, 0.0, None, None)),
    ],
)
def test_what_has_no_correlation_has_none(x: list[float], y: list[float], expected: tuple[Any, ...]) -> None:
    assert tuple(correlation(x, y, method="pearson")) == pytest.approx(expected)


def test_lengths_and_methods_are_checked() -> None:
    for x, method in (([1.0], "spearman"), ([1.0, 2.0], "kendall")):
        with pytest.raises(ValueError, match="no correlation"):
            correlation(x, [1.0, 2.0], method=method)


@pytest.mark.long
@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_intervals_hold_the_true_correlation(method: str) -> None:
    draw, truth, held, runs = np.random.default_rng(7), 0.6, 0, 2000
    rho = truth if method == "pearson" else 6 / math.pi * math.asin(truth / 2)
    for _ in range(runs):
        x = draw.normal(size=40)
        y = truth * x + math.sqrt(1 - truth**2) * draw.normal(size=40)
        found = correlation(x.tolist(), y.tolist(), method=method)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= rho <= found.high
    assert 0.93 <= held / runs <= 0.97


def three(draw: np.random.Generator, n: int) -> np.ndarray:
    """Two measures and a third that goes with the first more closely."""
    y = draw.normal(size=n)
    return np.array([y + draw.normal(size=n) * 0.7, y + draw.normal(size=n) * 1.5, y])


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_two_correlations_are_compared_as_scipy_resamples_them(method: str) -> None:
    values = three(np.random.default_rng(4), 40)
    correlate = stats.spearmanr if method == "spearman" else stats.pearsonr

    def apart(a: np.ndarray, b: np.ndarray, y: np.ndarray) -> float:
        return float(correlate(a, y).statistic - correlate(b, y).statistic)

    found = difference_of_correlations(*values.tolist(), method=method)
    assert found is not None
    assert found.difference == pytest.approx(apart(*values))
    expected = stats.bootstrap(
        tuple(values), apart, paired=True, vectorized=False, n_resamples=400, method="percentile", rng=1
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.08)


def test_too_few_agents_are_not_compared() -> None:
    assert difference_of_correlations(*three(np.random.default_rng(4), 9).tolist()) is None
    assert difference_of_correlations([1.0] * 12, [*range(12)], [*range(12)]) is None


@pytest.mark.long
def test_the_interval_of_a_difference_covers_it() -> None:
    draw, inside, runs = np.random.default_rng(7), 0, 400
    truth = 1 / np.sqrt(1 + 0.7**2) - 1 / np.sqrt(1 + 1.5**2)
    for _ in range(runs):
        found = difference_of_correlations(*three(draw, 60).tolist(), method="pearson", resamples=400)
        inside += found is not None and found.low <= truth <= found.high
    # 93 to 97 %, within what 400 runs show.
    assert 0.91 <= inside / runs <= 0.99


@pytest.mark.parametrize("method", ["spearman", "pearson"])
@pytest.mark.parametrize("n", [2, 3, 40])
def test_columns_have_the_correlations_of_each_alone(method: str, n: int) -> None:
    draw = np.random.default_rng(n)
    y = draw.normal(size=n).round(1)
    columns = np.column_stack([draw.normal(size=n), draw.integers(0, 3, n), np.full(n, 0.1), y * 1e200, -y])
    found = correlations_of_columns(columns, y, method=method)
    alone = [correlation(column.tolist(), y.tolist(), method=method).rho for column in columns.T]
    assert found == pytest.approx([math.nan if rho is None else rho for rho in alone], abs=1e-12, nan_ok=True)
    assert np.isnan(correlations_of_columns(columns, np.ones(n), method=method)).all()
