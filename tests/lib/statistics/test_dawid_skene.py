"""Truth and skill together: as crowd-kit computed, and what must hold of any fit."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.statistics.dawid_skene import Fit, Options, fit
from lib.statistics.posterior import (
    NO_SMOOTHING,
    SMOOTHING,
    Rater,
    Smoothing,
    Vote,
    posterior_of,
    rater_from_counts,
    unknown_rater,
)
from tests.support.simulated_raters import Labelled, labelled

AS_CROWD_KIT = Options(smoothing=NO_SMOOTHING, stop_on="elbo", tolerance=1e-5, max_iterations=100)

ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 5), st.booleans()), max_size=40, unique_by=lambda row: row[:2]
)
Rows = list[tuple[int, int, bool]]


def fitted(rows: Rows, **kwargs: Any) -> Fit:
    return fit([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], **kwargs)


def fit_of(data: Labelled, **kwargs: Any) -> Fit:
    return fit(data.tasks, data.raters, data.labels, **kwargs)


@pytest.fixture(scope="module")
def crowd() -> Labelled:
    return labelled(tasks=3000, raters=50, each=5, seed=2)


# As computed -------------------------------------------------------------------------------------------------


def test_the_fit_agrees_with_crowd_kit(computed: dict[str, Any]) -> None:
    group = computed["dawid_skene"]
    near = group["tolerance"]
    rows = [(int(task[1:]), int(worker[1:]), bool(label)) for task, worker, label in group["labels"]]
    got = fitted(rows, options=AS_CROWD_KIT)
    assert got.iterations == group["n_iter"]
    assert got.prior == pytest.approx(group["prior1"], abs=near)
    posteriors = {f"t{task}": posterior.value for task, posterior in got.posteriors().items()}
    assert posteriors == pytest.approx(group["p1"], abs=near)
    for worker, rater in got.raters().items():
        assert [rater.sensitivity, rater.specificity] == pytest.approx(group["worker_se_sp"][f"w{worker}"], abs=near)


def test_few_labels_do_not_make_certain_with_the_smoothing_of_production(computed: dict[str, Any]) -> None:
    group = computed["dawid_skene"]
    rows = [(int(task[1:]), int(worker[1:]), bool(label)) for task, worker, label in group["labels"]]
    plain, smooth = fitted(rows, options=AS_CROWD_KIT), fitted(rows)
    assert smooth.converged
    assert np.minimum(plain.posterior, 1 - plain.posterior).min() < 1e-8
    assert np.minimum(smooth.posterior, 1 - smooth.posterior).min() > 1e-3
    truth = group["truth_simulated"]
    assert sum((p > 0.5) == truth[f"t{t}"] for t, p in zip(smooth.task_ids, smooth.posterior, strict=True)) >= 13


# What holds of any fit ---------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(rows=ROWS, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(rows: Rows, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(rows))
    assert fitted(rows).posterior.tolist() == fitted([rows[i] for i in order]).posterior.tolist()


@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_swapping_the_labels_swaps_everything(rows: Rows) -> None:
    # Few steps: where raters contradict each other throughout, rounding grows with each and decides which way it tips.
    options = Options(max_iterations=10, tolerance=0.0)
    one, other = fitted(rows, options=options), fitted([(t, r, not said) for t, r, said in rows], options=options)
    assert other.posterior == pytest.approx(1 - one.posterior, abs=1e-7)
    assert other.sensitivity == pytest.approx(one.specificity, abs=1e-7)
    assert other.prior == pytest.approx(1 - one.prior, abs=1e-7)
    assert other.low == pytest.approx(1 - one.high, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(rows=ROWS.filter(bool), known=st.dictionaries(st.integers(0, 9), st.booleans(), max_size=4))
def test_a_task_alone_has_the_posterior_of_the_whole_fit(rows: Rows, known: dict[int, bool]) -> None:
    """The figures computed when an annotation arrives equal the E-step of the fit for the same raters."""
    weights = {0: 0.5, 1: 0.0}
    got = fitted(rows, truths=known, weights=weights)
    raters = got.raters()
    for task, whole in got.posteriors().items():
        votes = [Vote(r, said, weights.get(r, 1.0)) for t, r, said in rows if t == task]
        if task in known:
            assert whole == (known[task], known[task], known[task])
        elif got.converged:
            alone = posterior_of(votes, raters, got.prior)
            assert list(alone) == pytest.approx(list(whole), abs=1e-10)


@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_every_figure_lies_in_its_interval(rows: Rows) -> None:
    got = fitted(rows)
    assert ((got.low >= 0) & (got.low <= got.posterior) & (got.posterior <= got.high) & (got.high <= 1)).all()
    for rater in got.raters().values():
        low, high = rater.sensitivity_interval
        assert 0 <= low <= rater.sensitivity <= high <= 1
        low, high = rater.specificity_interval
        assert 0 <= low <= rater.specificity <= high <= 1


def test_no_labels_fit_to_nothing() -> None:
    got = fitted([])
    assert (got.posteriors(), got.raters(), got.prior, got.converged) == ({}, {}, 0.5, True)
    assert fitted([], options=AS_CROWD_KIT).prior == 0.5


@pytest.mark.parametrize("options", [Options(), AS_CROWD_KIT])
@pytest.mark.parametrize("said", [True, False])
def test_one_label_of_one_rater_and_one_word_throughout_fit_without_trouble(options: Options, said: bool) -> None:
    one = fitted([(1, 1, said)], options=options)
    same = fitted([(task, rater, said) for task in range(5) for rater in range(3)], options=options)
    for got in (one, same):
        assert np.isfinite([got.low, got.posterior, got.high]).all()
        assert ((got.posterior > 0.5) == said).all()


@pytest.mark.parametrize(
    ("tasks", "raters", "labels", "weights", "sentence"),
    [
        ([1, 2], [1], [1, 0], {}, "one row per label"),
        ([1, 2], [1, 1], [1, 2], {}, "0 or 1"),
        ([1, 2], [1, 1], [1, 0], {1: 1.5}, "0..1"),
        ([1, 2], [1, 1], [1, 0], {1: math.nan}, "0..1"),
    ],
)
def test_malformed_labels_are_refused(
    tasks: list[int], raters: list[int], labels: list[int], weights: dict[int, float], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        fit(tasks, raters, labels, weights=weights)


# Known truths, weights, smoothing ------------------------------------------------------------------------------


def test_known_truths_stay_and_teach_but_do_not_bend_the_prior(crowd: Labelled) -> None:
    failures = np.flatnonzero(~crowd.truth)[:200]
    known = {int(task): False for task in failures}
    got = fit_of(crowd, truths=known)
    assert (got.posterior[failures] == 0).all()
    assert (got.high[failures] == 0).all()
    others = np.setdiff1d(np.arange(3000), failures)
    assert got.prior == pytest.approx(crowd.truth[others].mean(), abs=0.02)


def test_known_truths_teach_from_the_first_step_on() -> None:
    """A rater who said success ten times where failure was true is believed less from the start, before the fit."""
    rows = [(task, 1, True) for task in range(11)]
    first = Options(max_iterations=1)
    known = dict.fromkeys(range(10), False)
    taught, believed = fitted(rows, truths=known, options=first), fitted(rows, options=first)
    assert taught.posterior[10] < believed.posterior[10] - 0.2


def test_a_vote_of_no_weight_changes_nothing_and_half_a_vote_half(crowd: Labelled) -> None:
    silent = fit_of(crowd, weights={7: 0.0})
    kept = crowd.raters != 7
    without = fit(crowd.tasks[kept], crowd.raters[kept], crowd.labels[kept])
    assert silent.posterior == pytest.approx(without.posterior, abs=1e-9)
    assert silent.raters()[7] == unknown_rater()
    half, full = fit_of(crowd, weights={7: 0.5}), fit_of(crowd)
    votes = full.successes[7] + full.failures[7] - 2 * (SMOOTHING.right + SMOOTHING.wrong)
    assert half.successes[7] + half.failures[7] - 2 * (SMOOTHING.right + SMOOTHING.wrong) == pytest.approx(votes / 2)


def test_an_unknown_rater_has_the_rates_of_the_smoothing() -> None:
    got = unknown_rater(Smoothing(right=3, wrong=1))
    assert (got.sensitivity, got.specificity, got.successes, got.failures) == (0.75, 0.75, 4, 4)
    with pytest.raises(ValueError, match="nothing is known"):
        unknown_rater(NO_SMOOTHING)
    with pytest.raises(ValueError, match="3 times in 2"):
        rater_from_counts(3, 2, 0, 0)


def test_every_step_raises_the_log_posterior() -> None:
    """More steps never fit worse, by the likelihood with its Beta priors computed anew from the rates."""
    data = labelled(tasks=200, raters=12, each=3, seed=6)
    reached = [
        _log_posterior(data, fit_of(data, options=Options(max_iterations=n, tolerance=0.0))) for n in range(1, 30)
    ]
    assert (np.diff(reached) >= -1e-9).all()
    assert reached[-1] > reached[0]


def _log_posterior(data: Labelled, got: Fit) -> float:
    by_task = np.zeros((len(got.task_ids), 2))
    se, sp = got.sensitivity[data.raters], got.specificity[data.raters]
    np.add.at(by_task[:, 1], data.tasks, np.log(np.where(data.labels == 1, se, 1 - se)))
    np.add.at(by_task[:, 0], data.tasks, np.log(np.where(data.labels == 1, 1 - sp, sp)))
    likelihood = np.log(np.exp(by_task + np.log([1 - got.prior, got.prior])).sum(axis=1)).sum()
    rates = np.concatenate([got.sensitivity, got.specificity])
    added = SMOOTHING.right * np.log(rates).sum() + SMOOTHING.wrong * np.log(1 - rates).sum()
    return float(likelihood + added + SMOOTHING.prior * np.log(got.prior * (1 - got.prior)))


# How good it is ------------------------------------------------------------------------------------------------


def test_with_spammers_the_fit_beats_the_majority() -> None:
    data = labelled(tasks=20_000, raters=400, each=5, seed=1)
    got = fit_of(data)
    right, majority = float(((got.posterior > 0.5) == data.truth).mean()), float((data.majority() == data.truth).mean())
    # The best that anyone could do knows every rater's true rates; the majority leaves more than a percent to it.
    told = np.log(np.where(data.labels == 1, data.sensitivity[data.raters], 1 - data.sensitivity[data.raters]))
    told -= np.log(np.where(data.labels == 1, 1 - data.specificity[data.raters], data.specificity[data.raters]))
    best = float(((np.bincount(data.tasks, told) + math.log(0.6 / 0.4) > 0) == data.truth).mean())
    assert best > majority + 0.01
    assert best - 0.002 < right <= best + 0.001
    assert np.abs(got.sensitivity - data.sensitivity).mean() < 0.03
    assert got.prior == pytest.approx(data.truth.mean(), abs=0.01)


def test_intervals_of_skill_and_of_posteriors_cover() -> None:
    """Rates known by references alone, so that the counts are exact: both hold the truth nearly as often as 95 %."""
    draw = np.random.default_rng(12)
    skills = draw.uniform(0.75, 0.95, (400, 6))
    in_rates, in_posterior = 0, 0
    for skill in skills:
        counts = draw.binomial(40, skill)
        raters = {i: rater_from_counts(int(counts[i]), 40, int(counts[i + 3]), 40) for i in range(3)}
        in_rates += sum(
            raters[i].sensitivity_interval.low <= skill[i] <= raters[i].sensitivity_interval.high for i in range(3)
        )
        votes = [Vote(0, True), Vote(1, False), Vote(2, True)]
        true = {i: Rater(skill[i], skill[i + 3], 1e12, 1e12) for i in range(3)}
        got = posterior_of(votes, raters)
        in_posterior += got.low <= posterior_of(votes, true).value <= got.high
    assert in_rates / 1200 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 1200)
    assert in_posterior / 400 >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / 400)
    assert in_posterior < 400


def test_references_tell_skill_even_at_one_rating_per_task() -> None:
    """Each task has one label: without known truths skill cannot be told, with them it can."""
    data = labelled(tasks=8000, raters=20, each=1, spammers=0.0, seed=4)
    known = {task: bool(data.truth[task]) for task in range(0, 8000, 10)}

    def error(got: Fit) -> float:
        return float(np.abs(np.concatenate([got.sensitivity, got.specificity]) - skill).mean())

    skill = np.concatenate([data.sensitivity, data.specificity])
    taught, guessed = fit_of(data, truths=known), fit_of(data)
    assert (taught.overlap, guessed.overlap) == (800, 0)
    assert error(taught) < 0.04
    assert error(guessed) > 2 * error(taught)


def test_posteriors_are_calibrated() -> None:
    """Among tasks of posterior about p, a share of about p are successes."""
    data = labelled(tasks=20_000, raters=100, each=3, seed=5)
    got = fit_of(data)
    for low in (0.0, 0.1, 0.4, 0.6, 0.9):
        band = (got.posterior >= low) & (got.posterior < low + 0.1 + 1e-9)
        n, share = int(band.sum()), float(got.posterior[band].mean())
        assert n > 50
        assert data.truth[band].mean() == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / n) + 0.01)
