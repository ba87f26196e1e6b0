"""What holds of every tree: it ends in time, goes back as it came, is replayed, is refused where one rule is broken."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lib.trees.engine import Facts, NothingBefore, Outcome, Question, answer, back, begin, now
from lib.trees.parser import NotATree, read_tree, sketch
from lib.trees.shipped import SHIPPED, shipped_tree
from tests.support.trees import changed, ends, pointers_in, valid_trees, walk

VOXELS = st.lists(st.tuples(*[st.integers(0, 9)] * 3).map(list), max_size=2)
ANY_FACTS = st.builds(
    Facts,
    parse=st.none() | st.just({}) | st.just({"dialogue_type": "HUMAN_GIVE_COMMAND"}),
    objects=st.lists(
        st.fixed_dictionaries({"phrase": st.sampled_from(["the cube", "it"]), "voxels": VOXELS}), max_size=3
    ),
    status=st.sampled_from(["done", "failed"]),
    reason=st.sampled_from(["", "silent", "agent_lost", "no_agent", "cannot", "stopped"]),
)
ALL_TREES = valid_trees() | st.sampled_from([shipped_tree(slug) for slug in SHIPPED])


@given(ALL_TREES, ANY_FACTS)
def test_every_way_ends_in_an_outcome_within_as_many_answers_as_there_are_nodes(
    content: dict[str, Any], facts: Facts
) -> None:
    tree = read_tree(content)
    found = ends(tree, facts)
    assert found
    assert len({json.dumps(end.path) for end in found}) == len(found)
    named = {choice.outcome for node in tree.nodes.values() for choice in node.choices}
    for end in found:
        asked = [turn["node"] for turn in end.path]
        assert 1 <= len(asked) <= len(tree.nodes)
        assert len(set(asked)) == len(asked), "no question comes twice"
        assert end.outcome in named


@given(ALL_TREES, ANY_FACTS, st.data())
def test_back_undoes_each_answer_down_to_the_first(content: dict[str, Any], facts: Facts, data: st.DataObject) -> None:
    tree = read_tree(content)
    questions = [step for step in walk(tree, facts, data) if isinstance(step, Question)]
    for before, after in pairwise(questions):
        path, question = back(tree, facts, after.path)
        assert (tuple(path), question) == (before.path, before)
        assert answer(tree, facts, path, **_of(after.path[-1])) == after
    with pytest.raises(NothingBefore):
        back(tree, facts, begin(tree, facts).path)


def _of(turn: Any) -> dict[str, Any]:
    return {"node": turn["node"], "choice": turn["choice"], "text": turn.get("text")}


@given(ALL_TREES, ANY_FACTS, st.data())
def test_going_back_and_on_by_another_answer_is_as_if_it_had_been_the_first(
    content: dict[str, Any], facts: Facts, data: st.DataObject
) -> None:
    tree = read_tree(content)
    questions = [step for step in walk(tree, facts, data) if isinstance(step, Question)]
    assume(len(questions) > 1)
    path, question = back(tree, facts, questions[-1].path)
    other = data.draw(st.integers(0, len(question.node.choices) - 1))
    text = "words" if question.node.choices[other].has_text else None
    there = answer(tree, facts, path, question.node.name, other, text)
    assert now(tree, facts, there.path) == there


@given(ALL_TREES, ANY_FACTS, st.data())
def test_a_question_that_is_skipped_is_in_no_path(content: dict[str, Any], facts: Facts, data: st.DataObject) -> None:
    tree = read_tree(content)
    last = walk(tree, facts, data)[-1]
    assert isinstance(last, Outcome)
    for turn in last.path:
        when = tree.nodes[turn["node"]].when
        assert when is None or begin(_only(content, turn["node"]), facts).node.name == turn["node"]


def _only(content: dict[str, Any], name: str) -> Any:
    """A tree that begins with this node, without those that no way leads to then."""
    tree, _ = sketch({**content, "start": name})
    return tree


@given(valid_trees(), valid_trees(), ANY_FACTS, st.data())
def test_an_old_version_replays_what_was_answered_whatever_came_after_it(
    old: dict[str, Any], new: dict[str, Any], facts: Facts, data: st.DataObject
) -> None:
    kept = json.dumps(old)
    end = walk(read_tree(old), facts, data)[-1]
    stored = json.dumps(end.path)
    read_tree(new)
    assert now(read_tree(json.loads(kept)), facts, json.loads(stored)) == end


# Breaking one rule at a time --------------------------------------------------------------------------------------


def _is_choice(pointer: str) -> bool:
    return pointer.count("/") == 4 and pointer.split("/")[-2] == "choices"


def _ends(*names: str) -> Callable[[str], bool]:
    return lambda pointer: pointer.endswith(tuple(f"/{name}" for name in names))


# Where the rule is broken, the values that break it, and where below that place the fault is.
BREAKS: dict[str, tuple[Callable[[str], bool], list[Any], str]] = {
    "no such node": (_ends("next", "else", "start"), ["nowhere"], ""),
    "no end": (_is_choice, [{"label": "Off"}], ""),
    "two ends": (_is_choice, [{"label": "Both", "next": "START", "outcome": "ok"}], ""),
    "back to itself": (_is_choice, [{"label": "Again", "next": "SELF"}], "/next"),
    "no choices": (_ends("choices"), [[]], ""),
    "no else": (_ends("else"), [...], ""),
    "no words": (_ends("ask", "label", "title"), ["", " ", 3, None, "x" * 501], ""),
    "no slug": (_ends("outcome"), ["Not A Slug", "", None, "x" * 64], ""),
    "no such picture": (_ends("show"), ["scene"], ""),
    "no such comparison": (_ends("op"), ["gt"], ""),
    "no such place": (_ends("path"), ["weather", "parse..x", "", 7], ""),
}
ALONE = {"ask": "Alone?", "choices": [{"label": "Yes", "outcome": "ok"}]}


def _faults(content: dict[str, Any]) -> list[str]:
    with pytest.raises(NotATree) as error:
        read_tree(content)
    return [fault.pointer for fault in error.value.faults]


@pytest.mark.parametrize("name", BREAKS)
@given(content=ALL_TREES, data=st.data())
def test_a_broken_rule_is_refused_with_a_pointer_to_it(name: str, content: dict[str, Any], data: st.DataObject) -> None:
    fits, values, below = BREAKS[name]
    places = [pointer for pointer in pointers_in(content) if fits(pointer)]
    assume(places)
    at, value = data.draw(st.sampled_from(places)), data.draw(st.sampled_from(values))
    if isinstance(value, dict) and "next" in value:
        value = {**value, "next": content["start"] if value["next"] == "START" else at.split("/")[2]}
    assert f"{at}{below}" in _faults(changed(content, at, value))


@given(ALL_TREES, st.data())
def test_unknown_fields_and_unreachable_nodes_are_refused(content: dict[str, Any], data: st.DataObject) -> None:
    assert "#/nodes/alone" in _faults(changed(content, "#/nodes/alone", ALONE))
    places = [pointer for pointer in pointers_in(content) if pointer.startswith("#/nodes/")]
    at = data.draw(st.sampled_from([one for one in places if one.count("/") == 2 or _is_choice(one)]))
    assert f"{at}/colour" in _faults(changed(content, f"{at}/colour", "red"))


@given(ALL_TREES)
def test_a_valid_tree_has_no_fault_in_its_sketch(content: dict[str, Any]) -> None:
    assert sketch(content) == (read_tree(content), ())
