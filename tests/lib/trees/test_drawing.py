"""The drawing of a tree: everything is on it once, nothing overlaps, lines go down, and it is always the same."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.trees.drawing import GAP, Box, Drawing, draw
from lib.trees.layering import Item, nearest, placed
from lib.trees.parser import read_tree, sketch
from lib.trees.shipped import DEFAULT, SHIPPED, shipped_tree
from lib.trees.wrapping import wrapped
from tests.support.trees import SMALL, changed, pointers_in, valid_trees

ALL_TREES = valid_trees() | st.sampled_from([shipped_tree(slug) for slug in SHIPPED])


def _overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def _check_places(drawing: Drawing) -> None:
    for one, other in combinations(drawing.boxes, 2):
        assert not _overlap(one, other), (one.name, other.name)
    for box in drawing.boxes:
        assert box.x >= 0
        assert box.x + box.width <= drawing.width
        assert box.y + box.height <= drawing.height
        for text in box.texts:
            assert box.x <= text.x <= box.x + box.width
            assert box.y < text.y < box.y + box.height


def _kinds(drawing: Drawing, kind: str) -> list[Box]:
    return [box for box in drawing.boxes if box.kind == kind]


@given(ALL_TREES)
def test_every_part_of_the_tree_is_drawn_once_and_nothing_overlaps(content: dict[str, Any]) -> None:
    tree = read_tree(content)
    drawing = draw(tree)
    _check_places(drawing)
    choices = [choice for node in tree.nodes.values() for choice in node.choices]
    assert sorted(box.texts[0].words for box in _kinds(drawing, "question")) == sorted(tree.nodes)
    assert len(_kinds(drawing, "choice")) == len(choices)
    assert len(_kinds(drawing, "outcome")) == sum(choice.outcome is not None for choice in choices)
    assert len(_kinds(drawing, "else")) == sum(node.otherwise is not None for node in tree.nodes.values())
    assert len({box.name for box in drawing.boxes}) == len(drawing.boxes)


@given(ALL_TREES)
def test_lines_go_down_from_box_to_box_and_through_none(content: dict[str, Any]) -> None:
    drawing = draw(read_tree(content))
    for line in drawing.lines:
        start, end = _ends(line.path)
        assert start[1] < end[1]
        for box in drawing.boxes:
            # A line may touch the boxes that it joins; it stands beside all others.
            inside = box.x < start[0] < box.x + box.width and box.y < start[1] < box.y + box.height
            assert not inside
            falls_through = box.x < start[0] < box.x + box.width and start[1] <= box.y < _floor(line.path, end)
            assert not falls_through, (line, box.name)


def _ends(path: str) -> tuple[tuple[int, int], tuple[int, int]]:
    words = path.replace("M", " ").replace("V", " ").replace("C", " ").split()
    if "C" not in path:
        return (int(words[0]), int(words[1])), (int(words[0]), int(words[2]))
    return (int(words[0]), int(words[1])), (int(words[-2]), int(words[-1]))


def _floor(path: str, end: tuple[int, int]) -> int:
    """How far the line falls straight down; what hangs from an answer is where its line ends."""
    return int(path.split("V")[1].split("C")[0]) if "C" in path else end[1]


WRONG: list[Any] = [..., None, "", "n0", "nowhere", [], {}, 3, {"label": "x", "next": "n0"}]


@given(ALL_TREES, st.data())
def test_whatever_is_wrong_with_a_tree_it_can_be_drawn(content: dict[str, Any], data: st.DataObject) -> None:
    pointer = data.draw(st.sampled_from(pointers_in(content)[1:]))
    value = data.draw(st.sampled_from(WRONG))
    tree, _ = sketch(changed(content, pointer, value))
    _check_places(draw(tree))


def test_what_leads_nowhere_or_back_ends_in_a_question_mark() -> None:
    tree, _ = sketch(changed(SMALL, "#/nodes/why/choices/0", {"label": "Again", "next": "done"}))
    drawing = draw(tree, faulty={"why"})
    ends = {box.name: box.texts[0].words for box in _kinds(drawing, "outcome")}
    assert ends["why/0/end"] == "?"
    assert [box.name for box in drawing.boxes if box.is_faulty] == ["why/?"]


def test_a_walk_is_lit_and_its_open_question_marked() -> None:
    tree = read_tree(SMALL)
    drawing = draw(tree, path=[{"node": "done", "choice": 1}], now="seen")
    assert {box.name for box in drawing.boxes if box.is_lit} == {"done/?", "done/1"}
    assert [box.name for box in drawing.boxes if box.is_open] == ["seen/?"]
    over = draw(tree, path=[{"node": "done", "choice": 0}])
    assert {box.name for box in over.boxes if box.is_lit} == {"done/?", "done/0", "done/0/end"}
    assert sum(line.is_lit for line in over.lines) == 2


def test_outcomes_are_told_apart_by_sign_and_word() -> None:
    tones = {box.texts[0].words: box.tone for box in _kinds(draw(read_tree(shipped_tree(DEFAULT))), "outcome")}
    assert (tones["✓ ok"], tones["✕ nlu_error"]) == ("good", "bad")
    own = changed(SMALL, "#/nodes/why/choices/0/outcome", "too_slow")
    assert {box.tone for box in _kinds(draw(read_tree(own)), "outcome")} == {"good", "bad", "own"}


def test_a_hundred_questions_that_all_lead_to_the_last_are_drawn() -> None:
    nodes = {
        f"n{n}": {"ask": "?", "choices": [{"label": "On", "next": f"n{n + 1}"}, {"label": "Out", "next": "n99"}]}
        for n in range(99)
    }
    nodes["n99"] = {"ask": "?", "choices": [{"label": "Yes", "outcome": "ok"}] * 9}
    _check_places(draw(read_tree({"title": "T", "start": "n0", "nodes": nodes})))


@given(st.lists(st.tuples(st.floats(-500, 500), st.integers(1, 60)), min_size=1, max_size=8), st.integers(0, 20))
def test_things_keep_their_order_and_their_distance(wanted: list[tuple[float, int]], gap: int) -> None:
    centres, widths = [centre for centre, _ in wanted], [width for _, width in wanted]
    found = nearest(centres, widths, gap)
    for number in range(len(found) - 1):
        least = (widths[number] + widths[number + 1]) / 2 + gap
        assert found[number + 1] - found[number] >= least - 1e-6
    assert sum(found) == pytest.approx(sum(centres), abs=1e-6 * 500 * len(centres)), "nothing drifts to one side"


def test_what_stands_apart_already_is_not_moved() -> None:
    assert nearest([0, 50, 100], [10, 10, 10], 5) == [0, 50, 100]


def test_answers_stay_together_below_their_question() -> None:
    items = [Item("a", 0, 10), Item("b", 0, 10)]
    items += [Item(f"{up}{number}", 1, 10, up) for number in range(3) for up in "ab"]
    left = placed(items, [(up, f"{up}{number}") for number in range(3) for up in "ab"], gap=GAP)
    order = sorted((name for name in left if len(name) == 2), key=left.__getitem__)
    assert order == ["a0", "a1", "a2", "b0", "b1", "b2"]


@given(st.text(max_size=80), st.integers(20, 300), st.integers(1, 4))
def test_wrapped_words_keep_within_their_lines(text: str, width: int, most: int) -> None:
    lines = wrapped(text, width=width, most=most)
    assert 1 <= len(lines) <= most
    if not lines[-1].endswith("…"):
        assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_long_word_is_cut_and_a_wide_one_counts_double() -> None:
    assert wrapped("x" * 25, width=67, most=3) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrapped("木" * 8, width=67, most=3) == ["木" * 5, "木" * 3]
    assert wrapped("W" * 8, width=67, most=3) == ["W" * 5, "W" * 3]
    assert wrapped("A" * 8, width=67, most=3) == ["A" * 7, "A"]
