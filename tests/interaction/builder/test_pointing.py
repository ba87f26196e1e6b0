"""What is meant by a place, by “it” and “that”, by “me” and “you”."""

from typing import Any

import pytest

from annotation.voxels import shapes
from interaction.builder.finding import Finder, find
from interaction.builder.memory import Known, Memory
from tests.interaction.builder.four_things import AT, BLUE_CUBE, RED_CUBE, UP, found, scene
from tests.interaction.builder.small_worlds import (
    GROUND,
    WOOL,
    Said,
    cells,
    looking_at,
    who,
    world_with,
)


@pytest.mark.parametrize(
    ("direction", "of", "meant"),
    [
        ("LEFT", "red cube", ["blue cube"]),
        ("RIGHT", "blue cube", ["red cube"]),
        ("BACK", "red cube", ["tower"]),
        ("FRONT", "tower", ["red cube"]),
        ("UP", "tower", []),
    ],
)
def test_things_lie_where_the_worker_sees_them(direction: str, of: str, meant: Any) -> None:
    said = Said(f"thing of {of}")
    other = said.thing(*(said.named(word) for word in of.split()[1:] or [of]))
    if len(of.split()) == 2:
        other["filters"]["where_clause"]["AND"].append(said.coloured(of.split()[0]))
    ref = said.thing(selector={"location": {"relative_direction": direction, "reference_object": other}})
    assert found(scene(), Memory(), ref, said.tokens)[:1] == [AT[one] for one in meant]


def test_what_stands_on_a_thing_is_over_it_and_what_it_stands_on_is_under_it() -> None:
    world = world_with(("red", shapes.cube(3), (4, GROUND, 10)), worker=UP)
    memory = Memory()
    world.grid[5, GROUND + 3, 11] = WOOL["blue"]
    memory.made(Known(frozenset({(5, GROUND + 3, 11)}), "block", by="agent"))
    said = Said("thing on red under blue")
    over = said.thing(
        selector={"location": {"relative_direction": "UP", "reference_object": said.thing(said.coloured("red"))}}
    )
    under = said.thing(
        selector={"location": {"relative_direction": "DOWN", "reference_object": said.thing(said.coloured("blue"))}}
    )
    assert found(world, memory, over, said.tokens) == [(5, GROUND + 3, 11)]
    assert found(world, memory, under, said.tokens) == [(4, GROUND, 10)]


def test_a_thing_between_two_lies_on_the_way() -> None:
    said = Said("thing between red cube and ball")
    ends = {
        "relative_direction": "BETWEEN",
        "reference_object_1": said.thing(said.coloured("red"), said.named("cube")),
        "reference_object_2": said.thing(said.named("ball")),
    }
    assert found(scene(), Memory(), said.thing(selector={"location": ends}), said.tokens) == [AT["blue cube"]]


def test_beside_what_is_not_there_lies_nothing_but_in_the_world_lies_everything() -> None:
    said = Said("cube near house in world")
    for word, number in (("house", 0), ("world", 2)):
        place = {"reference_object": said.thing(said.named(word))}
        ref = said.thing(said.named("cube"), selector={"location": place, "return_quantity": "ALL"})
        assert len(found(scene(), Memory(), ref, said.tokens)) == number


def test_of_two_alike_the_one_looked_at_is_meant() -> None:
    said = Said("the cube")
    ref = said.thing(said.named("cube"))
    assert len(find(scene(), Memory(), ref, said.tokens).candidates) == 2
    world = scene(worker=looking_at(12.5, 10.5))
    assert [one.low for one in find(world, Memory(), ref, said.tokens).candidates] == [AT["blue cube"]]


@pytest.mark.parametrize(("word", "meant"), [("it", "red cube"), ("that", "blue cube")])
def test_it_is_what_was_spoken_of_and_that_is_what_is_looked_at(word: str, meant: Any) -> None:
    world, memory = scene(worker=looking_at(12.5, 10.5)), Memory()
    memory.mention(cells(RED_CUBE[1], RED_CUBE[2]))
    ref = {"filters": {"contains_coreference": "yes"}}
    assert found(world, memory, ref, ["destroy", word]) == [AT[meant]]


@pytest.mark.parametrize("word", ["it", "that"])
def test_either_word_means_the_other_thing_where_its_own_is_missing(word: str) -> None:
    ref = {"filters": {"contains_coreference": "yes"}}
    memory = Memory()
    memory.mention(cells(RED_CUBE[1], RED_CUBE[2]))
    assert found(scene(), memory, ref, ["destroy", word]) == [AT["red cube"]]
    assert found(scene(worker=looking_at(12.5, 10.5)), Memory(), ref, ["destroy", word]) == [AT["blue cube"]]
    assert found(scene(), Memory(), ref, ["destroy", word]) == []


def test_them_are_all_that_were_spoken_of() -> None:
    memory = Memory()
    memory.mention(cells(RED_CUBE[1], RED_CUBE[2]) | cells(BLUE_CUBE[1], BLUE_CUBE[2]))
    ref = {"filters": {"contains_coreference": "yes"}}
    assert set(found(scene(), memory, ref, ["destroy", "them"])) == {AT["red cube"], AT["blue cube"]}


def test_that_with_a_wrong_name_is_still_what_is_looked_at() -> None:
    said = Said("destroy that castle")
    ref = said.thing(said.named("castle"), contains_coreference="yes")
    assert found(scene(worker=looking_at(12.5, 10.5)), Memory(), ref, said.tokens) == [AT["blue cube"]]


def test_a_hole_is_looked_into() -> None:
    world = scene(worker=looking_at(10, 6, down=-45.0))
    world.grid[9:12, GROUND - 1, 4:9] = 0
    assert find(world, Memory(), who("SPEAKER_LOOK"), ["that"]).chosen[0].is_hole


def test_the_figures_are_found_by_who_they_are() -> None:
    said = Said("follow me")
    assert find(scene(), Memory(), who("SPEAKER"), said.tokens).chosen[0].figure == "worker"
    assert find(scene(), Memory(), who("AGENT"), said.tokens).chosen[0].figure == "agent"
    tagged = {"where_clause": {"AND": [{"pred_text": "has_tag", "obj_text": {"fixed_value": "SELF"}}]}}
    assert Finder(scene(), Memory(), said.tokens).filtered(tagged).chosen[0].figure == "agent"
