"""Whether a scenario tells agents apart, against the intervals of statsmodels."""

import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from lib.statistics.suites.separation import difference_of_shares, separations


@pytest.mark.parametrize(("k1", "n1", "k2", "n2"), [(7, 10, 2, 12), (10, 10, 0, 9), (40, 50, 39, 50), (1, 20, 6, 20)])
def test_the_interval_is_that_of_statsmodels(k1: int, n1: int, k2: int, n2: int) -> None:
    expected = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", compare="diff")
    assert difference_of_shares(k1, n1, k2, n2)[1:] == pytest.approx(expected)


def test_halves_are_made_at_the_other_scenarios() -> None:
    """At the second scenario the agent that is weak elsewhere is better."""
    first, second = separations([[90, 30], [10, 80]], [[100, 100], [100, 100]])
    assert first is not None
    assert first.difference == pytest.approx(-0.8)
    assert first.n_strong == 100
    assert second is not None
    assert second.difference == pytest.approx(-0.5)
    assert second.high < 0


def test_too_few_continuations_say_nothing() -> None:
    assert separations([[9, 9], [1, 9]], [[9, 10], [10, 10]])[0] is None
    assert separations([[9], [1]], [[10], [10]]) == [None]
    assert separations([[9, 5], [1, 5]], [[10, 10], [10, 10]])[1] is not None
