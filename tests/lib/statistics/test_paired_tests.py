"""Paired tests against scipy and against counting all cases."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from lib.statistics.paired_tests import (
    alpha_of_look,
    at_least,
    least_discordant,
    lower_end,
    lower_end_of_mean,
    mcnemar,
    wilcoxon,
)


@pytest.mark.parametrize(
    ("gained", "lost"), [(0, 0), (1, 0), (0, 7), (5, 5), (32, 9), (52, 9), (400, 431), (1500, 1200)]
)
def test_mcnemar_is_the_binomial_test_of_scipy(gained: int, lost: int) -> None:
    expected = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected, rel=1e-9)
    assert at_least(lost, gained + lost) == pytest.approx(stats.binom.sf(lost - 1, gained + lost, 0.5), rel=1e-9)


def test_the_levels_of_all_looks_sum_to_alpha() -> None:
    assert sum(alpha_of_look(look) for look in range(1, 20_000)) == pytest.approx(0.05, rel=1e-4)


@pytest.mark.parametrize("look", [1, 2, 5, 30])
def test_with_one_discordant_item_less_nothing_can_be_proved(look: int) -> None:
    alpha = alpha_of_look(look)
    least = least_discordant(alpha)
    assert mcnemar(least, 0) < alpha <= mcnemar(least - 1, 0)


@pytest.mark.parametrize(("up", "down", "n"), [(0.1, 0.1, 300), (0.05, 0.1, 300), (0.02, 0.01, 60), (0.2, 0.1, 1000)])
def test_the_lower_end_lies_below_the_true_difference_in_95_percent(up: float, down: float, n: int) -> None:
    drawn = np.random.default_rng(7).multinomial(n, [up, down, 1 - up - down], size=4000)
    covered = np.mean([lower_end(int(gained), int(lost), n) <= up - down for gained, lost, _ in drawn])
    assert covered >= 0.94
    assert covered <= 0.985 or n < 100


def test_few_items_never_look_certain() -> None:
    assert lower_end(0, 0, 0) == -1
    assert lower_end(0, 0, 30) < -0.05 < lower_end(0, 0, 100)
    assert lower_end_of_mean([0.5]) == -1


def test_the_lower_end_of_a_mean_is_that_of_scipy() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.3, 40)
    expected = stats.ttest_1samp(values, 0, alternative="greater").confidence_interval(0.95).low
    assert lower_end_of_mean(values.tolist()) == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 4, 12, 30, 50])
def test_wilcoxon_is_the_exact_test_of_scipy(n: int) -> None:
    values = np.random.default_rng(n).normal(0.2, 1, n)
    expected = stats.wilcoxon(values, method="exact")
    found = wilcoxon(values)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert min(found.above, found.below) == expected.statistic


@pytest.mark.parametrize("decimals", [1, 6])
def test_wilcoxon_of_many_differences_is_the_approximation_of_scipy(decimals: int) -> None:
    values = np.round(np.random.default_rng(3).normal(0.1, 1, 300), decimals)
    expected = stats.wilcoxon(values, method="approx", zero_method="wilcox", correction=False)
    assert wilcoxon(values).p == pytest.approx(expected.pvalue, rel=1e-9)


def test_wilcoxon_with_equal_differences_counts_all_signs() -> None:
    values = [0.1, -0.1, 0.2, 0.2, 0.2, -0.3, 0.0, 0.5]
    sizes = [abs(value) for value in values if value]
    ranks = stats.rankdata(sizes)
    found = wilcoxon(values)
    smaller = min(found.above, found.below)
    cases = [
        sum(rank for rank, is_up in zip(ranks, signs, strict=True) if is_up)
        for signs in product((0, 1), repeat=len(sizes))
    ]
    assert found.p == pytest.approx(2 * np.mean([case <= smaller for case in cases]))
    assert wilcoxon([0, 0]).p == 1
