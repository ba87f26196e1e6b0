"""DESTROY, DIG, FILL, GET and PUT_MEMORY: the blocks that are there in the end, and the memory of them."""

from itertools import pairwise
from typing import Any

import pytest

from builder.acting.acts import CannotDo, Edit, Found
from builder.mind import Mind
from tests.support.builder_worlds import (
    DIRT,
    GRASS,
    GROUND,
    RED,
    STONE,
    WATER,
    acting,
    built,
    command,
    cube,
    found,
    said,
    scene,
    tell,
    things_left,
)
from tests.support.forms import IT, ME, action, at, span, thing

THREE = [*cube(3, 10), *cube(8, 10), *cube(14, 10)]
HOLE = [(5, GROUND - 1, 5, 0), (5, GROUND - 2, 5, 0)]


@pytest.mark.parametrize(
    ("blocks", "text", "left", "sentences"),
    [
        ([*cube(8, 9), *cube(14, 12, block=STONE)], "destroy the red cube", cube(14, 12), ["I destroyed it."]),
        (THREE, "destroy all cubes", [], ["I destroyed all 3."]),
        (THREE, "destroy ten cubes", [], ["There are only 3.", "I destroyed all 3."]),
        (cube(3, 10), "destroy ten structure(s)", [], ["There is only one.", "I destroyed it."]),
    ],
)
def test_the_described_things_are_destroyed_from_the_top_down(
    blocks: Any, text: str, left: Any, sentences: list[str]
) -> None:
    mind = Mind(scene(*blocks))
    acts = tell(mind, text)
    assert built(mind.world) == {(x, y, z) for x, y, z, _ in left}
    gone = {(x, y, z) for x, y, z, _ in blocks} - built(mind.world)
    assert {voxel for one in found(acts) for voxel in one.voxels} == gone
    assert said(acts) == sentences
    for before, after in pairwise(acts):
        if isinstance(before, Edit) and isinstance(after, Edit):
            assert min(y for _, y, _, _ in before.changes) >= max(y for _, y, _, _ in after.changes)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("destroy the house", "I found nothing called “the house”"),
        ("destroy me", "I can only destroy blocks"),
        ("destroy the hole", "I cannot destroy a hole, but I can fill it"),
        ("fill me with dirt", "I cannot fill that"),
        ("fill it with jelly", "no jelly"),
        ("bring me the hole", "I can only bring what is made of blocks"),
        ("finish the hole", "I can only finish what is made of blocks"),
        ("copy the hole", "I can only copy what is made of blocks"),
        ("resume", "nothing that I could go on with"),
        ("undo", "nothing that I could undo"),
    ],
)
def test_a_command_that_cannot_be_obeyed_changes_nothing(text: str, sentence: str) -> None:
    mind = Mind(scene(*HOLE))
    before = mind.world.grid.copy()
    acts = mind.obey(mind.understand(text), text.split())
    if text == "destroy the house":
        assert next(acts) == Found("the house", ()), "nothing was found"
    with pytest.raises(CannotDo, match=sentence):
        list(acts)
    assert (mind.world.grid == before).all()


# Holes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "holes", "cells", "layers", "sentence"),
    [
        ("dig a small hole", 1, 4, {2}, "I dug it."),
        # The lowest layer of the ground stays.
        ("dig a hole 50 blocks deep", 1, 18, {1, 2}, "2 deep"),
        ("dig two tiny holes", 2, 1, {2}, "I dug all 2."),
        ("dig a trench", 1, 12, {1, 2}, "I dug it."),
        ("make a hole with a radius of 2", 1, 24, {1, 2}, "I dug it."),
    ],
)
def test_holes_are_dug_in_the_ground_and_remembered(
    text: str, holes: int, cells: int, layers: set[int], sentence: str
) -> None:
    mind = Mind(scene())
    acts = tell(mind, text)
    assert [(one.name, one.is_hole, len(one.voxels)) for one in mind.memory.known] == [("hole", True, cells)] * holes
    voxels = [place for one in mind.memory.known for place in one.voxels]
    assert len(set(voxels)) == len(voxels)
    assert {y for _, y, _ in voxels} == layers
    assert all(mind.world.get(place) == 0 for place in voxels)
    assert any(sentence in one for one in said(acts))


def test_a_thing_is_dug_out() -> None:
    mind = Mind(scene(*cube(8, 9)))
    form = command(action("DIG", reference_object=thing(name=2)))
    assert said(acting(mind, form, "dig out cube")) == ["I dug it out."]
    assert built(mind.world) == set()
    with pytest.raises(CannotDo, match="I found nothing"):
        list(acting(mind, form, "dig out cube"))


def test_digging_ends_at_the_block_that_is_named() -> None:
    ore = [(x, 3, z, STONE) for x in range(20) for z in range(20)]
    earth = [(x, y, z, DIRT) for x in range(20) for z in range(20) for y in range(4, 8)]
    stand = {name: {"x": x, "y": 8, "z": 4, "pitch": 0, "yaw": 0} for name, x in (("agent", 3), ("player", 10))}
    mind = Mind(scene(*ore, *earth) | stand)
    tell(mind, "dig down until you reach stone")
    assert min(y for _, y, _ in mind.memory.known[-1].voxels) == 4


@pytest.mark.parametrize(
    ("text", "blocks"),
    [("fill the hole", (GRASS, DIRT)), ("fill it with water", (WATER, WATER)), ("fill", (GRASS, DIRT))],
)
def test_a_hole_is_filled_with_the_blocks_around_it_or_with_the_named_ones(text: str, blocks: Any) -> None:
    mind = Mind(scene())
    tell(mind, "dig a hole two blocks deep")
    hole = mind.memory.known[-1].voxels
    form = command(action("FILL")) if text == "fill" else mind.understand(text)
    list(acting(mind, form, text))
    assert all(mind.world.get(place) == blocks[GROUND - 1 - place[1]] for place in hole)
    with pytest.raises(CannotDo):
        list(acting(mind, form, text))


# Getting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"), [("bring me the red cube", (10, 4)), ("bring the red cube to the gray cube", (16, 16))]
)
def test_a_thing_is_brought_to_its_receiver(text: str, place: tuple[int, int]) -> None:
    mind = Mind(scene(*cube(3, 15), *cube(15, 15, 3, STONE), player=(10, 4)))
    acts = tell(mind, text)
    red = {cell for cell in built(mind.world) if mind.world.get(cell) == RED}
    assert len(red) == 8
    assert min(max(abs(x - place[0]), abs(z - place[1])) for x, _, z in red) <= 4
    assert said(acts)[-1] == "I brought it."


def test_an_animal_that_was_brought_is_still_one() -> None:
    mind = Mind(scene())
    tell(mind, "spawn a pig")
    form = action("GET", reference_object=thing(name=1), receiver={"location": at("BACK", ME)})
    list(acting(mind, command(form), "bring pig"))
    assert [(one.name, one.is_creature) for one in things_left(mind)] == [("pig", True)]


# Names ----------------------------------------------------------------------------------------------------------


def test_a_name_finds_the_thing_again() -> None:
    mind = Mind(scene(*cube(3, 10), *cube(14, 10)))
    data = {"memory_type": "TRIPLE", "triples": [{"pred_text": "has_tag", "obj_text": span(3)}]}
    this = thing(name=1)["filters"] | {"selector": {"location": at("LEFT", ME)}}
    form = {"dialogue_type": "PUT_MEMORY", "filters": this, "upsert": {"memory_data": data}}
    assert said(acting(mind, form, "call cube left home")) == ["I remember: this is home."]
    named = next(one for one in mind.memory.known if "home" in one.tags)
    tell(mind, "destroy home")
    assert not named.remaining(mind.world)
    assert len(built(mind.world)) == 8


@pytest.mark.parametrize(("text", "reply"), [("well done", "Thank you!"), ("that is wrong", "I am sorry.")])
def test_praise_and_blame_are_answered_and_nothing_else_is_remembered(text: str, reply: str) -> None:
    mind = Mind(scene())
    assert said(tell(mind, text)) == [reply]
    with pytest.raises(CannotDo, match="what I should remember"):
        list(acting(mind, {"dialogue_type": "PUT_MEMORY", **IT}, "tag that"))
