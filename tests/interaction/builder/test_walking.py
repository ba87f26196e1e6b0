"""Walking: a voxel a step, over what is there, as near as it can."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interaction.builder.acts import Go, Place
from interaction.builder.walking import Way, facing, walked, way_near, way_to
from interaction.builder.world import World
from tests.interaction.builder.worlds import GROUND, STONE, cube, scene

SMALL = (9, 9, 9)


def walk(world: World, way: Way) -> list[Place]:
    """Walk it, the world following; the cells."""
    cells: list[Place] = []
    for act in walked(world, way):
        assert isinstance(act, Go)
        world.agent = act.pose
        cells.append(world.agent_cell)
    return cells


def test_on_open_ground_it_takes_the_shortest_way() -> None:
    world = World.of(scene())
    way = way_to(world, (7, GROUND, 5))
    assert way.arrives
    assert len(way.cells) == 6
    assert walk(world, way)[-1] == (7, GROUND, 5)


def test_it_looks_where_it_goes() -> None:
    world = World.of(scene())
    walk(world, way_to(world, (3, GROUND, 6)))
    assert world.agent.yaw == 0
    walk(world, way_to(world, (6, GROUND, 6)))
    assert world.agent.yaw == 90


def test_it_steps_over_one_block_and_goes_around_two() -> None:
    row = [(x, GROUND, 5, STONE) for x in range(20)]
    assert len(way_to(World.of(scene(*row)), (3, GROUND, 8)).cells) == 5
    wall = [(x, GROUND + y, 5, STONE) for x in range(6) for y in range(2)]
    way = way_to(World.of(scene(*wall)), (3, GROUND, 8))
    assert way.arrives
    assert all(y == GROUND for _, y, _ in way.cells)


def test_it_climbs_a_wall_that_it_cannot_go_around() -> None:
    wall = [(x, GROUND + y, 5, STONE) for x in range(20) for y in range(3)]
    world = World.of(scene(*wall))
    cells = walk(world, way_to(world, (3, GROUND, 8)))
    assert cells[-1] == (3, GROUND, 8)
    assert max(y for _, y, _ in cells) == GROUND + 3


def test_it_gets_out_of_a_hole() -> None:
    hole = [(3, 2, 3, 0), (3, 1, 3, 0)]
    world = World.of(scene(*hole) | {"agent": {"x": 3, "y": 1, "z": 3, "pitch": 0, "yaw": 0}})
    assert walk(world, way_to(world, (5, GROUND, 3)))[-1] == (5, GROUND, 3)


def test_it_goes_as_near_as_it_can_and_says_so() -> None:
    world = World.of(scene(*cube(8, 8, 3)))
    way = way_to(world, (9, GROUND + 1, 9))
    assert not way.arrives
    assert walk(world, way)


def test_it_does_not_walk_through_the_worker() -> None:
    walls = [(x, GROUND + y, 4, STONE) for x in range(20) for y in range(9) if x != 10]
    world = World.of(scene(*walls))
    assert not any((10, y, 4) in way_to(world, (10, GROUND, 8)).cells for y in (GROUND, GROUND + 1))


def test_it_stops_where_something_came_into_its_way() -> None:
    world = World.of(scene())
    steps = walked(world, way_to(world, (3, GROUND, 9)))
    first = next(steps)
    assert isinstance(first, Go)
    world.agent = first.pose
    world.set((3, GROUND, 5), STONE)
    world.set((3, GROUND + 1, 5), STONE)
    assert list(steps) == []


def test_near_a_box_it_ends_beside_it_and_never_within() -> None:
    world = World.of(scene(agent=(9, 9)))
    way = way_near(world, (7, GROUND, 7), (11, GROUND + 2, 11))
    x, _, z = walk(world, way)[-1]
    assert not (7 <= x <= 11 and 7 <= z <= 11)
    assert way.arrives


def test_it_faces_the_middle_of_a_box() -> None:
    world = World.of(scene())
    pose = facing(world, (5, GROUND, 3), (7, GROUND + 2, 3))
    assert pose.yaw == 90
    assert pose[:3] == world.agent[:3]


def _one_apart(way: list[Place]) -> Iterator[bool]:
    for one, other in pairwise(way):
        yield all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True)) and one != other


@settings(max_examples=40, deadline=None)
@given(
    blocks=st.lists(st.tuples(st.integers(0, 8), st.integers(3, 5), st.integers(0, 8)), max_size=60, unique=True),
    goal=st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8)),
)
def test_every_step_is_one_voxel_and_free(blocks: list[Place], goal: Place) -> None:
    free = [place for place in blocks if place[0] != 1]
    world = World.of(scene(*((*place, STONE) for place in free), size=SMALL, agent=(1, 1), player=(1, 7)))
    start = world.agent_cell
    way = way_to(world, goal)
    cells = walk(world, way)
    assert cells == list(way.cells)
    assert all(_one_apart([start, *cells]))
    assert all(world.inside(cell) and world.get(cell) == 0 for cell in cells)
    assert ([start, *cells][-1] == goal) == way.arrives


@pytest.mark.parametrize("turning", [True, False])
def test_backwards_it_keeps_looking_where_it_looked(turning: bool) -> None:
    world = World.of(scene(agent=(5, 9)))
    poses = [act.pose for act in walked(world, way_to(world, (5, GROUND, 8)), turning=turning) if isinstance(act, Go)]
    assert [pose.yaw for pose in poses] == [180 if turning else 0]
