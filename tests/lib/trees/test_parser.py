"""Reading a tree: what is taken, and a pointer to each fault of what is not."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.trees.parser import NotATree, read_tree
from tests.support.trees import FACTS, SMALL, changed, ends, valid_trees

YES = {"label": "Yes", "outcome": "ok"}
WORDS = st.sampled_from(
    ["title", "start", "nodes", "ask", "show", "when", "else", "choices", "next", "outcome", "path", "op"]
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just("done"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.just("done"), inner, max_size=4),
    max_leaves=8,
)


def _faults(content: Any) -> dict[str, str]:
    with pytest.raises(NotATree) as error:
        read_tree(content)
    found = {fault.pointer: fault.detail for fault in error.value.faults}
    assert len(found) == len(error.value.faults), "each place is named once"
    assert all(detail.endswith(".") for detail in found.values())
    return found


def _changed(pointer: str, value: Any) -> dict[str, Any]:
    return changed(SMALL, pointer, value)


def test_defaults_spelled_out_mean_the_same() -> None:
    spelled = _changed("#/nodes/why/help", "")
    spelled["nodes"]["why"]["show"] = None
    spelled["nodes"]["why"]["choices"][0].pop("text")
    spelled["nodes"]["seen"]["when"]["value"] = True
    assert read_tree(spelled).as_json() == read_tree(SMALL).as_json()


@given(valid_trees(), st.data())
def test_any_json_in_a_tree_is_refused_or_walks_to_an_end(content: dict[str, Any], data: st.DataObject) -> None:
    spoilt = deepcopy(content)
    inner: Any = spoilt
    while True:
        key = data.draw(st.sampled_from(list(inner) if isinstance(inner, dict) else list(range(len(inner)))))
        if not isinstance(inner[key], dict | list) or not inner[key] or data.draw(st.booleans()):
            break
        inner = inner[key]
    inner[key] = data.draw(ANY_JSON)
    try:
        tree = read_tree(spoilt)
    except NotATree:
        return
    for facts in FACTS:
        assert ends(tree, facts)


LONG = "x" * 501
# Values that one place of SMALL cannot have; the fault names the place.
FAULTS: dict[str, list[Any]] = {
    "#/title": [..., "", 3, LONG],
    "#/colour": ["red"],
    "#/slug": ["t"],
    "#/start": [..., "nowhere", None],
    "#/nodes/why": [[]],
    "#/nodes/done/ask": [..., "  ", LONG, ["?"]],
    "#/nodes/done/help": [LONG, None],
    "#/nodes/done/show": ["scene", False, ["parse"]],
    "#/nodes/done/asks": ["?"],
    "#/nodes/done/else": ["why"],
    "#/nodes/seen/else": [..., "nowhere", None, "seen", "done"],
    "#/nodes/seen/when": ["objects"],
    "#/nodes/seen/when/why": [1],
    "#/nodes/seen/when/path": [..., "", "objects..voxels", "weather.0", 7, "parse." + "x" * 200],
    "#/nodes/seen/when/op": [..., "gt", {}],
    "#/nodes/seen/when/value": [1, None],
    "#/nodes/why/choices": [..., {}, [], [YES] * 10],
    "#/nodes/why/choices/0": ["Yes", {"label": "Yes"}],
    "#/nodes/seen/choices/0": [{"label": "Yes", "next": "why", "outcome": "ok"}],
    "#/nodes/why/choices/0/label": [" ", LONG],
    "#/nodes/why/choices/0/hint": ["x"],
    "#/nodes/why/choices/0/outcome": ["Not A Slug", "ok\n", None, "x" * 64],
    "#/nodes/why/choices/0/text": ["yes", 1],
    "#/nodes/seen/choices/0/text": [True, False],
    "#/nodes/seen/choices/0/next": ["nowhere", 3, "seen", "done"],
    "#/nodes/alone": [{"ask": "?", "choices": [YES]}],
}
WHEN = "#/nodes/seen/when"
# The fault is below or beside the place that was changed.
FAULTS_ELSEWHERE: list[tuple[str, Any, str]] = [
    ("#/a~b", 1, "#/a~0b"),
    *((f"{WHEN}/op", op, f"{WHEN}/value") for op in ("eq", "in")),
    (WHEN, {"path": "status", "op": "in", "value": "done"}, f"{WHEN}/value"),
    (WHEN, {"path": "status", "op": "eq", "value": "x" * 2001}, f"{WHEN}/value"),
    ("#/nodes/why/choices/0", {"outcome": "ok"}, "#/nodes/why/choices/0/label"),
    ("#/nodes/why/choices/0", {"label": "Again", "next": "done"}, "#/nodes/why/choices/0/next"),
]


@pytest.mark.parametrize(
    ("pointer", "value", "named"),
    [*((pointer, value, pointer) for pointer, values in FAULTS.items() for value in values), *FAULTS_ELSEWHERE],
)
def test_a_fault_is_pointed_at(pointer: str, value: Any, named: str) -> None:
    assert list(_faults(_changed(pointer, value))) == [named]


@pytest.mark.parametrize("content", [None, [], "tree", 3])
def test_only_an_object_is_a_tree(content: Any) -> None:
    assert "#" in _faults(content)


@pytest.mark.parametrize("nodes", [[], "done", None, {}, {f"n{n}": {"ask": "?", "choices": [YES]} for n in range(101)}])
def test_there_are_1_to_100_nodes(nodes: Any) -> None:
    assert list(_faults({"title": "T", "start": "n0", "nodes": nodes})) == ["#/nodes"]


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 129])
def test_a_node_has_a_name_that_can_be_sent_back(name: str) -> None:
    pointer = "#/nodes/" + name.replace("/", "~1")
    faults = _faults({"title": "T", "start": name, "nodes": {name: {"ask": "?", "choices": [YES]}}})
    assert list(faults) == [pointer]


def test_every_circle_is_named_where_it_closes() -> None:
    nodes = {
        "a": {"ask": "?", "choices": [{"label": "1", "next": "b"}, {"label": "2", "next": "c"}]},
        "b": {"ask": "?", "choices": [{"label": "1", "next": "a"}]},
        "c": {
            "ask": "?",
            "when": {"path": "parse", "op": "exists"},
            "else": "a",
            "choices": [{"label": "1", "next": "c"}, YES],
        },
    }
    faults = _faults({"title": "T", "start": "a", "nodes": nodes})
    assert sorted(faults) == ["#/nodes/b/choices/0/next", "#/nodes/c/choices/0/next", "#/nodes/c/else"]


def test_a_circle_that_no_way_leads_to_is_named_too() -> None:
    content = _changed("#/nodes/x", {"ask": "?", "choices": [{"label": "1", "next": "y"}]})
    content["nodes"]["y"] = {"ask": "?", "choices": [{"label": "1", "next": "x"}]}
    assert sorted(_faults(content)) == ["#/nodes/x", "#/nodes/y", "#/nodes/y/choices/0/next"]


def test_all_faults_are_listed_at_once() -> None:
    content = _changed("#/title", "")
    content["start"] = "nowhere"
    content["nodes"]["done"]["colour"] = "red"
    content["nodes"]["seen"]["when"]["op"] = "gt"
    content["nodes"]["why"]["choices"][0]["outcome"] = "NOT"
    content["nodes"]["why"]["choices"][1] = {"label": "Both", "next": "nowhere", "outcome": "ok"}
    with pytest.raises(NotATree) as error:
        read_tree(content)
    assert [fault.pointer for fault in error.value.faults if fault.is_unknown_field] == ["#/nodes/done/colour"]
    nodes = ["done/colour", "seen/when/op", "why/choices/0/outcome", "why/choices/1", "why/choices/1/next"]
    assert sorted(_faults(content)) == [*(f"#/nodes/{place}" for place in nodes), "#/start", "#/title"]
