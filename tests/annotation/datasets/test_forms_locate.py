"""Words where spans belong are found in their command, or left for the grammar to refuse."""

from typing import Any

import pytest

from annotation.datasets.forms_locate import located, places_of
from tests.support.tool_workers import form_of


@pytest.mark.parametrize(
    ("words", "text", "places"),
    [
        ("house", "build a house", [(2, 2)]),
        ("House", "build a house!", [(2, 2)]),
        ("hole", "dig two holes", [(2, 2)]),
        ("wolf", "spawn wolves", [(1, 1)]),
        ("dig", "resume digging", [(1, 1)]),
        ("red block", "the red blocks and a red block", [(5, 6)]),
        ("cube", "a cube on a cube", [(1, 1), (4, 4)]),
        ("&", "this & that", [(1, 1)]),
        ("us", "use it", []),
        ("tower", "build a house", []),
        ("", "build a house", []),
    ],
)
def test_where_words_stand(words: str, text: str, places: list[tuple[int, int]]) -> None:
    assert places_of(words, text.split()) == places


def said(**slots: Any) -> Any:
    form = form_of(**dict.fromkeys(slots, 0))
    clauses = form["event_sequence"][0]["schematic"]["filters"]["where_clause"]["AND"]
    for clause, value in zip(clauses, slots.values(), strict=True):
        clause["obj_text"] = value
    return form


def test_words_become_spans_and_the_reason_says_where() -> None:
    found, changes = located(
        said(has_name="red cube", has_size="big"), ["a", "big", "red", "cube", "on", "a", "big", "cube"]
    )
    assert found == said(has_name=[0, [2, 3]], has_size=[0, [1, 1]])
    assert [change.reason for change in changes] == [
        "“red cube” are the words 2 to 3 of the command.",
        "“big” is word 1 of the command; there are 2 such places, and the first is taken.",
    ]


def test_a_word_that_the_command_has_not_is_a_fixed_value_where_one_may_stand() -> None:
    found, changes = located(said(has_tag="SELF"), ["you"])
    assert found == said(has_tag={"fixed_value": "SELF"})
    assert [change.reason for change in changes] == ["“SELF” is a fixed_value."]
    undo = {
        "dialogue_type": "HUMAN_GIVE_COMMAND",
        "event_sequence": [{"action_type": "STOP", "target_action_type": "dance"}],
    }
    assert located(undo, ["stop"]) == (undo, [])


def test_a_valid_form_is_left_unchanged() -> None:
    form = form_of(has_name=2)
    assert located(form, ["build", "a", "house"]) == (form, [])
