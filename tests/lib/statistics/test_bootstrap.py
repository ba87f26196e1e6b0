"""Ratios of sums over people: held against what can be worked out by hand, and against simulated truth."""

import numpy as np
import numpy.typing as npt
import pytest

from lib.statistics.bootstrap import DRAWS, Estimate, Floats, rate, ratio, resample, tail_for

Ints = npt.NDArray[np.int64]


def test_sums_and_clusters_are_those_of_the_parts() -> None:
    drawn = resample([[[1, 2], [0, 0]], [[3, 4], [5, 6]]])
    assert drawn.sums.tolist() == [[4, 6], [5, 6]]
    assert drawn.clusters.tolist() == [2, 1]
    assert drawn.draws.shape == (DRAWS, 2, 2)
    again = resample([[[1, 2], [0, 0]], [[3, 4], [5, 6]]])
    assert (again.draws == drawn.draws).all(), "equal data gives equal draws"


def test_a_person_in_two_groups_is_drawn_into_both_at_once() -> None:
    """Each person has the same in both groups, so their ratio is 1 in every draw."""
    own = np.arange(1.0, 9.0)
    parts = np.zeros((8, 2, 2))
    parts[:, 0, 0] = parts[:, 1, 0] = own
    parts[:, :, 1] = 1
    drawn = resample(parts)
    assert ratio(drawn, 1, 0, of=0, by=1) == Estimate(1.0, 1.0, 1.0)
    spread = rate(drawn, 0, of=0, by=1)
    assert (spread.low or 9) < (spread.value or 0) == 4.5 < (spread.high or 0)


def parts_of(errors: list[float], money: list[float], other: list[float], other_money: list[float]) -> Floats:
    parts = np.zeros((len(errors) + len(other), 2, 2))
    parts[: len(errors), 0] = np.stack([errors, money], axis=1)
    parts[len(errors) :, 1] = np.stack([other, other_money], axis=1)
    return parts


def test_a_ratio_of_rates_is_that_of_the_sums() -> None:
    drawn = resample(parts_of([1, 1, 2, 0, 1], [1, 1, 1, 1, 1], [3, 1, 2, 2, 2], [1, 1, 1, 1, 1]))
    assert rate(drawn, 0, of=0, by=1).value == 1.0
    assert rate(drawn, 1, of=0, by=1).value == 2.0
    found = ratio(drawn, 1, 0, of=0, by=1)
    assert found.value == 2.0
    assert found.low is not None
    assert found.low < 2.0
    assert ratio(drawn, 0, 0, of=0, by=1) == Estimate(1.0)


def test_too_few_people_give_no_interval() -> None:
    drawn = resample(parts_of([1, 2, 1, 1], [1] * 4, [2, 3, 4, 1, 2], [1] * 5))
    assert rate(drawn, 0, of=0, by=1) == Estimate(1.25)
    assert rate(drawn, 1, of=0, by=1).low is not None
    found = ratio(drawn, 1, 0, of=0, by=1)
    assert found.value == pytest.approx(2.4 / 1.25)
    assert (found.low, found.high) == (None, None)


def test_nothing_to_divide_by_gives_no_value() -> None:
    drawn = resample(parts_of([0] * 6, [1] * 6, [1] * 6, [0] * 6))
    assert rate(drawn, 1, of=0, by=1) == Estimate(None)
    assert ratio(drawn, 1, 0, of=0, by=1) == Estimate(None)
    assert ratio(drawn, 0, 0, of=0, by=1) == Estimate(None)


def test_a_base_that_may_be_nothing_leaves_the_interval_open_above() -> None:
    """One of six found all the errors: a third of the draws leave them out."""
    drawn = resample(parts_of([0, 0, 0, 0, 0, 6], [1] * 6, [2] * 6, [1] * 6))
    found = ratio(drawn, 1, 0, of=0, by=1)
    assert (found.value, found.high) == (2.0, None)
    assert found.low is not None
    assert 0 < found.low < 1


def test_tails_grow_towards_their_limit() -> None:
    tails = [tail_for(n) for n in (5, 6, 10, 30, 1000, 10**7)]
    assert tails == sorted(tails)
    assert tails[-1] == pytest.approx(0.025, abs=1e-4)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Arms whose true ratio is 1.5, of people who differ: of 300 simulated experiments 95 % should hold it."""
    random, people, held = np.random.default_rng(8), 8, 0
    for _ in range(300):
        sessions = random.integers(1, 6, (2, people))
        skill = random.gamma(4, 0.25, (2, people))
        errors = random.poisson(sessions * skill * np.array([[2.0], [3.0]]))
        found = ratio(resample(parts_of(*_columns(errors, sessions)), draws=800), 1, 0, of=0, by=1)
        assert found.low is not None
        held += found.low <= 1.5 <= (found.high if found.high is not None else np.inf)
    assert 0.91 <= held / 300 <= 0.99


def _columns(errors: Ints, sessions: Ints) -> tuple[list[float], ...]:
    return errors[0].tolist(), sessions[0].tolist(), errors[1].tolist(), sessions[1].tolist()


def test_the_draws_of_a_mean_scatter_as_its_standard_error() -> None:
    """The bootstrap's standard error of a mean over n people is known exactly: sd / sqrt(n), the sd of the n."""
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 3.0, 5.0, 7.0])
    drawn = resample(np.stack([values, np.ones(8)], axis=1)[:, None, :])
    means = drawn.draws[:, 0, 0] / drawn.draws[:, 0, 1]
    assert means.std() == pytest.approx(values.std() / np.sqrt(8), rel=0.05)
    assert means.mean() == pytest.approx(values.mean(), rel=0.02)
