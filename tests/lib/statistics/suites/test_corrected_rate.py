"""Rates without the raters' errors: equal to the computed values, and tests that raters err alike everywhere."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from lib.statistics.suites.corrected_rate import (
    RankedOutcome,
    corrected_difference,
    corrected_rate,
    majority_observed,
    majority_of_independent,
    p_of_equal_shares,
)

NEAR = 1e-9


def test_corrected_rates_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    for case in computed["rogan_gladen"]["cases"]:
        outcome = RankedOutcome(case["tp"] / case["n1"], case["tn"] / case["n0"], case["n1"], case["n0"])
        found = corrected_rate(case["k"], case["N"], outcome)
        assert outcome.youden == pytest.approx(case["youden_j"], abs=NEAR)
        if case["p"] is None:
            assert found is None
            assert corrected_difference(0.1, 0.02, 1.96, outcome) is None
        else:
            assert found == pytest.approx((case["p"], *case["ci95_delta_clipped"]), abs=NEAR)


def test_a_corrected_difference_takes_the_raters_own_error_along() -> None:
    certain = corrected_difference(0.08, 0.02, 2.0, RankedOutcome(0.9, 0.9, 1e12, 1e12))
    unsure = corrected_difference(0.08, 0.02, 2.0, RankedOutcome(0.9, 0.9, 20, 20))
    assert certain is not None
    assert unsure is not None
    assert certain == pytest.approx((0.1, 0.05, 0.15))
    half = 2 * math.sqrt(0.02**2 + 0.1**2 * 2 * 0.09 / 20) / 0.8
    assert unsure == pytest.approx((0.1, 0.1 - half, 0.1 + half))


@pytest.mark.parametrize("answers", [1, 2, 3, 5])
def test_the_majority_of_independent_answers_agrees_with_the_binomial_distribution(answers: int) -> None:
    found = majority_of_independent(80, 100, answers)
    assert found is not None
    wins = stats.binom.sf(answers // 2, answers, 0.8)
    loses = stats.binom.cdf((answers - 1) // 2, answers, 0.8)
    assert found[0] == pytest.approx(wins / (wins + loses))
    assert majority_of_independent(0, 0, answers) is None
    if answers == 1:
        assert found == pytest.approx((0.8, 100), rel=1e-4)


def test_the_majority_of_answers_that_err_together_is_less_often_right_than_of_independent_ones() -> None:
    """Half of the references are read wrongly by most: single answers are right in 60 %, majorities in half."""
    right, n = [9, 3] * 20, [10, 10] * 20
    observed, independent = majority_observed(right, n, 5), majority_of_independent(sum(right), sum(n), 5)
    assert observed is not None
    assert independent is not None
    assert observed[0] < 0.6 < independent[0]
    assert observed[1] == 40
    assert majority_observed([1, 2], [2, 2], 3) is None
    assert majority_observed([1], [2], 2) is None  # a tie has no outcome


def test_equal_shares_are_seldom_called_unequal_and_unequal_ones_mostly() -> None:
    """References differ in difficulty, which says nothing against their groups."""
    draw = np.random.default_rng(4)
    groups = ["lift", "push", "say"] * 20

    def p(shares: Any) -> float:
        right = draw.binomial(6, shares)
        found = p_of_equal_shares(groups, right.tolist(), [6] * 60)
        return 1.0 if found is None else found

    equal = [p(draw.beta(4, 1, 60)) for _ in range(200)]
    unequal = [p(np.array([0.95, 0.95, 0.55] * 20)) for _ in range(50)]
    assert np.mean(np.array(equal) < 0.05) < 0.1
    assert np.mean(np.array(unequal) < 0.01) > 0.9


@pytest.mark.parametrize(
    ("groups", "right", "n"),
    [
        (["a"] * 9, [1] * 8 + [0], [1] * 9),  # one group
        (["a", "b"] * 9, [1] * 18, [1] * 18),  # no error
        (["a", "b"] * 2, [1, 0, 1, 1], [1] * 4),  # too few answers of each
        (["a", "b"], [5, 2], [9, 9]),  # as many groups as references
        ([], [], []),
    ],
)
def test_where_nothing_can_differ_there_is_no_p_value(groups: list[str], right: list[int], n: list[int]) -> None:
    assert p_of_equal_shares(groups, right, n) is None
