"""Walking: a voxel a step, over what is there, as near as it can."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.acting.acts import Go, Place
from builder.world.paths import Way, pose_facing, walk, way_near, way_to
from builder.world.world import World
from tests.support.builder_worlds import GROUND, STONE, cube, scene

SMALL = (9, 9, 9)


def walk_to_end(world: World, way: Way, *, turning: bool = True) -> list[Place]:
    """Walk it, the world following; the cells."""
    cells: list[Place] = []
    for act in walk(world, way, turning=turning):
        assert isinstance(act, Go)
        world.agent = act.pose
        cells.append(world.agent_cell)
    return cells


WALL = [(x, GROUND + y, 5, STONE) for x in range(20) for y in range(3)]
HALF_WALL = [(x, GROUND + y, 5, STONE) for x in range(6) for y in range(2)]
IN_A_HOLE = {"agent": {"x": 3, "y": 1, "z": 3, "pitch": 0, "yaw": 0}}


@pytest.mark.parametrize(
    ("blocks", "more", "goal", "steps", "highest", "arrives"),
    [
        ([], {}, (7, GROUND, 5), 6, GROUND, True),
        # It steps over one block, goes around two, and climbs where there is no way around.
        (WALL[::3], {}, (3, GROUND, 8), 5, GROUND + 1, True),
        (HALF_WALL, {}, (3, GROUND, 8), 11, GROUND, True),
        (WALL, {}, (3, GROUND, 8), 11, GROUND + 3, True),
        ([(3, 2, 3, 0), (3, 1, 3, 0)], IN_A_HOLE, (5, GROUND, 3), 4, GROUND, True),
        (cube(8, 8, 3), {}, (9, GROUND + 1, 9), 15, GROUND + 3, False),
    ],
)
def test_the_path_is_the_shortest_one(
    blocks: Any, more: Any, goal: Place, steps: int, highest: int, arrives: bool
) -> None:
    world = World.of(scene(*blocks) | more)
    way = way_to(world, goal)
    cells = walk_to_end(world, way)
    assert (len(cells), max(y for _, y, _ in cells), way.arrives) == (steps, highest, arrives)
    assert (cells[-1] == goal) == arrives


def test_it_looks_where_it_goes_unless_it_goes_backwards() -> None:
    world = World.of(scene())
    for goal, turning, yaw in (((3, GROUND, 6), True, 0), ((6, GROUND, 6), True, 90), ((2, GROUND, 6), False, 90)):
        walk_to_end(world, way_to(world, goal), turning=turning)
        assert world.agent.yaw == yaw


def test_it_does_not_walk_through_the_worker() -> None:
    walls = [(x, GROUND + y, 4, STONE) for x in range(20) for y in range(9) if x != 10]
    world = World.of(scene(*walls))
    assert not any((10, y, 4) in way_to(world, (10, GROUND, 8)).cells for y in (GROUND, GROUND + 1))


def test_it_stops_where_something_came_into_its_way() -> None:
    world = World.of(scene())
    steps = walk(world, way_to(world, (3, GROUND, 9)))
    first = next(steps)
    assert isinstance(first, Go)
    world.agent = first.pose
    world.set((3, GROUND, 5), STONE)
    world.set((3, GROUND + 1, 5), STONE)
    assert list(steps) == []


def test_near_a_box_it_ends_beside_it_and_never_within() -> None:
    world = World.of(scene(agent=(9, 9)))
    way = way_near(world, (7, GROUND, 7), (11, GROUND + 2, 11))
    x, _, z = walk_to_end(world, way)[-1]
    assert not (7 <= x <= 11 and 7 <= z <= 11)
    assert way.arrives


def test_it_faces_the_middle_of_a_box() -> None:
    world = World.of(scene())
    pose = pose_facing(world, (5, GROUND, 3), (7, GROUND + 2, 3))
    assert pose.yaw == 90
    assert pose[:3] == world.agent[:3]


def _one_apart(way: list[Place]) -> Iterator[bool]:
    for one, other in pairwise(way):
        yield all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True)) and one != other


@given(
    blocks=st.lists(st.tuples(st.integers(0, 8), st.integers(3, 5), st.integers(0, 8)), max_size=60, unique=True),
    goal=st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8)),
)
def test_every_step_is_one_voxel_and_free(blocks: list[Place], goal: Place) -> None:
    free = [place for place in blocks if place[0] != 1]
    world = World.of(scene(*((*place, STONE) for place in free), size=SMALL, agent=(1, 1), player=(1, 7)))
    start = world.agent_cell
    way = way_to(world, goal)
    cells = walk_to_end(world, way)
    assert cells == list(way.cells)
    assert all(_one_apart([start, *cells]))
    assert all(world.inside(cell) and world.get(cell) == 0 for cell in cells)
    assert ([start, *cells][-1] == goal) == way.arrives
