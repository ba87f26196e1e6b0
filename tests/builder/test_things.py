"""The agent divides the world into things, and remembers names and tags of them."""

from typing import Any

import numpy as np
import pytest

from builder.world.memory import KnownThing, Memory
from builder.world.things import figure_of, thing_of, things_in
from lib.voxels import shapes
from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from lib.voxels.shapes import Voxels
from tests.support.builder_worlds import SMALL_GROUND, WOOL, cells, world_of, world_with

CUBE = shapes.cube(3)


@pytest.mark.parametrize(
    "shape",
    [shapes.cube(2), shapes.circle(3, "xy"), shapes.arch(3, 7, "yz"), shapes.dome(4), shapes.cube(1)],
    ids=["cube", "circle", "arch", "dome", "block"],
)
def test_a_shape_is_one_thing_with_all_its_blocks(shape: Voxels) -> None:
    found = things_in(world_with(("red", shape, (5, SMALL_GROUND, 5))), Memory())
    assert [one.cells for one in found] == [cells(shape, (5, SMALL_GROUND, 5))]


@pytest.mark.parametrize(
    ("others", "boxes"),
    [
        ([("red", CUBE, (6, SMALL_GROUND, 2))], [((2, SMALL_GROUND, 2), (3, 3, 3)), ((6, SMALL_GROUND, 2), (3, 3, 3))]),
        # Whole shapes of two colours side by side are two things.
        (
            [("blue", CUBE, (5, SMALL_GROUND, 2))],
            [((2, SMALL_GROUND, 2), (3, 3, 3)), ((5, SMALL_GROUND, 2), (3, 3, 3))],
        ),
        # A roof of another colour belongs to its house.
        ([("blue", shapes.pyramid(1), (2, SMALL_GROUND + 3, 2))], [((2, SMALL_GROUND, 2), (3, 5, 3))]),
    ],
)
def test_touching_blocks_are_one_thing(others: Any, boxes: Any) -> None:
    found = things_in(world_with(("red", CUBE, (2, SMALL_GROUND, 2)), *others), Memory())
    assert [(one.low, one.box) for one in found] == boxes


@pytest.mark.parametrize(("block", "colour", "is_hole"), [(0, None, True), (27, "blue", False)], ids=["air", "water"])
def test_a_hole_and_water_in_the_ground_are_things(block: int, colour: str | None, is_hole: bool) -> None:
    world = world_with()
    world.grid[5:7, SMALL_GROUND - 2 : SMALL_GROUND, 8] = block
    (thing,) = things_in(world, Memory())
    assert (thing.is_hole, thing.colour) == (is_hole, colour)
    assert thing.cells == {(x, y, 8) for x in (5, 6) for y in (2, 3)}


def test_a_built_thing_stays_apart_from_a_thing_that_it_touches() -> None:
    world = world_with(("red", CUBE, (2, SMALL_GROUND, 2)), ("red", CUBE, (2, SMALL_GROUND + 3, 2)))
    memory = Memory()
    memory.add_thing(KnownThing(cells(CUBE, (2, SMALL_GROUND + 3, 2)), name="house", by="agent"))
    upper, lower = things_in(world, memory)
    assert (upper.names, upper.low) == (("house",), (2, SMALL_GROUND + 3, 2))
    assert (lower.names, lower.low) == ((), (2, SMALL_GROUND, 2))


@pytest.mark.parametrize(("taken", "names"), [(9, ("house",)), (18, ())])
def test_a_name_stays_as_long_as_most_of_the_thing_does(taken: int, names: tuple[str, ...]) -> None:
    world = world_with(("red", CUBE, (2, SMALL_GROUND, 2)))
    memory = Memory()
    memory.add_thing(KnownThing(cells(CUBE, (2, SMALL_GROUND, 2)), name="house", by="agent"))
    for cell in sorted(memory.known[0].voxels)[:taken]:
        world.set(cell, 0)
    (left,) = things_in(world, memory)
    assert left.count == 27 - taken
    assert left.names == names


def test_a_thing_keeps_its_tag_after_it_grew() -> None:
    world = world_with(("red", CUBE, (2, SMALL_GROUND, 2)))
    memory = Memory()
    memory.tag(cells(CUBE, (2, SMALL_GROUND, 2)), ["Home"])
    world.set((2, SMALL_GROUND + 3, 2), WOOL["red"])
    (thing,) = things_in(world, memory)
    assert thing.tags == {"home"}
    assert thing.count == 28


def test_a_change_is_seen_at_once() -> None:
    world, memory = world_with(), Memory()
    for block, number in ((0, 0), (WOOL["blue"], 1), (0, 0)):
        world.set((9, SMALL_GROUND, 9), block)
        assert len(things_in(world, memory)) == number


def test_colours_are_told_by_their_share() -> None:
    world = world_with(("red", CUBE, (2, SMALL_GROUND, 2)))
    world.grid[2, SMALL_GROUND, 2:4] = WOOL["blue"]
    (thing,) = things_in(world, Memory())
    assert thing.colour == "red"
    assert list(thing.colours) == ["red", "blue"]
    assert thing.colours["blue"] == pytest.approx(2 / 27)


def test_figures_boxes_and_middles_count_in_cells() -> None:
    agent = figure_of(world_with(), "agent")
    assert agent.figure == "agent"
    assert agent.cells == {(4, SMALL_GROUND, 4), (4, SMALL_GROUND + 1, 4)}
    thing = thing_of(cells(shapes.rectanguloid(4, 2, 3), (2, SMALL_GROUND, 5)), world_with())
    assert (thing.low, thing.high, thing.box) == ((2, 4, 5), (5, 5, 7), (4, 2, 3))
    assert thing.middle == (3.5, 4.5, 6.0)
    assert thing.at_foot == (3, 4, 6)


def test_the_objects_of_generated_scenes_are_found_block_by_block() -> None:
    made = list(generate(11, 25, Options(shapes=(1, 4), holes=(0, 2))))
    for one in made:
        found = {thing.cells for thing in things_in(world_of(one), Memory())}
        assert found == {frozenset(map(tuple, np.asarray(thing.voxels).tolist())) for thing in one.things}
