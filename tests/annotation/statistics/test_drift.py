"""Accuracy over time: windows against statsmodels, and the same path as the gate's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from annotation.statistics.drift import accuracy_windows, drift
from annotation.statistics.sequential import DRIFT_AT, Answered, SprtPlan, gate_decision, gate_path

PLAN = SprtPlan(0.9, 0.7)


@given(st.lists(st.booleans(), max_size=80), st.integers(1, 15))
def test_windows_cover_every_answer_once(rights: list[bool], size: int) -> None:
    windows = accuracy_windows(rights, size)
    assert [n for w in windows for n in range(w.first, w.last + 1)] == list(range(1, len(rights) + 1))
    for w in windows:
        part = rights[w.first - 1 : w.last]
        assert (w.right, w.share) == (sum(part), sum(part) / len(part))
        expected = proportion_confint(sum(part), len(part), method="wilson")
        assert (w.low, w.high) == pytest.approx(expected, abs=1e-9)
    assert all(w.last - w.first + 1 == size for w in windows[:-1])


def test_a_window_holds_something() -> None:
    with pytest.raises(ValueError, match="at least one"):
        accuracy_windows([True], 0)


def test_the_path_is_the_gates_and_the_heights_are_the_plans() -> None:
    draw = np.random.default_rng(3)
    skill = np.repeat([0.95, 0.5], [80, 60])
    answers = [Answered(n % 2 == 0, bool(right)) for n, right in enumerate(draw.random(140) < skill)]
    got = drift(answers, PLAN, 10, window=20)
    assert got.path == gate_path(answers, PLAN, 10)
    assert got.path.decision == gate_decision(answers, PLAN, 10)
    assert (got.pass_at, got.act_at, got.drift_at) == (PLAN.pass_at, PLAN.act_at, DRIFT_AT)
    assert got.path.decision.test == "cusum"
    assert 80 < got.path.decision.at_n < 110
    assert min(w.share for w in got.windows[:4]) > max(w.share for w in got.windows[4:])


def test_no_answers_have_no_drift() -> None:
    got = drift([], PLAN, 10)
    assert (got.windows, got.path.sprt, got.path.cusum) == ([], [], [])
