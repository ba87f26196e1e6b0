"""Trees as text: read again they are the same, questions stand in their order, and each place has its line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.trees.graph import edges_of
from lib.trees.parser import read_tree
from lib.trees.shipped import SHIPPED, shipped_tree
from lib.trees.text import Lines, in_order, written
from tests.support.trees import pointers_in, valid_trees

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(valid_trees())
def test_a_tree_that_is_written_is_read_as_the_same(content: dict[str, Any]) -> None:
    tree = read_tree(content)
    assert read_tree(json.loads(written(tree))) == tree


@given(valid_trees())
def test_every_question_stands_after_all_that_lead_to_it(content: dict[str, Any]) -> None:
    tree = read_tree(content)
    names = [node.name for node in in_order(tree)]
    assert sorted(names) == sorted(tree.nodes)
    assert names[0] == tree.start
    for name, ways in edges_of(tree).items():
        assert all(names.index(name) < names.index(edge.target) for edge in ways)


@pytest.mark.parametrize("slug", SHIPPED)
def test_the_shipped_trees_are_written_as_they_are_kept(slug: str) -> None:
    tree = read_tree(shipped_tree(slug))
    assert [node.name for node in in_order(tree)] == list(tree.nodes)
    assert list(json.loads(written(tree))["nodes"]) == list(shipped_tree(slug)["nodes"])


@given(ANY_JSON, st.sampled_from([None, 1, 4]))
def test_each_place_of_any_json_has_its_line(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    lines = Lines(text)
    assert lines.twice == []
    for pointer in pointers_in(value):
        line = text.split("\n")[lines.of(pointer) - 1]
        if indent is None:
            assert lines.of(pointer) == 1
        name = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        if isinstance(_parent(value, pointer), dict):
            assert json.dumps(name, ensure_ascii=False) in line
    in_turn = [lines.of(pointer) for pointer in pointers_in(value)]
    assert in_turn == sorted(in_turn), "what comes later in the text has no earlier line"
    if indent is not None and isinstance(value, list | dict):
        assert len({lines.of(pointer) for pointer in pointers_in(value)}) == len(pointers_in(value))


def _parent(value: Any, pointer: str) -> Any:
    if pointer == "#":
        return None
    for word in pointer.split("/")[1:-1]:
        value = value[int(word)] if isinstance(value, list) else value[word.replace("~1", "/").replace("~0", "~")]
    return value


def test_a_place_that_is_not_there_is_where_it_would_stand() -> None:
    lines = Lines('{\n"nodes": {\n "done": {\n  "ask": "?"}}}')
    assert lines.of("#/nodes/done/choices/0/label") == 3
    assert lines.of("#/title") == 1


def test_a_repeated_name_is_listed() -> None:
    lines = Lines('{"a": 1,\n"b": [{"c": 1,\n"c": 2}, {"c": 3}],\n"a": 2}')
    assert lines.twice == ["#/b/0/c", "#/a"]
    assert (lines.of("#/b/0/c"), lines.of("#/a")) == (3, 4)
    signs = Lines('{"a": "{[,:\\"\\\\",\n"b": "x"}')
    assert (signs.of("#/b"), signs.twice) == (2, [])
