"""Which cell a place in words is."""

import numpy as np
import pytest

from annotation.logical_form import Form
from annotation.voxels import shapes
from interaction.builder.acts import Place
from interaction.builder.memory import Memory
from interaction.builder.places import place_of
from interaction.builder.world import World
from tests.interaction.builder.small_worlds import GROUND, WORKER, Said, cells, looking_at, who, world_with

CUBE = ("red", shapes.cube(3), (8, GROUND, 10))
ELSEWHERE = (1, GROUND, 1)


def place(location: Form | None, text: str = "", *, world: World | None = None, memory: Memory | None = None) -> Place:
    return place_of(world or world_with(CUBE), memory or Memory(), location, text.split(), ELSEWHERE)


def cube(said: Said) -> Form:
    return said.thing(said.named("cube"))


@pytest.mark.parametrize(
    ("direction", "cell"),
    [
        # The worker looks along +z, so that left is +x, and the front of a thing is the side of less z.
        ("LEFT", (12, GROUND, 11)),
        ("RIGHT", (6, GROUND, 11)),
        ("FRONT", (9, GROUND, 8)),
        ("BACK", (9, GROUND, 14)),
        ("UP", (9, GROUND + 3, 11)),
        ("DOWN", (9, GROUND - 1, 11)),
        # The agent stands at less z.
        ("NEAR", (9, GROUND, 8)),
        ("AROUND", (9, GROUND, 8)),
        ("OUTSIDE", (9, GROUND, 8)),
        ("AWAY", (9, GROUND, 5)),
    ],
)
def test_places_beside_a_thing_are_as_the_worker_sees_them(direction: str, cell: Place) -> None:
    said = Said("to the left of the cube")
    location = {"relative_direction": direction, "reference_object": cube(said)}
    assert place(location, "to the left of the cube") == cell


def test_the_sides_of_a_thing_turn_with_the_worker() -> None:
    said = Said("to the left of the cube")
    location = {"relative_direction": "LEFT", "reference_object": cube(said)}
    # From x = 2 along +x, left is -z.
    world = world_with(CUBE, worker=WORKER._replace(x=2.0, z=11.0, yaw=90.0))
    assert place(location, "to the left of the cube", world=world) == (9, GROUND, 8)


def test_a_thing_behind_their_back_is_spoken_of_as_if_they_saw_it() -> None:
    said = Said("in front of the cube")
    location = {"relative_direction": "FRONT", "reference_object": cube(said)}
    world = world_with(CUBE, worker=WORKER._replace(yaw=180.0))
    assert place(location, "in front of the cube", world=world) == (9, GROUND, 8)


@pytest.mark.parametrize(
    ("whom", "direction", "text", "cell"),
    [
        ("SPEAKER", "", "come to me", (10, GROUND, 2)),
        # What is built there would be all that they see, were it any closer.
        ("SPEAKER", "FRONT", "build it in front of me", (10, GROUND, 7)),
        ("SPEAKER", "FRONT", "stand in front of me", (10, GROUND, 4)),
        ("SPEAKER", "BACK", "behind me", (10, GROUND, 0)),
        ("SPEAKER", "LEFT", "to my left", (12, GROUND, 2)),
        ("SPEAKER", "RIGHT", "to my right", (8, GROUND, 2)),
        # The agent looks along +x.
        ("AGENT", "FRONT", "go forward", (6, GROUND, 4)),
        ("AGENT", "BACK", "go back", (2, GROUND, 4)),
        # To the worker's left, unless it is said to be the agent's own.
        ("AGENT", "LEFT", "go left", (6, GROUND, 4)),
        ("AGENT", "LEFT", "to your left", (4, GROUND, 2)),
        ("AGENT", "RIGHT", "to your right", (4, GROUND, 6)),
        ("AGENT", "UP", "above you", (4, GROUND + 2, 4)),
    ],
)
def test_places_beside_the_two_figures(whom: str, direction: str, text: str, cell: Place) -> None:
    location = {"reference_object": who(whom), **({"relative_direction": direction} if direction else {})}
    assert place(location, text) == cell


@pytest.mark.parametrize(("steps", "x"), [("one", 5), ("5", 9), ("twenty", 23)])
def test_steps_are_counted_up_to_the_edge_of_the_world(steps: str, x: int) -> None:
    text = f"go {steps} steps forward"
    location = {"relative_direction": "FRONT", "reference_object": who("AGENT"), "steps": Said(text).span(steps)}
    assert place(location, text, world=world_with(size=24)) == (x, GROUND, 4)


def test_there_is_where_the_worker_looks() -> None:
    world = world_with(CUBE, worker=looking_at(10, 8, down=-15.0))
    assert place({"contains_coreference": "yes"}, "build it there", world=world) == (10, GROUND, 8)
    assert place({"reference_object": who("SPEAKER_LOOK")}, "build it here", world=world) == (10, GROUND, 8)


def test_to_come_here_is_to_come_to_the_worker() -> None:
    assert place({"reference_object": who("SPEAKER_LOOK")}, "come here") == (10, GROUND, 2)


def test_there_is_what_was_spoken_of_where_the_worker_looks_at_nothing() -> None:
    memory = Memory()
    memory.mention(cells(CUBE[1], CUBE[2]))
    world = world_with(CUBE, worker=WORKER._replace(pitch=80.0))
    assert place({"contains_coreference": "yes"}, "go there", world=world, memory=memory) == (9, GROUND, 11)
    assert place({"contains_coreference": "yes"}, "go there", world=world) == ELSEWHERE


@pytest.mark.parametrize(
    ("numbers", "cell"),
    [("5 4 7", (5, 4, 7)), ("5 , 9 , 7", (5, 9, 7)), ("9 11", (9, GROUND + 3, 11)), ("900 4 7", (23, 4, 7))],
)
def test_coordinates_are_taken_as_they_are_within_the_world(numbers: str, cell: Place) -> None:
    said = Said(f"go to {numbers}")
    location = {"reference_object": {"special_reference": {"coordinates_span": said.span(numbers)}}}
    assert place(location, f"go to {numbers}") == cell


def test_between_two_things_is_midway() -> None:
    world = world_with(CUBE, ("blue", shapes.cube(3), (14, GROUND, 14)))
    said = Said("between the red cube and the blue cube")
    ends = [said.thing(said.coloured(colour), said.named("cube")) for colour in ("red", "blue")]
    location = {"relative_direction": "BETWEEN", "reference_object_1": ends[0], "reference_object_2": ends[1]}
    assert place(location, "between the red cube and the blue cube", world=world) == (12, GROUND, 13)


def test_between_the_cubes_is_between_two_different_ones() -> None:
    world = world_with(CUBE, ("blue", shapes.cube(3), (14, GROUND, 14)))
    said = Said("between the cubes")
    cubes = said.thing(said.named("cubes"))
    for location in (
        {"relative_direction": "BETWEEN", "reference_object": cubes},
        {"relative_direction": "BETWEEN", "reference_object_1": cubes, "reference_object_2": cubes},
    ):
        assert place(location, "between the cubes", world=world) == (12, GROUND, 13)


def test_inside_a_hole_is_its_bottom_and_inside_walls_the_floor() -> None:
    world = world_with(worker=WORKER._replace(pitch=80.0))
    world.grid[5:8, GROUND - 2 : GROUND, 8:11] = 0
    walls = shapes.rectanguloid(5, 3, 5)
    world.grid[tuple((walls + np.array([14, GROUND, 14])).T)] = 60
    world.grid[15:18, GROUND : GROUND + 3, 15:18] = 0
    said = Said("inside the hole red")
    hole = {"relative_direction": "INSIDE", "reference_object": said.thing(said.named("hole"))}
    room = {"relative_direction": "INSIDE", "reference_object": said.thing(said.coloured("red"))}
    assert place(hole, "inside the hole red", world=world) == (6, GROUND - 2, 9)
    assert place(room, "inside the hole red", world=world) == (16, GROUND, 16)


def test_beside_a_thing_is_on_top_of_what_stands_there() -> None:
    said = Said("left of the red cube")
    location = {"relative_direction": "LEFT", "reference_object": said.thing(said.coloured("red"))}
    world = world_with(CUBE, ("blue", shapes.cube(2), (12, GROUND, 11)))
    assert place(location, "left of the red cube", world=world) == (12, GROUND + 2, 11)


@pytest.mark.parametrize("location", [None, {}, {"text_span": [0, [0, 0]]}])
def test_what_says_nothing_of_a_place_is_the_default(location: Form | None) -> None:
    assert place(location, "somewhere") == ELSEWHERE


def test_beside_what_is_not_there_is_the_default() -> None:
    said = Said("left of the castle")
    location = {"relative_direction": "LEFT", "reference_object": said.thing(said.named("castle"))}
    assert place(location, "left of the castle") == ELSEWHERE
