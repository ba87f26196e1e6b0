"""The accuracy-weighted vote: by hand, and the same as the posterior of a fit that only knows references."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB

from annotation.statistics.dawid_skene import fit
from annotation.statistics.posterior import Vote
from annotation.statistics.weighted import ReferenceCounts, log_odds_weight, rater_on_references, weighted_vote

COUNTS = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)).map(
    lambda c: ReferenceCounts(min(c[0], c[1]), c[1], min(c[2], c[3]), c[3])
)


def test_a_record_is_smoothed_towards_two_thirds() -> None:
    rater = rater_on_references(ReferenceCounts(9, 10, 0, 0))
    assert rater.sensitivity == pytest.approx(10 / 11.5)
    assert rater.specificity == pytest.approx(1 / 1.5)
    assert rater.specificity_interval == (0.0, 1.0)
    assert rater_on_references(ReferenceCounts(10, 10, 10, 10)).sensitivity < 1


def test_the_vote_is_the_product_of_the_chances() -> None:
    records = {1: ReferenceCounts(18, 20, 16, 20), 2: ReferenceCounts(12, 20, 19, 20)}
    success = (19 / 21.5) * (1 - 13 / 21.5)
    failure = (1 - 17 / 21.5) * (20 / 21.5)
    got = weighted_vote([Vote(1, True), Vote(2, False)], records)
    assert got.value == pytest.approx(success / (success + failure))
    assert got.low < got.value < got.high
    assert weighted_vote([Vote(1, True), Vote(2, False)], records, prior=0.2).value < got.value


def test_without_records_the_majority_wins() -> None:
    for votes in ([True, True, False], [False, True, False, False]):
        got = weighted_vote([Vote(n, said) for n, said in enumerate(votes)], {})
        assert (got.value > 0.5) == (sum(votes) > len(votes) / 2)
    assert weighted_vote([Vote(1, True), Vote(2, False)], {}).value == pytest.approx(0.5)


def test_one_good_rater_outweighs_two_guessers() -> None:
    records = {
        1: ReferenceCounts(50, 50, 50, 50),
        2: ReferenceCounts(11, 20, 11, 20),
        3: ReferenceCounts(11, 20, 9, 20),
    }
    assert weighted_vote([Vote(1, True), Vote(2, False), Vote(3, False)], records).value > 0.95


@given(st.lists(st.tuples(COUNTS, st.booleans()), max_size=6))
def test_swapping_success_and_failure_swaps_the_vote(cast: list[tuple[ReferenceCounts, bool]]) -> None:
    there = {n: counts for n, (counts, _) in enumerate(cast)}
    back = {n: ReferenceCounts(c.right_failures, c.failures, c.right_successes, c.successes) for n, c in there.items()}
    one = weighted_vote([Vote(n, said) for n, (_, said) in enumerate(cast)], there)
    other = weighted_vote([Vote(n, not said) for n, (_, said) in enumerate(cast)], back)
    assert one.value == pytest.approx(1 - other.value, abs=1e-12)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)


def test_the_vote_is_the_naive_bayes_of_scikit_learn() -> None:
    """Three raters judge the same references; scikit-learn smooths evenly, so its counts are given to both."""
    draw = np.random.default_rng(2)
    truth = np.arange(4000) % 2 == 0
    said = np.stack([np.where(draw.random(4000) < skill, truth, ~truth) for skill in (0.9, 0.8, 0.6)], axis=1)
    model = BernoulliNB(alpha=1e-9, class_prior=[0.5, 0.5]).fit(said, truth)
    records = {
        n: ReferenceCounts(int(said[truth, n].sum()), 2000, int((~said[~truth, n]).sum()), 2000) for n in range(3)
    }
    for votes in ([1, 1, 0], [0, 0, 1], [1, 0, 0]):
        ours = weighted_vote([Vote(n, bool(vote)) for n, vote in enumerate(votes)], records).value
        assert ours == pytest.approx(model.predict_proba([votes])[0, 1], abs=2e-3)


def test_the_vote_is_the_fit_that_knows_only_references() -> None:
    """One new task among many references: the fit learns the raters from the references alone."""
    draw = np.random.default_rng(4)
    rows = [(task, rater, bool(draw.random() < 0.8) == (task % 2 == 0)) for task in range(200) for rater in (1, 2, 3)]
    new = [(999, 1, True), (999, 2, False)]
    known = {task: task % 2 == 0 for task in range(200)}
    records = {
        rater: ReferenceCounts(
            sum(said for t, r, said in rows if r == rater and known[t]),
            100,
            sum(not said for t, r, said in rows if r == rater and not known[t]),
            100,
        )
        for rater in (1, 2, 3)
    }
    tasks, raters, labels = zip(*rows, *new, strict=True)
    got = fit(tasks, raters, labels, truths=known)
    alone = weighted_vote([Vote(r, said) for _, r, said in new], records, prior=got.prior)
    assert got.posteriors()[999].value == pytest.approx(alone.value, abs=0.01)


@pytest.mark.parametrize(
    ("right", "n", "weight"), [(0, 0, math.log(2)), (9, 10, math.log(10 / 1.5)), (2, 10, 0.0), (0, 50, 0.0)]
)
def test_the_weight_of_an_answer_is_the_log_odds_of_accuracy_and_never_negative(
    right: int, n: int, weight: float
) -> None:
    assert log_odds_weight(right, n) == pytest.approx(weight)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_more_right_weighs_no_less(case: tuple[int, int]) -> None:
    right, n = case
    assert log_odds_weight(right, n) >= log_odds_weight(right - 1, n) >= 0


def test_there_is_no_weight_of_no_accuracy() -> None:
    with pytest.raises(ValueError, match="no accuracy"):
        log_odds_weight(4, 3)
