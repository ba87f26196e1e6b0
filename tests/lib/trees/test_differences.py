"""Differences of two trees: none if they mean the same, otherwise each change once, with before and after."""

from typing import Any

import pytest
from hypothesis import given

from lib.trees.differences import Difference, by_node, compare
from lib.trees.parser import read_tree
from tests.support.trees import SMALL, changed, valid_trees

BEFORE = read_tree(SMALL)


def _told(pointer: str, value: Any) -> list[Difference]:
    return compare(BEFORE, read_tree(changed(SMALL, pointer, value)))


@given(valid_trees(), valid_trees())
def test_there_is_a_difference_exactly_where_two_trees_do_not_mean_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    before, after = read_tree(one), read_tree(other)
    assert bool(compare(before, after)) == (before.as_json() != after.as_json())
    assert compare(before, before) == []


@pytest.mark.parametrize(
    ("pointer", "value", "sentence", "old", "new"),
    [
        ("#/title", "Other", "The title is another.", "Small", "Other"),
        ("#/nodes/done/ask", "Was it done?", "It is asked in other words.", "Did it?", "Was it done?"),
        ("#/nodes/seen/help", ..., "The line below it is gone.", "It flashes.", ""),
        ("#/nodes/done/help", "All of it?", "There is a line below it now.", "", "All of it?"),
        ("#/nodes/seen/help", "See?", "The line below it is another.", "It flashes.", "See?"),
        (
            "#/nodes/done/show",
            "parse",
            "Something else stands beside it.",
            "nothing beside it",
            "what the assistant understood, in words",
        ),
        (
            "#/nodes/seen/when",
            {"path": "parse", "op": "exists"},
            "It is asked under another condition.",
            "only if objects.0.voxels is there (objects.0.voxels exists)",
            "only if the assistant told what it understood (parse exists)",
        ),
        ("#/nodes/why/choices/0/label", "Badly", "Answer 1 says something else.", "Bad", "Badly"),
        (
            "#/nodes/why/choices/0/outcome",
            "agent_error",
            "Answer 1, “Bad”, leads elsewhere.",
            "task_error",
            "agent_error",
        ),
        (
            "#/nodes/why/choices/0/text",
            True,
            "Answer 1, “Bad”, asks for words now.",
            "task_error",
            "task_error, in the worker’s own words",
        ),
        (
            "#/nodes/why/choices/1/text",
            False,
            "Answer 2, “Other”, asks for no words any more.",
            "other_error, in the worker’s own words",
            "other_error",
        ),
        (
            "#/nodes/seen/choices/0",
            {"label": "Yes", "outcome": "ok"},
            "Answer 1, “Yes”, leads elsewhere.",
            "the question why",
            "ok",
        ),
    ],
)
def test_a_change_is_described_in_a_sentence(pointer: str, value: Any, sentence: str, old: str, new: str) -> None:
    (one,) = _told(pointer, value)
    assert one.sentence == sentence
    assert (one.old, one.new) == (old, new)
    assert one.node == ("" if pointer == "#/title" else pointer.split("/")[2])


def test_a_condition_of_another_value_is_another() -> None:
    when = {"path": "status", "op": "eq", "value": 1}
    before = read_tree(changed(SMALL, "#/nodes/seen/when", when))
    after = read_tree(changed(SMALL, "#/nodes/seen/when", {**when, "value": True}))
    (one,) = compare(before, after)
    assert one.old != one.new


def test_an_answer_that_comes_between_moves_no_other() -> None:
    choices = SMALL["nodes"]["why"]["choices"]
    added = [choices[0], {"label": "Slow", "outcome": "too_slow"}, choices[1]]
    assert _told("#/nodes/why/choices", added) == [
        Difference("why", "added", "Answer 2 is new.", "", "Slow → too_slow")
    ]
    before = read_tree(changed(SMALL, "#/nodes/why/choices", added))
    assert compare(before, BEFORE) == [Difference("why", "removed", "Answer 2 is gone.", "Slow → too_slow", "")]


def test_another_first_question_is_a_difference() -> None:
    nodes = {name: node for name, node in SMALL["nodes"].items() if name != "done"}
    first, *_ = compare(BEFORE, read_tree({**SMALL, "start": "seen", "nodes": nodes}))
    assert first == Difference("", "changed", "Another question comes first.", "done", "seen")


def test_answers_that_change_places_are_differences() -> None:
    turned = SMALL["nodes"]["why"]["choices"][::-1]
    assert {one.kind for one in _told("#/nodes/why/choices", turned)} == {"added", "removed"}


def test_a_new_question_is_described_whole_with_the_answer_that_leads_to_it() -> None:
    content = changed(SMALL, "#/nodes/why/choices/0", {"label": "Bad", "next": "how"})
    content["nodes"]["how"] = {
        "ask": "How?",
        "help": "In short.",
        "show": "parse",
        "when": {"path": "parse", "op": "exists"},
        "else": "end",
        "choices": [{"label": "So", "outcome": "ok"}],
    }
    content["nodes"]["end"] = {"ask": "End?", "choices": [{"label": "So", "outcome": "ok"}]}
    found = by_node(compare(BEFORE, read_tree(content)))
    assert [(one.node, one.kind) for one in found] == [("why", "changed"), ("how", "added"), ("end", "added")]
    assert found[1].differences[0].new.split("\n") == [
        "How?",
        "In short.",
        "Shows what the assistant understood, in words.",
        "Asked only if the assistant told what it understood (parse exists), otherwise end.",
        "1. So → ok",
    ]
    assert [one.kind for one in by_node(compare(read_tree(content), BEFORE))] == ["changed", "removed", "removed"]
