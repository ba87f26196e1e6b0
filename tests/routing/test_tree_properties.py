"""What holds of every tree: it ends in time, goes back as it came, is replayed, is refused where one rule is broken."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from routing.trees.engine import Facts, NothingBefore, Outcome, Question, answer, back, begin, now
from routing.trees.reading import NotATree, read_tree, sketch
from routing.trees.shipped import SHIPPED, shipped_tree
from tests.routing.trees import FACTS, SEEN, changed, ends, facts_of, pointers_in, valid_trees, walk

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
    for end in ends(tree, facts):
        asked = [turn["node"] for turn in end.path]
        assert 1 <= len(asked) <= len(tree.nodes)
        assert len(set(asked)) == len(asked), "no question comes twice"
        assert end.outcome


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

Break = Callable[[dict[str, Any], st.DataObject], tuple[dict[str, Any], str] | None]


def _some(content: dict[str, Any], data: st.DataObject, fits: Callable[[str], bool]) -> str:
    places = [pointer for pointer in pointers_in(content) if fits(pointer)]
    assume(places)
    return data.draw(st.sampled_from(places))


def _is_choice(pointer: str) -> bool:
    return pointer.split("/")[-2] == "choices" if pointer.count("/") == 4 else False


def _break_next(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith(("/next", "/else")) or pointer == "#/start")
    return changed(content, at, "nowhere"), at


def _back_to_itself(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, _is_choice)
    return changed(content, at, {"label": "Again", "next": at.split("/")[2]}), f"{at}/next"


def _no_end(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, _is_choice)
    return changed(content, at, {"label": "Off"}), at


def _two_ends(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, _is_choice)
    return changed(content, at, {"label": "Both", "next": content["start"], "outcome": "ok"}), at


def _no_choices(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith("/choices"))
    return changed(content, at, []), at


def _unreachable(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    alone = {"ask": "Alone?", "choices": [{"label": "Yes", "outcome": "ok"}]}
    return changed(content, "#/nodes/alone", alone), "#/nodes/alone"


def _no_else(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith("/else"))
    return changed(content, at, ...), at


def _no_words(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith(("/ask", "/label", "/title")))
    return changed(content, at, data.draw(st.sampled_from(["", " ", 3, None, "x" * 501]))), at


def _no_slug(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith("/outcome"))
    return changed(content, at, data.draw(st.sampled_from(["Not A Slug", "", None, "x" * 64]))), at


def _no_such_picture(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith("/show"))
    return changed(content, at, "scene"), at


def _no_such_comparison(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith("/op"))
    return changed(content, at, "gt"), at


def _no_such_place(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.endswith("/path"))
    return changed(content, at, data.draw(st.sampled_from(["weather", "parse..x", "", 7]))), at


def _unknown_field(content: dict[str, Any], data: st.DataObject) -> tuple[dict[str, Any], str]:
    at = _some(content, data, lambda pointer: pointer.count("/") == 2 or _is_choice(pointer))
    assume(at.startswith("#/nodes/"))
    return changed(content, f"{at}/colour", "red"), f"{at}/colour"


BREAKS = [
    _break_next,
    _back_to_itself,
    _no_end,
    _two_ends,
    _no_choices,
    _unreachable,
    _no_else,
    _no_words,
    _no_slug,
    _no_such_picture,
    _no_such_comparison,
    _no_such_place,
    _unknown_field,
]


@pytest.mark.parametrize("broken_by", BREAKS, ids=lambda one: one.__name__.strip("_"))
@given(content=ALL_TREES, data=st.data())
def test_a_broken_rule_is_refused_with_a_pointer_to_it(
    broken_by: Break, content: dict[str, Any], data: st.DataObject
) -> None:
    found = broken_by(content, data)
    assert found is not None
    broken, pointer = found
    with pytest.raises(NotATree) as error:
        read_tree(broken)
    assert pointer in [fault.pointer for fault in error.value.faults]


@given(ALL_TREES)
def test_what_is_read_and_shown_again_is_the_same_tree(content: dict[str, Any]) -> None:
    tree = read_tree(content)
    assert sketch(content) == (tree, ())
    assert {fact["status"] for fact in FACTS} == {"done", "failed"}
    assert len(ends(tree, SEEN)) >= 1
    assert len(ends(tree, facts_of(status="failed", reason="silent"))) >= 1
