"""Properties of every tree: it ends in time, goes back as it came, and is replayed."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.trees.engine import Facts, NothingBefore, Question, answer, back, begin, now
from lib.trees.parser import read_tree, sketch
from lib.trees.shipped import SHIPPED, shipped_tree
from tests.support.trees import ends, valid_trees, walk

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


@given(valid_trees(), valid_trees(), ANY_FACTS, st.data())
def test_an_old_version_replays_its_answers(
    old: dict[str, Any], new: dict[str, Any], facts: Facts, data: st.DataObject
) -> None:
    kept = json.dumps(old)
    end = walk(read_tree(old), facts, data)[-1]
    stored = json.dumps(end.path)
    read_tree(new)
    assert now(read_tree(json.loads(kept)), facts, json.loads(stored)) == end


@given(ALL_TREES)
def test_a_valid_tree_has_no_fault_in_its_sketch(content: dict[str, Any]) -> None:
    assert sketch(content) == (read_tree(content), ())
