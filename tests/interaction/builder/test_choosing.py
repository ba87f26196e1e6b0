"""Which of several things are meant, and how many."""

from typing import Any

import pytest

from interaction.builder.finding import find
from interaction.builder.memory import Known, Memory
from tests.interaction.builder.four_things import AT, BLUE_CUBE, RED_CUBE, found, scene
from tests.interaction.builder.small_worlds import (
    GROUND,
    WOOL,
    Said,
    cells,
    nearest,
    ranking,
)


@pytest.mark.parametrize(
    ("text", "selector", "wanted", "candidates"),
    [
        ("the cube", None, 1, 2),
        ("the cubes", None, 2, 2),
        ("every cube", {"return_quantity": "ALL"}, 2, 2),
        ("a cube", {"return_quantity": "RANDOM"}, 1, 1),
        ("two cube", {"return_quantity": "RANDOM", "ordinal": [0, [0, 0]]}, 2, 2),
        ("five cube", {"return_quantity": {"random": [0, [0, 0]]}}, 5, 2),
        ("second cube", {"ordinal": [0, [0, 0]]}, 1, 1),
    ],
)
def test_as_many_are_wanted_as_are_said(text: str, selector: Any, wanted: int, candidates: int) -> None:
    said = Said(text)
    ref = said.thing(said.named(said.tokens[-1]), **({"selector": selector} if selector else {}))
    finding = find(scene(), Memory(), ref, said.tokens)
    assert (finding.wanted, len(finding.candidates)) == (wanted, candidates)
    assert len(finding.all) == 2


def test_the_second_is_the_one_made_second_or_the_second_from_the_left() -> None:
    said = Said("the second cube")
    ref = said.thing(said.named("cube"), selector={"ordinal": said.span("second")})
    world, memory = scene(), Memory()
    # Looking along +z, left is +x.
    assert found(world, memory, ref, said.tokens) == [AT["red cube"]]
    memory.made(Known(cells(RED_CUBE[1], RED_CUBE[2]), "cube", by="agent", command=1))
    memory.made(Known(cells(BLUE_CUBE[1], BLUE_CUBE[2]), "cube", by="agent", command=2))
    assert found(world, memory, ref, said.tokens) == [AT["blue cube"]]


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ({"return_quantity": ranking("MAX", "HEIGHT")}, "tower"),
        ({"return_quantity": ranking("MIN", "SIZE")}, "blue cube"),
        ({"return_quantity": ranking("MAX", "SIZE")}, "ball"),
        ({"return_quantity": ranking("MAX", "X")}, "ball"),
        (nearest("AGENT"), "red cube"),
        (nearest("SPEAKER"), "blue cube"),
        (nearest("SPEAKER", "MAX"), "tower"),
    ],
)
def test_rankings_pick_the_first(selector: Any, meant: Any) -> None:
    finding = find(scene(), Memory(), {"filters": {"selector": selector}}, ["the", "thing"])
    assert [one.low for one in finding.candidates] == [AT[meant]]


def test_the_second_tallest_and_the_two_tallest() -> None:
    said = Said("the second two tallest")
    by_height = ranking("MAX", "HEIGHT")
    second = {"filters": {"selector": {"return_quantity": by_height, "ordinal": said.span("second")}}}
    two = {"filters": {"selector": {"return_quantity": by_height, "ordinal": said.span("two")}}}
    assert found(scene(), Memory(), second, said.tokens) == [AT["ball"]]
    assert found(scene(), Memory(), two, said.tokens) == [AT["tower"], AT["ball"]]


def test_the_newest_is_the_one_made_last() -> None:
    world, memory = scene(), Memory()
    memory.made(Known(cells(RED_CUBE[1], RED_CUBE[2]), "cube", by="agent", command=1))
    memory.made(Known(cells(BLUE_CUBE[1], BLUE_CUBE[2]), "cube", by="agent", command=1))
    ref = {"filters": {"selector": {"return_quantity": ranking("MAX", "BORN_TIME")}}}
    assert found(world, memory, ref, []) == [AT["blue cube"]]


def test_the_most_blocks_of_a_colour_are_counted() -> None:
    said = Said("most blue blocks")
    world = scene()
    world.grid[4, GROUND, 10] = WOOL["blue"]
    attribute = {"num_blocks": {"block_filters": said.filters(said.coloured("blue"))}}
    ref = said.thing(selector={"return_quantity": ranking("MAX", attribute)})
    assert found(world, Memory(), ref, said.tokens) == [AT["blue cube"]]


@pytest.mark.parametrize(
    ("kind", "meant"),
    [("GREATER_THAN", {"tower"}), ("LESS_THAN", {"red cube", "blue cube"}), ("EQUAL", {"ball"})],
)
def test_comparisons_pick_things(kind: str, meant: Any) -> None:
    said = Said("things higher than five blocks")
    clause = {
        "comparison_type": kind,
        "input_left": {"attribute": "HEIGHT"},
        "input_right": {"value": said.span("five")},
    }
    ref = said.thing(clause, selector={"return_quantity": "ALL"})
    assert set(found(scene(), Memory(), ref, said.tokens)) == {AT[one] for one in meant}
