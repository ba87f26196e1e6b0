"""The agent's world and memory: blocks, ground, figures, and the things that it remembers."""

import pytest

from builder.world.memory import KnownThing, Memory, bounds
from builder.world.world import World, ahead_of, cell_of, left_of
from lib.faults import Invalid
from lib.voxels.scene import Pose
from tests.support.builder_worlds import GRASS, GROUND, RED, cube, scene

ONE, TWO = (5, GROUND, 5), (6, GROUND, 5)


def test_a_world_is_read_from_a_scene() -> None:
    world = World.of(scene((*ONE, RED)))
    assert (world.size, world.get(ONE), world.ground_level) == ((20, 14, 20), RED, GROUND)
    assert world.agent_cell == (3, GROUND, 3)
    assert world.figures() == {(3, 3, 3), (3, 4, 3), (10, 3, 4), (10, 4, 4)}
    with pytest.raises(Invalid):
        World.of({"size": [4, 4, 4]})


def test_a_scene_without_figures_gets_some_that_stand_on_the_ground() -> None:
    world = World.of(scene() | {"agent": None, "player": None})
    assert world.can_stand(*world.agent_cell)
    assert world.can_stand(*world.player_cell)
    assert world.agent_cell != world.player_cell


def test_outside_there_is_air_and_nothing_can_be_put_there() -> None:
    world = World.of(scene())
    assert world.apply([(20, 0, 0, RED)]) == []
    assert world.get((-1, 0, 0)) == world.get((20, 0, 0)) == 0
    assert world.surface(-1, 0) == GROUND
    assert not world.can_stand(-1, GROUND, 0)


def test_changes_are_undone_in_the_given_order() -> None:
    undo = World.of(scene()).apply([(5, 2, 5, 0), (*ONE, RED), (5, 2, 5, RED)])
    assert undo == [(5, 2, 5, 0), (*ONE, 0), (5, 2, 5, GRASS)]


def test_a_figure_stands_on_blocks_with_room_for_two() -> None:
    world = World.of(scene((*ONE, RED), (7, GROUND + 1, 7, RED)))
    assert world.surface(5, 5) == GROUND + 1
    stands = [world.can_stand(*cell) for cell in ((5, GROUND + 1, 5), ONE, (7, GROUND, 7), (6, GROUND + 1, 5))]
    assert stands == [True, False, False, False]


def test_a_look_meets_the_first_block_and_the_cell_before_it() -> None:
    world = World.of(scene(*cube(10, 8)))
    assert world.looked_at(world.player) == ((10, GROUND + 1, 8), (10, GROUND + 1, 7))
    assert world.looked_at(world.player._replace(pitch=80)) is None


@pytest.mark.parametrize(
    ("yaw", "ahead", "left"), [(0, (0, 1), (1, 0)), (90, (1, 0), (0, -1)), (-181, (0, -1), (-1, 0))]
)
def test_left_is_a_quarter_turn_of_positive_yaw(yaw: float, ahead: tuple[int, int], left: tuple[int, int]) -> None:
    assert (ahead_of(Pose(0, 0, 0, 0, yaw)), left_of(ahead)) == (ahead, left)


def test_positions_and_boxes_are_in_cells() -> None:
    assert cell_of(Pose(3.4, 2.9999999, 4.6, 0, 0)) == (3, 3, 5)
    assert bounds([(1, 5, 3), (2, 4, 3)]) == ((1, 4, 3), (2, 5, 3))


def test_a_new_thing_takes_over_cells_and_a_tag_belongs_to_the_thing_with_its_cells() -> None:
    memory = Memory()
    old, new = KnownThing(frozenset({ONE, TWO}), name="wall"), KnownThing(frozenset({TWO}), name="block")
    memory.add_thing(old)
    assert memory.tag([ONE, TWO], ["Home"]) is old
    assert old.tags == {"home"}
    memory.add_thing(new)
    assert old.voxels == {ONE}
    assert memory.thing_at([TWO]) is new
    assert memory.mentioned == {TWO}
    assert memory.tag([(9, 9, 9)], ["rock"]) not in (old, new)


def test_the_remaining_cells_of_a_thing_are_blocks_and_those_of_a_hole_air() -> None:
    world = World.of(scene((*ONE, RED)))
    assert KnownThing(frozenset({ONE, TWO})).remaining(world) == {ONE}
    assert KnownThing(frozenset({ONE, TWO}), is_hole=True).remaining(world) == {TWO}
