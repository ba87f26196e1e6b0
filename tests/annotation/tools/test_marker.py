"""The marker as a pure tool: what it accepts, how it scores, what many answers come to."""

from typing import Any

import pytest

from annotation.tools import tool_named, tool_names
from annotation.tools.marker import AnswerSerializer, Marker, TruthSerializer

marker = Marker()


def _answer(outcome: str, time_s: float) -> dict[str, Any]:
    return {"outcome": outcome, "frame": round(time_s * 10), "time_s": time_s}


def test_it_is_registered_under_its_name() -> None:
    assert tool_named("marker").name == "marker"
    assert "marker" in tool_names()


@pytest.mark.parametrize(
    ("answer", "is_valid"),
    [
        ({"outcome": "success", "frame": 0}, True),
        ({"outcome": "failure", "frame": 7}, True),
        ({"outcome": "Success", "frame": 7}, False),
        ({"outcome": None, "frame": 7}, False),
        ({"outcome": "success", "frame": -1}, False),
        ({"outcome": "success", "frame": 1.5}, False),
        ({"outcome": "success", "frame": True}, False),
        ({"outcome": "success", "frame": None}, False),
        ({"outcome": "success"}, False),
        ({"outcome": "success", "frame": 7, "time_s": 1.0}, False),
    ],
)
def test_an_answer_is_an_outcome_and_a_frame(answer: dict[str, Any], is_valid: bool) -> None:
    assert AnswerSerializer(data=answer).is_valid() == is_valid


@pytest.mark.parametrize(
    ("truth", "is_valid"),
    [
        ({"outcome": "success"}, True),
        ({"outcome": "success", "frame": 3}, True),
        ({"outcome": "success", "time_s": 0}, True),
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


def test_the_common_answer_does_not_depend_on_the_order() -> None:
    answers = [_answer("success", 3), _answer("failure", 1), _answer("success", 2), _answer("success", 9)]
    assert marker.merge(answers) == marker.merge(answers[::-1])
    assert marker.merge(answers).answer == _answer("success", 3)
