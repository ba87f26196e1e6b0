"""The information curve, against the standard errors of statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from lib.statistics.suites.information import MARGIN, gains, information_at, information_curve

HARD = [-2.0, -0.5, 0.0, 0.4, 1.7]


# The rates lie on the model itself, so the fit is perfect, as it should be here.
@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.PerfectSeparationWarning")
@pytest.mark.parametrize("ability", [-1.0, 0.2, 2.5])
def test_the_standard_error_is_that_of_a_logistic_regression(ability: float) -> None:
    """Of an agent's ability, with the scenarios' difficulties known; fitted to the rates that the ability gives."""
    chance = 1 / (1 + np.exp(np.array(HARD) - ability))
    outcomes = np.column_stack([10 * chance, 10 * (1 - chance)])
    fit = sm.GLM(outcomes, np.ones((5, 1)), family=sm.families.Binomial(), offset=-np.array(HARD)).fit(tol=1e-14)
    assert fit.params[0] == pytest.approx(ability)
    assert 1 / np.sqrt(information_at([ability], HARD, 10)[0]) == pytest.approx(fit.bse[0])


def test_the_curve_reaches_beyond_agents_and_scenarios() -> None:
    points = information_curve(HARD, continuations=10, abilities=[3.0])
    assert (points[0].ability, points[-1].ability) == (-2.0 - MARGIN, 3.0 + MARGIN)
    best = max(points, key=lambda one: one.information)
    assert abs(best.ability) < 0.5
    assert best.apart == pytest.approx(2.8016 * np.sqrt(2) * best.standard_error, rel=1e-4)
    assert information_curve([], continuations=10) == []


def test_a_scenario_near_an_agent_that_the_suite_does_not_reach_adds_most() -> None:
    easy = [-3.0, -2.5, -2.0]
    near, far = gains([2.0, -2.5], [2.0], difficulties=easy)
    assert near > 10 * far
    assert gains([1.0], [], difficulties=easy) == [0.0]
