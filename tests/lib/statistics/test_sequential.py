"""The gate: Wald's test and Page's CUSUM as computed, and their errors by simulation on any mix of references."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.statistics.sequential import (
    DRIFT_AT,
    Answered,
    SprtPlan,
    balanced_cusum,
    balanced_llr,
    cusum,
    gate_path,
    plain_path,
    plan_for,
)

NEAR = 1e-9
PLAN = SprtPlan(good=0.9, bad=0.7)
RUNS = 4000
"""Simulated workers; four standard errors of a share p are then 4 sqrt(p(1-p)/4000), .014 at p = .05."""

ANSWERS = st.lists(st.builds(Answered, st.booleans(), st.booleans()), max_size=60)


def slack(p: float, runs: int = RUNS) -> float:
    """Four standard errors: a right program fails once in 16 000 seeds."""
    return float(4 * np.sqrt(p * (1 - p) / runs))


class Outcomes:
    """The decisions of the first test about many workers of one kind; shares and mean length."""

    def __init__(
        self, sensitivity: float, specificity: float, successes: float, *, minimum_n: int = 10, seed: int = 1
    ) -> None:
        draw = np.random.default_rng(seed)
        truth = draw.random((RUNS, 300)) < successes
        right = draw.random((RUNS, 300)) < np.where(truth, sensitivity, specificity)
        llr = balanced_llr(truth, right, PLAN)
        enough = np.arange(1, 301) >= minimum_n
        acted, passed = self._first((llr >= PLAN.act_at) & enough), self._first(llr <= PLAN.pass_at)
        self.acted = float((acted < passed).mean())
        self.passed = float((passed < acted).mean())
        self.length = float(np.minimum(acted, passed).mean())
        self.truth, self.right, self.acts = truth, right, acted < passed

    @staticmethod
    def _first(reached: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 10_000).astype(np.int64)


def alternating(rights: list[bool]) -> list[Answered]:
    return [Answered(n % 2 == 0, right) for n, right in enumerate(rights)]


# As computed -------------------------------------------------------------------------------------------------


def test_increments_and_bounds_agree_with_the_computed_ones(computed: dict[str, Any]) -> None:
    group = computed["sprt_gold"]
    params = group["params"]
    plan = SprtPlan(params["acc_good"], params["acc_bad"], params["alpha"], params["beta"]).checked()
    assert (plan.right, plan.wrong) == pytest.approx((group["inc_correct"], group["inc_wrong"]), abs=NEAR)
    assert (plan.act_at, plan.pass_at) == pytest.approx((group["ban_at"], group["pass_at"]), abs=NEAR)


def test_every_computed_path_is_decided_as_computed(computed: dict[str, Any]) -> None:
    paths = computed["sprt_gold"]["paths"]
    assert len(paths) == 5
    for path in paths:
        got = plain_path([answer == "C" for answer in path["answers"]], PLAN)
        state = {"ban": "act", "continue": "continue", "pass": "pass"}[path["decision"]]
        assert (got.decision.state, got.decision.at_n) == (state, path["at_n"]), path
        assert got.sprt[-1] == pytest.approx(path["llr"], abs=NEAR)
        assert got.passed_at == (path["at_n"] if state == "pass" else None)


@pytest.mark.parametrize(
    ("below", "alpha", "beta", "words"),
    [
        *((below, 0.05, 0.05, "good < 1") for below in (0.0, 1.0, -0.5, 1.5)),
        *((0.7, rate, 0.05, "error rates") for rate in (0.0, 0.5, -0.1, 1.0)),
        *((0.7, 0.05, rate, "error rates") for rate in (0.0, 0.5, -0.1, 1.0)),
    ],
)
def test_a_plan_needs_an_accuracy_and_error_rates(below: float, alpha: float, beta: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        plan_for(below, alpha=alpha, beta=beta)


def test_the_plan_for_a_limit_has_its_good_two_thirds_of_the_way_up_and_bounds_by_its_error_rates() -> None:
    plan = plan_for(0.7, alpha=0.01, beta=0.2)
    assert plan._asdict() == pytest.approx({"good": 0.9, "bad": 0.7, "alpha": 0.01, "beta": 0.2})
    assert (plan.act_at, plan.pass_at) == pytest.approx((np.log(0.8 / 0.01), np.log(0.2 / 0.99)))


# The statistic -----------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(ANSWERS)
def test_with_equal_classes_the_statistic_is_the_plain_one(answers: list[Answered]) -> None:
    truth, right = [a.truth for a in answers], [a.right for a in answers]
    balanced = balanced_llr(truth, right, PLAN)
    plain = np.cumsum(np.where(np.array(right, dtype=bool), PLAN.right, PLAN.wrong))
    for n in range(1, len(answers) + 1):
        if 2 * sum(truth[:n]) == n:
            assert balanced[n - 1] == pytest.approx(plain[n - 1], abs=NEAR)


@settings(max_examples=100)
@given(ANSWERS)
def test_the_statistic_knows_no_names_of_classes(answers: list[Answered]) -> None:
    truth, right = np.array([a.truth for a in answers], dtype=bool), [a.right for a in answers]
    assert balanced_llr(truth, right, PLAN) == pytest.approx(balanced_llr(~truth, right, PLAN), abs=NEAR)
    assert balanced_cusum(truth, right, PLAN) == pytest.approx(balanced_cusum(~truth, right, PLAN), abs=NEAR)


@settings(max_examples=100)
@given(ANSWERS)
def test_the_statistic_falls_if_a_wrong_answer_were_right(answers: list[Answered]) -> None:
    truth, right = [a.truth for a in answers], [a.right for a in answers]
    before = balanced_llr(truth, right, PLAN)
    for n, was in enumerate(right):
        if not was:
            better = [*right[:n], True, *right[n + 1 :]]
            assert (balanced_llr(truth, better, PLAN) <= before + NEAR).all()


def test_many_easy_successes_do_not_outweigh_the_failures() -> None:
    """A clicker who always says success, on 30 successes and 6 failures: 83 % right, half right by class."""
    answers = [Answered(truth=n % 6 != 5, right=n % 6 != 5) for n in range(36)]
    assert plain_path([a.right for a in answers], PLAN).decision.state != "act"
    got = gate_path(answers, PLAN, 10).decision
    assert (got.state, got.test) == ("act", "sprt")


def test_a_worker_who_is_always_wrong_is_found_on_one_class_alone() -> None:
    for truth in (True, False):
        got = gate_path([Answered(truth, False)] * 12, PLAN, 10).decision
        assert (got.state, got.at_n) == ("act", 10)
    assert gate_path([Answered(True, True)] * 500, PLAN, 10).decision.state == "continue", "nobody passes on one class"


# The decision ------------------------------------------------------------------------------------------------


def test_nothing_is_decided_of_no_answers() -> None:
    assert gate_path([], PLAN, 5) == ([], None, [], ("continue", 0.0, 0, "sprt"))


def test_a_bound_reached_early_counts_when_it_still_holds_at_the_minimum() -> None:
    wrong = alternating([False] * 4)
    assert gate_path(wrong, PLAN, 4).decision.state == "act"
    assert gate_path(wrong, PLAN, 5).decision.state == "continue"
    still = gate_path(wrong + alternating([False]), PLAN, 5).decision
    assert (still.state, still.at_n) == ("act", 5)


def test_a_bound_reached_early_is_forgiven_when_it_no_longer_holds_at_the_minimum() -> None:
    answers = alternating([False] * 4 + [True] * 16)
    llr = balanced_llr([a.truth for a in answers], [a.right for a in answers], PLAN)
    assert llr[3] >= PLAN.act_at
    assert gate_path(answers, PLAN, 20).decision.state == "continue"
    assert gate_path(answers, PLAN, 4).decision.state == "act"


def test_a_pass_needs_no_minimum_and_starts_the_watch() -> None:
    path = gate_path(alternating([True] * 14), PLAN, 100)
    assert (path.passed_at, path.decision.state, path.decision.test) == (12, "pass", "cusum")
    assert (len(path.sprt), path.cusum) == (12, [0.0, 0.0])
    assert path.decision == ("pass", 0.0, 12, "cusum")


def test_a_worker_who_passes_and_then_guesses_is_found_by_the_watch() -> None:
    answers = alternating([True] * 12 + [False] * 12)
    path = gate_path(answers, PLAN, 10)
    got = path.decision
    assert (len(path.sprt), len(path.cusum)) == (12, 5)
    # Five wrong answers of 1.0986 pass 5.0; equal classes at each second answer, so the weights are near 1.
    assert (got.state, got.test, got.at_n) == ("act", "cusum", 17)
    assert got.llr >= DRIFT_AT
    assert gate_path(answers, PLAN, 20).decision.at_n == 20
    assert gate_path(answers[:16], PLAN, 10).decision.state == "pass"


@settings(max_examples=100)
@given(ANSWERS, st.integers(1, 30))
def test_an_act_is_final_and_none_comes_before_the_minimum(answers: list[Answered], minimum: int) -> None:
    path = gate_path(answers, PLAN, minimum)
    got = path.decision
    if got.state == "act":
        assert got.at_n >= minimum
        assert got == gate_path(answers + [Answered(True, True)] * 50, PLAN, minimum).decision
        assert gate_path(answers[: got.at_n - 1], PLAN, minimum).decision.state != "act"
    assert len(path.sprt) + len(path.cusum) == (got.at_n if got.state == "act" else len(answers))


@settings(max_examples=100)
@given(st.lists(st.floats(-5, 5), max_size=50))
def test_the_watch_is_the_recursion_of_page(steps: list[float]) -> None:
    level, expected = 0.0, []
    for step in steps:
        level = max(0.0, level + step)
        expected.append(level)
    assert cusum(steps).tolist() == pytest.approx(expected, abs=NEAR)


# Errors by simulation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("successes", [0.5, 0.8])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.9, 0.9), (0.8, 1.0), (1.0, 0.8), (0.95, 0.85)])
def test_good_workers_are_acted_on_at_most_at_the_stated_rate(
    sensitivity: float, specificity: float, successes: float
) -> None:
    got = Outcomes(sensitivity, specificity, successes)
    assert got.acted <= PLAN.alpha + slack(PLAN.alpha)
    assert got.passed >= 0.9


@pytest.mark.parametrize("successes", [0.5, 0.8])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.7, 0.7), (0.95, 0.4), (0.4, 0.95), (1.0, 0.0), (0.5, 0.5)])
def test_bad_workers_pass_at_most_at_the_stated_rate(sensitivity: float, specificity: float, successes: float) -> None:
    got = Outcomes(sensitivity, specificity, successes)
    assert got.passed <= PLAN.beta + slack(PLAN.beta)
    assert got.acted >= 0.9


@pytest.mark.parametrize(
    ("accuracy", "acted", "length"), [(0.5, 0.9995, 8.0), (0.6, 0.9958, 11.7), (0.9, 0.034, 24.6), (0.95, 0.002, 16.6)]
)
def test_on_even_references_it_behaves_like_the_test_of_the_books(accuracy: float, acted: float, length: float) -> None:
    """Wald's test, measured with 20 000 runs: how many are acted on, after how many answers on average.

    Classes that are even only by chance cost some answers: a fifth more than the plain test is what is allowed here.
    """
    got = Outcomes(accuracy, accuracy, 0.5, minimum_n=1)
    assert got.acted == pytest.approx(acted, abs=slack(max(acted, 0.05)) + 0.005)
    assert length * 0.98 <= got.length <= length * 1.25


def test_the_decision_agrees_with_the_simulation() -> None:
    got = Outcomes(0.8, 0.8, 0.6)
    for worker in range(150):
        answers = [Answered(bool(t), bool(r)) for t, r in zip(got.truth[worker], got.right[worker], strict=True)]
        decision = gate_path(answers, PLAN, 10, drift_at=1e9).decision
        assert (decision.state == "act") == got.acts[worker]


@pytest.mark.parametrize(("accuracy", "mean"), [(0.5, 12), (0.7, 29), (0.8, 88)])
def test_drift_is_found_about_as_fast_as_measured(accuracy: float, mean: float) -> None:
    """Mean run lengths at height 5, measured for the plain CUSUM; classes that are even by chance cost some answers."""
    draw = np.random.default_rng(8)
    lengths = []
    for _ in range(400):
        truth = draw.random(1000) < 0.5
        # Forty answers before the change: the classes' counts are known by then.
        right = np.concatenate([np.ones(40, dtype=bool), draw.random(960) < accuracy])
        reached = balanced_cusum(truth, right, PLAN)[40:] >= DRIFT_AT
        lengths.append(int(reached.argmax()) + 1 if reached.any() else 960)
    assert mean * 0.85 <= np.mean(lengths) <= mean * 1.3


def test_good_workers_are_rarely_taken_for_drifters() -> None:
    """One false alarm in 1987 answers on average: of workers watched for 200 answers about a tenth has one."""
    draw = np.random.default_rng(9)
    alarms = 0
    for _ in range(600):
        alarms += bool((balanced_cusum(draw.random(200) < 0.5, draw.random(200) < 0.9, PLAN) >= DRIFT_AT).any())
    expected = 1 - np.exp(-200 / 1987)
    assert alarms / 600 <= expected + slack(expected, 600)
    assert alarms > 0
