"""Curves of time to completion: equal to the computed ones and to statsmodels, and true to their intervals."""

from typing import Any

import numpy as np
import pytest
from statsmodels.duration.survfunc import CumIncidenceRight

from lib.statistics.intervals import wilson
from lib.statistics.suites.completion import CENSORED, FAILURE, SUCCESS, among_successes, cumulative_incidence, thinned

NEAR = 1e-9


def test_the_incidence_agrees_with_the_computed_one(computed: dict[str, Any]) -> None:
    group = computed["cumulative_incidence"]
    points = cumulative_incidence(group["time_s"], group["event"])
    assert [point.time_s for point in points] == [one["t"] for one in group["cif_success"]]
    assert [point.completed for point in points] == pytest.approx(
        [one["cif"] for one in group["cif_success"]], abs=NEAR
    )
    assert [point.at_risk for point in points[:3]] == [12, 10, 9]


def test_the_distribution_among_successes_agrees_with_the_computed_one(computed: dict[str, Any]) -> None:
    group = computed["kaplan_meier"]
    times = [time for time, success in zip(group["time_s"], group["success"], strict=True) if success]
    points = among_successes(times)
    for one in group["seed000_fig8_style_ecdf_among_successes"]:
        reached = [point.completed for point in points if point.time_s <= one["t"]]
        assert (reached[-1] if reached else 0.0) == pytest.approx(one["F"])
    assert (points[0].low, points[0].high) == pytest.approx(wilson(1, len(times)))


@pytest.mark.parametrize("seed", range(4))
def test_the_incidence_with_its_error_agrees_with_statsmodels(seed: int) -> None:
    draw = np.random.default_rng(seed)
    times, events = draw.integers(1, 30, 60) / 2, draw.choice([SUCCESS, FAILURE, CENSORED], 60)
    with np.errstate(all="ignore"):
        package = CumIncidenceRight(times, events)
    by_time = dict(zip(package.times, zip(package.cinc[0], package.cinc_se[0], strict=True), strict=True))
    for point in cumulative_incidence(times.tolist(), events.tolist()):
        share, error = by_time[point.time_s]
        assert point.completed == pytest.approx(share, abs=NEAR)
        if not np.isnan(error):  # the package has none where nobody is left
            n = share * (1 - share) / error**2
            assert (point.low, point.high) == pytest.approx(wilson(share * n, n), abs=NEAR)


def test_without_censoring_it_is_a_share_with_wilsons_interval() -> None:
    times, events = [1.0, 2.0, 2.0, 3.0, 4.0], [SUCCESS, FAILURE, SUCCESS, SUCCESS, FAILURE]
    points = cumulative_incidence(times, events)
    assert [point.completed for point in points] == pytest.approx([0.2, 0.4, 0.6])
    for k, point in enumerate(points, start=1):
        assert (point.low, point.high) == pytest.approx(wilson(k, 5))


@pytest.mark.parametrize("curve", [among_successes([]), cumulative_incidence([], []), cumulative_incidence([1.0], [2])])
def test_nothing_has_no_points(curve: list[Any]) -> None:
    assert curve == []


def test_all_successes_reach_1_and_many_points_are_thinned_to_the_last() -> None:
    points = cumulative_incidence([float(time) for time in range(1, 101)], [SUCCESS] * 100)
    assert points[-1].completed == pytest.approx(1.0)
    assert [point.time_s for point in thinned(points, 3)] == [1.0, 51.0, 100.0]


@pytest.mark.long
def test_intervals_of_incidence_hold_the_truth() -> None:
    draw, held, runs = np.random.default_rng(6), 0, 2000
    for _ in range(runs):
        success, failure, end = draw.exponential(10, 80), draw.exponential(15, 80), draw.uniform(4, 20, 80)
        first = np.minimum(np.minimum(success, failure), end)
        events = np.where(first == success, SUCCESS, np.where(first == failure, FAILURE, CENSORED))
        reached = [point for point in cumulative_incidence(first.tolist(), events.tolist()) if point.time_s <= 6]
        rate = 1 / 10 + 1 / 15
        truth = (1 / 10) / rate * (1 - np.exp(-rate * 6))
        held += reached[-1].low <= truth <= reached[-1].high
    assert 0.93 <= held / runs <= 0.97
