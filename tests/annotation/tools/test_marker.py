"""The marker as a pure tool: what it accepts, how it scores, what many answers come to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tools.marker.serializers import AnswerSerializer, TruthSerializer
from evaluation.marker import marker


def _answer(outcome: str, time_s: float) -> dict[str, Any]:
    return {"outcome": outcome, "frame": round(time_s * 10), "time_s": time_s}


@pytest.mark.parametrize(
    "answer",
    [
        *({"outcome": outcome, "frame": 7} for outcome in ("Success", None)),
        *({"outcome": "success", "frame": frame} for frame in (-1, 1.5, True, None)),
        {"outcome": "success"},
        {"outcome": "success", "frame": 7, "time_s": 1.0},
    ],
)
def test_an_answer_is_an_outcome_and_a_frame(answer: dict[str, Any]) -> None:
    assert AnswerSerializer(data={"outcome": "failure", "frame": 0}).is_valid()
    assert not AnswerSerializer(data=answer).is_valid()


@pytest.mark.parametrize(
    ("truth", "is_valid"),
    [
        *(({"outcome": "success", **moment}, True) for moment in ({}, {"frame": 3}, {"time_s": 0})),
        ({"outcome": "success", "time_s": -0.1}, False),
        ({"outcome": "success", "time_s": "inf"}, False),
        ({"outcome": "success", "frame": 3, "time_s": 0.3}, False),
        ({"frame": 3}, False),
    ],
)
def test_a_truth_may_name_a_moment_in_one_way(truth: dict[str, Any], is_valid: bool) -> None:
    assert TruthSerializer(data=truth).is_valid() == is_valid


@pytest.mark.parametrize(
    ("said_s", "true_s", "tolerance_s", "score"),
    [
        (3.0, None, 0.0, 1.0),
        (3.0, 3.0, 0.0, 1.0),
        (3.3, 3.0, 0.3, 1.0),  # 0.2999… and 0.3000…: rounding must not decide
        (2.7, 3.0, 0.3, 1.0),
        (3.301, 3.0, 0.3, 0.0),
        (4.0, 3.0, None, 1.0),
        (4.001, 3.0, None, 0.0),
    ],
)
def test_the_time_counts_within_its_tolerance(
    said_s: float, true_s: float | None, tolerance_s: float | None, score: float
) -> None:
    truth = {"outcome": "success", "time_s": true_s}
    assert marker.score(_answer("success", said_s), truth, tolerance_s) == score
    assert marker.score(_answer("failure", said_s), truth, tolerance_s) == 0.0


def test_success_is_the_positive_class() -> None:
    assert [marker.verdict({"outcome": outcome}) for outcome in ("success", "failure", None)] == [True, False, None]
    assert marker.agree(_answer("success", 1), _answer("success", 9)) == 1.0
    assert marker.agree(_answer("success", 1), _answer("failure", 1)) == 0.0


def test_a_tie_has_no_outcome_and_no_frame() -> None:
    nothing = {"outcome": None, "frame": None, "time_s": None}
    assert marker.merge([_answer("success", 3), _answer("failure", 1)]) == (nothing, 0.5)
    assert marker.bare(None) == nothing
    assert marker.bare(False) == nothing | {"outcome": "failure"}


SAID = st.lists(
    st.tuples(st.sampled_from(["success", "failure"]), st.integers(0, 30), st.integers(1, 8)), min_size=1, max_size=9
)


@given(SAID, st.sampled_from([0.5, 0.1, 1.0]))
def test_a_weight_is_worth_as_many_answers(said: list[tuple[str, int, int]], unit: float) -> None:
    """An answer of weight 3 counts as three equal ones: for the outcome, and for the lower median of the frames."""
    answers = [_answer(outcome, at) for outcome, at, _ in said]
    repeated = [_answer(outcome, at) for outcome, at, times in said for _ in range(times)]
    weighted = marker.merge(answers, [times * unit for _, _, times in said])
    assert weighted.answer == marker.merge(repeated).answer
    assert weighted.confidence == pytest.approx(marker.merge(repeated).confidence)


@given(SAID)
def test_the_lower_median_is_a_frame_that_a_winner_marked(said: list[tuple[str, int, int]]) -> None:
    merged = marker.merge([_answer(outcome, at) for outcome, at, _ in said])
    frames = sorted(at for outcome, at, _ in said if outcome == merged.answer["outcome"])
    if merged.answer["outcome"] is not None:
        assert merged.answer["frame"] == _answer("success", frames[(len(frames) - 1) // 2])["frame"]


def test_an_answer_of_no_weight_is_not_heard() -> None:
    answers = [_answer("success", 1), _answer("success", 9), _answer("failure", 5)]
    assert marker.merge(answers, [0.0, 1.0, 0.0]) == (_answer("success", 9), 1.0)
