"""The boxes of a tree's drawing: every question and answer once, and links that never form a cycle."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.trees.boxes import QuestionBox, boxes_of
from lib.trees.graph import Edge, closing_edges
from lib.trees.parser import read_tree, sketch
from lib.trees.shipped import SHIPPED, shipped_tree
from tests.support.trees import SMALL, changed, pointers_in, valid_trees

ALL_TREES = valid_trees() | st.sampled_from([shipped_tree(slug) for slug in SHIPPED])
WRONG: list[Any] = [..., None, "", "n0", "nowhere", [], {}, 3, {"label": "x", "next": "n0"}]


def _can_be_laid_out(boxes: list[QuestionBox]) -> bool:
    """Each link leads to a question of the drawing, and no links form a cycle."""
    targets = {box.node.name: [*(one.target for one in box.answers), box.otherwise] for box in boxes}
    edges = {name: [Edge("", target) for target in found if target] for name, found in targets.items()}
    return not closing_edges(edges, start=None)


@given(ALL_TREES)
def test_every_question_and_answer_is_there_once_with_its_target(content: dict[str, Any]) -> None:
    tree = read_tree(content)
    boxes = boxes_of(tree)
    assert sorted(box.node.name for box in boxes) == sorted(tree.nodes)
    for box in boxes:
        assert [one.choice for one in box.answers] == list(box.node.choices)
        assert [one.target for one in box.answers] == [choice.next or "" for choice in box.node.choices]
        assert box.otherwise == (box.node.otherwise or "")
    assert _can_be_laid_out(boxes)


@given(ALL_TREES, st.data())
def test_a_tree_with_a_fault_can_be_laid_out(content: dict[str, Any], data: st.DataObject) -> None:
    pointer = data.draw(st.sampled_from(pointers_in(content)[1:]))
    tree, _ = sketch(changed(content, pointer, data.draw(st.sampled_from(WRONG))))
    assert _can_be_laid_out(boxes_of(tree))


@pytest.mark.parametrize("slug", SHIPPED)
def test_a_shipped_tree_with_any_fault_can_be_laid_out(slug: str) -> None:
    content = shipped_tree(slug)
    for pointer in pointers_in(content)[1:]:
        for value in WRONG:
            assert _can_be_laid_out(boxes_of(sketch(changed(content, pointer, value))[0])), (pointer, value)


def test_an_answer_that_leads_back_has_no_target() -> None:
    tree, _ = sketch(changed(SMALL, "#/nodes/why/choices/0", {"label": "Again", "next": "done"}))
    boxes = boxes_of(tree, faulty={"why"})
    (why,) = [box for box in boxes if box.is_faulty]
    assert (why.node.name, why.answers[0].target, why.answers[0].choice.outcome) == ("why", "", None)


def test_the_answers_of_a_walk_are_lit_and_its_open_question_is_marked() -> None:
    boxes = boxes_of(read_tree(SMALL), path=[{"node": "done", "choice": 1}], now="seen")
    assert [box.node.name for box in boxes if box.is_lit] == ["done"]
    assert [(box.node.name, n) for box in boxes for n, one in enumerate(box.answers) if one.is_lit] == [("done", 1)]
    assert [box.node.name for box in boxes if box.is_open] == ["seen"]
