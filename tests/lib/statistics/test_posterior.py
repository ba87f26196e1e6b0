"""The posterior of one task: by hand, by scikit-learn's naive Bayes, and by a fit that only knows references."""

import math

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB

from lib.statistics.posterior import Rater, Vote, posterior_of, rater_from_counts


def test_a_rater_is_smoothed_towards_two_thirds() -> None:
    rater = rater_from_counts(9, 10, 0, 0)
    assert rater.sensitivity == pytest.approx(10 / 11.5)
    assert rater.specificity == pytest.approx(1 / 1.5)
    assert rater.specificity_interval == (0.0, 1.0)
    assert rater_from_counts(10, 10, 10, 10).sensitivity < 1


def test_the_posterior_is_the_product_of_the_chances() -> None:
    raters = {1: rater_from_counts(18, 20, 16, 20), 2: rater_from_counts(12, 20, 19, 20)}
    success = (19 / 21.5) * (1 - 13 / 21.5)
    failure = (1 - 17 / 21.5) * (20 / 21.5)
    votes = [Vote(1, True), Vote(2, False)]
    got = posterior_of(votes, raters)
    assert got.value == pytest.approx(success / (success + failure))
    assert got.low < got.value < got.high
    assert posterior_of(votes, raters, prior=0.2).value < got.value


def test_the_posterior_is_the_naive_bayes_of_scikit_learn() -> None:
    """Three raters judge the same references; scikit-learn smooths evenly, so its counts are given to both."""
    draw = np.random.default_rng(2)
    truth = np.arange(4000) % 2 == 0
    labels = np.stack([np.where(draw.random(4000) < skill, truth, ~truth) for skill in (0.9, 0.8, 0.6)], axis=1)
    model = BernoulliNB(alpha=1e-9, class_prior=[0.5, 0.5]).fit(labels, truth)
    raters = {
        n: rater_from_counts(int(labels[truth, n].sum()), 2000, int((~labels[~truth, n]).sum()), 2000) for n in range(3)
    }
    for votes in ([1, 1, 0], [0, 0, 1], [1, 0, 0]):
        ours = posterior_of([Vote(n, bool(vote)) for n, vote in enumerate(votes)], raters).value
        assert ours == pytest.approx(model.predict_proba([votes])[0, 1], abs=2e-3)


@pytest.mark.parametrize("prior", [0.0, 1.0, -1.0, math.nan])
def test_a_prior_lies_strictly_between_0_and_1(prior: float) -> None:
    with pytest.raises(ValueError, match="strictly between"):
        posterior_of([], {}, prior)


def test_without_votes_the_posterior_is_the_prior_and_a_missing_rater_is_the_default() -> None:
    assert posterior_of([], {}, 0.3) == pytest.approx((0.3, 0.3, 0.3))
    sure, votes = Rater(0.99, 0.99, 1000, 1000), [Vote(1, True), Vote(2, True)]
    plain = posterior_of(votes, {})
    assert plain.value == pytest.approx(0.8)
    assert posterior_of(votes, {}, default=sure).value > 0.999 > plain.high > plain.value > plain.low
    assert posterior_of([Vote(1, False)], {1: sure}).value == pytest.approx(0.01)


def test_more_answers_of_the_rater_narrow_the_interval() -> None:
    found = [posterior_of([Vote(1, True)], {1: Rater(0.9, 0.9, n, n)}) for n in (10_000, 100, 10)]
    widths = [one.high - one.low for one in found]
    assert widths == sorted(set(widths))
