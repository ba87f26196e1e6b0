"""A form that is known of one command is said of another that says the same."""

from typing import Any

import pytest

from lib.logical_form.realign import moved


@pytest.mark.parametrize(
    ("of", "to", "span", "there"),
    [
        ("build a cube", "build a cube", [0, [2, 2]], [0, [2, 2]]),
        ("build a cube", "Build , a cube !", [0, [1, 2]], [0, [2, 3]]),
        ("Build , a cube !", "build a cube", [0, [1, 4]], [0, [1, 2]]),
        ("tag it, red and blue", "tag it , red and blue", [0, [[0, 0], [2, 4]]], [0, [[0, 0], [3, 5]]]),
        ("go to the left-hand side", "go to the left-hand side .", [0, [3, 4]], [0, [3, 4]]),
    ],
)
def test_words_are_found_at_their_places(of: str, to: str, span: Any, there: Any) -> None:
    form = {"a": [{"text_span": span}], "b": "build", "c": 3}
    assert moved(form, of=of, to=to) == {"a": [{"text_span": there}], "b": "build", "c": 3}


@pytest.mark.parametrize(
    ("of", "to", "span"),
    [
        ("build it", "dig it", [0, [0, 0]]),
        ("build , it", "build it", [0, [1, 1]]),
        ("build it .", "build it", [0, [7, 9]]),
    ],
)
def test_words_that_are_not_there_have_no_place(of: str, to: str, span: Any) -> None:
    assert moved({"text_span": span}, of=of, to=to) is None
