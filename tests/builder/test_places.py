"""The cell that a location means."""

import numpy as np
import pytest

from builder.acting.acts import Place
from builder.meaning.places import place_of
from builder.parser.sentence import parse
from builder.world.memory import Memory
from builder.world.world import World
from lib.logical_form import Form
from lib.voxels import shapes
from lib.voxels.scene import Pose
from tests.support.builder_worlds import SMALL_GROUND, WORKER, Said, cells, looking_at, world_with

CUBE = ("red", shapes.cube(3), (8, SMALL_GROUND, 10))
BLUE = ("blue", shapes.cube(3), (14, SMALL_GROUND, 14))
ELSEWHERE = (1, SMALL_GROUND, 1)


def place(
    text: str, location: Form | None = None, *, world: World | None = None, memory: Memory | None = None
) -> Place:
    """The cell of the location in a command, or of a location with these words."""
    tokens = text.split()
    if location is None:
        location = parse(tokens)["event_sequence"][0].get("location")
    return place_of(world or world_with(CUBE), memory or Memory(), location, tokens, ELSEWHERE)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        # The worker looks along +z, so that left is +x, and the front of a thing is the side of less z.
        ("build a block to the left of the cube", (12, SMALL_GROUND, 11)),
        ("build a block to the right of the cube", (6, SMALL_GROUND, 11)),
        ("build a block in front of the cube", (9, SMALL_GROUND, 8)),
        ("build a block behind the cube", (9, SMALL_GROUND, 14)),
        ("build a block on top of the cube", (9, SMALL_GROUND + 3, 11)),
        ("build a block under the cube", (9, SMALL_GROUND - 1, 11)),
        # The agent stands at less z.
        ("build a block near the cube", (9, SMALL_GROUND, 8)),
        ("build a block around the cube", (9, SMALL_GROUND, 8)),
        ("build a block outside the cube", (9, SMALL_GROUND, 8)),
        ("build a block away from the cube", (9, SMALL_GROUND, 5)),
        ("come to me", (10, SMALL_GROUND, 2)),
        ("come here", (10, SMALL_GROUND, 2)),
        # A nearer thing would fill the worker's view.
        ("build it in front of me", (10, SMALL_GROUND, 7)),
        ("go in front of me", (10, SMALL_GROUND, 4)),
        ("build a block behind me", (10, SMALL_GROUND, 0)),
        ("build a block to my left", (12, SMALL_GROUND, 2)),
        ("build a block to my right", (8, SMALL_GROUND, 2)),
        # The agent looks along +x.
        ("go forward", (6, SMALL_GROUND, 4)),
        ("go back", (2, SMALL_GROUND, 4)),
        # To the worker's left, unless the words say that it is the agent's own.
        ("go left", (6, SMALL_GROUND, 4)),
        ("build a block to your left", (4, SMALL_GROUND, 2)),
        ("build a block to your right", (4, SMALL_GROUND, 6)),
        ("build a block above you", (4, SMALL_GROUND + 2, 4)),
        # Steps are counted up to the edge of the world.
        ("go one step forward", (5, SMALL_GROUND, 4)),
        ("go 5 steps forward", (9, SMALL_GROUND, 4)),
        ("go twenty steps forward", (23, SMALL_GROUND, 4)),
        ("go to 5 4 7", (5, 4, 7)),
        ("go to 9 11", (9, SMALL_GROUND + 3, 11)),
        ("go to 900 4 7", (23, 4, 7)),
        ("build a block to the left of the castle", ELSEWHERE),
        ("build a block", ELSEWHERE),
    ],
)
def test_a_place_in_words_is_this_cell(text: str, cell: Place) -> None:
    assert place(text) == cell


@pytest.mark.parametrize(
    ("text", "worker", "cell"),
    [
        # From x = 2 along +x, left is -z.
        ("build a block to the left of the cube", WORKER._replace(x=2.0, z=11.0, yaw=90.0), (9, SMALL_GROUND, 8)),
        # A thing behind the worker's back has the sides that they would see.
        ("build a block in front of the cube", WORKER._replace(yaw=180.0), (9, SMALL_GROUND, 8)),
        ("build a block there", looking_at(10, 8, down=-15.0), (10, SMALL_GROUND, 8)),
        ("build a block here", looking_at(10, 8, down=-15.0), (10, SMALL_GROUND, 8)),
        ("go there", WORKER._replace(pitch=80.0), ELSEWHERE),
    ],
)
def test_a_place_turns_with_the_worker(text: str, worker: Pose, cell: Place) -> None:
    assert place(text, world=world_with(CUBE, worker=worker)) == cell


def test_there_is_the_thing_mentioned_last_if_the_worker_looks_at_nothing() -> None:
    memory = Memory()
    memory.mention(cells(*CUBE[1:]))
    assert place("go there", world=world_with(CUBE, worker=WORKER._replace(pitch=80.0)), memory=memory) == (
        9,
        SMALL_GROUND,
        11,
    )


@pytest.mark.parametrize(
    ("text", "corner", "cell"),
    [
        ("build a block between the red cube and the blue cube", (14, SMALL_GROUND, 14), (12, SMALL_GROUND, 13)),
        ("build a block between the cubes", (14, SMALL_GROUND, 14), (12, SMALL_GROUND, 13)),
        # Beside a thing is on top of the thing that stands there.
        ("build a block to the left of the red cube", (11, SMALL_GROUND, 10), (12, SMALL_GROUND + 3, 11)),
    ],
)
def test_a_place_beside_two_things(text: str, corner: Place, cell: Place) -> None:
    assert place(text, world=world_with(CUBE, ("blue", shapes.cube(3), corner))) == cell


def test_one_description_between_two_things_means_both() -> None:
    said = Said("between the cubes")
    location = {"relative_direction": "BETWEEN", "reference_object": said.thing(said.named("cubes"))}
    assert place("between the cubes", location, world=world_with(CUBE, BLUE)) == (12, SMALL_GROUND, 13)


@pytest.mark.parametrize(
    "location", [{}, {"text_span": [0, [0, 0]]}, {"reference_object": {"special_reference": {"fixed_value": "NOBODY"}}}]
)
def test_a_location_that_says_nothing_is_the_default(location: Form) -> None:
    assert place("somewhere", location) == ELSEWHERE


def test_inside_a_hole_is_its_bottom_and_inside_walls_the_floor() -> None:
    world = world_with(worker=WORKER._replace(pitch=80.0))
    world.grid[5:8, SMALL_GROUND - 2 : SMALL_GROUND, 8:11] = 0
    world.grid[tuple((shapes.rectanguloid(5, 3, 5) + np.array([14, SMALL_GROUND, 14])).T)] = 60
    world.grid[15:18, SMALL_GROUND : SMALL_GROUND + 3, 15:18] = 0
    assert place("build a block inside the hole", world=world) == (6, SMALL_GROUND - 2, 9)
    assert place("build a block inside the red thing", world=world) == (16, SMALL_GROUND, 16)
