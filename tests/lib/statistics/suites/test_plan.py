"""The planner, against simulated runs of the suites that it plans."""

import numpy as np
import pytest

from lib.statistics.suites.paired import for_new_scenarios
from lib.statistics.suites.plan import (
    Noise,
    continuations_for,
    measured_noise,
    power_of,
    visible_difference,
)

ACCURACY = 0.9
SCENARIOS = 800
DIFFERENCE = 0.03


def rated(draw: np.random.Generator, rates: np.ndarray, continuations: int) -> np.ndarray:
    """How many of the continuations noisy raters call successes."""
    seen = rates * ACCURACY + (1 - rates) * (1 - ACCURACY)
    return draw.binomial(continuations, seen)


def true_rates(draw: np.random.Generator, difference: float) -> tuple[np.ndarray, np.ndarray]:
    """The rates of two agents at each scenario, which differ by `difference` on average over all scenarios."""
    base = draw.beta(3, 3, SCENARIOS) * 0.6 + 0.2
    own = draw.normal(0, 0.05, (2, SCENARIOS))
    return base + own[0] + difference, base + own[1]


def noise() -> Noise:
    """As earlier runs of such a suite tell it."""
    draw = np.random.default_rng(1)
    found = [
        measured_noise([rated(draw, rates, 10) for rates in true_rates(draw, DIFFERENCE)], np.full((2, SCENARIOS), 10))
        for _ in range(20)
    ]
    youden = 2 * ACCURACY - 1
    return Noise(
        between=float(np.mean([one.between for one in found if one])) / youden**2,
        within=float(np.mean([one.within for one in found if one])),
        youden=youden,
    )


def test_earlier_runs_tell_their_noise() -> None:
    found = noise()
    assert found.between == pytest.approx(2 * 0.05**2, abs=0.002)
    assert found.within == pytest.approx(0.48, abs=0.02)
    assert measured_noise([[1, 2]], [[5, 5]]) is None
    assert measured_noise([[1, 1], [0, 1]], [[1, 1], [1, 1]]) is None


def test_more_continuations_show_smaller_differences_until_the_suite_ends_it() -> None:
    few, many = (visible_difference(noise(), scenarios=40, continuations=c, power=0.8) for c in (5, 500))
    assert few > many > visible_difference(noise(), scenarios=400, continuations=500, power=0.8)
    assert power_of(few, noise(), scenarios=40, continuations=5) == pytest.approx(0.8, abs=1e-6)
    assert continuations_for(many / 2, noise(), scenarios=40, power=0.8) is None
    assert power_of(0.0, noise(), scenarios=40, continuations=5) == pytest.approx(0.05, abs=0.002)


@pytest.mark.long
def test_at_the_planned_size_a_difference_is_found_as_often_as_planned() -> None:
    """Three points, with raters of 90 %: in 78 to 86 % of runs; at half the size 45 to 58 %; equal agents in 5 %."""
    size = continuations_for(DIFFERENCE, noise(), scenarios=SCENARIOS, power=0.8)
    assert size is not None
    draw, runs = np.random.default_rng(2), 1500

    def found(difference: float, continuations: int) -> float:
        told = 0
        for _ in range(runs):
            a, b = (rated(draw, rates, continuations) / continuations for rates in true_rates(draw, difference))
            p = for_new_scenarios(a, b).p
            told += p is not None and p < 0.05
        return told / runs

    assert 0.78 <= found(DIFFERENCE, size) <= 0.86
    assert 0.45 <= found(DIFFERENCE, round(size / 2)) <= 0.58
    assert found(0.0, size) <= 0.06  # 5 %, and two standard errors of 1500 runs
