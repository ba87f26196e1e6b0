"""The agent's world: blocks, ground, figures, what somebody looks at."""

import pytest

from annotation.voxels.scene import Pose
from common.errors import Invalid
from interaction.builder.memory import Known, Memory, bounds
from interaction.builder.world import World, ahead_of, cell_of, left_of
from tests.interaction.builder.worlds import GRASS, GROUND, RED, cube, scene


def test_a_world_is_read_from_a_scene() -> None:
    world = World.of(scene((5, GROUND, 5, RED)))
    assert world.size == (20, 14, 20)
    assert world.get((5, GROUND, 5)) == RED
    assert world.ground_level == GROUND
    assert world.agent_cell == (3, GROUND, 3)
    assert world.figures() == {(3, 3, 3), (3, 4, 3), (10, 3, 4), (10, 4, 4)}


def test_what_is_no_scene_is_refused() -> None:
    with pytest.raises(Invalid):
        World.of({"size": [4, 4, 4]})


def test_a_scene_without_figures_gets_some_that_stand_on_the_ground() -> None:
    world = World.of(scene() | {"agent": None, "player": None})
    assert world.can_stand(*world.agent_cell)
    assert world.can_stand(*world.player_cell)
    assert world.agent_cell != world.player_cell


def test_outside_there_is_air_and_nothing_can_be_put_there() -> None:
    world = World.of(scene())
    assert world.get((-1, 0, 0)) == 0
    assert world.apply([(20, 0, 0, RED)]) == []
    assert world.get((20, 0, 0)) == 0


def test_changes_can_be_taken_back_in_the_order_given() -> None:
    world = World.of(scene())
    before = world.grid.copy()
    back = world.apply([(5, 2, 5, 0), (5, 3, 5, RED), (5, 2, 5, RED)])
    assert back == [(5, 2, 5, 0), (5, 3, 5, 0), (5, 2, 5, GRASS)]
    world.apply(back)
    assert (world.grid == before).all()


def test_one_stands_on_blocks_with_room_for_two() -> None:
    world = World.of(scene((5, GROUND, 5, RED), (7, GROUND + 1, 7, RED)))
    assert world.surface(5, 5) == GROUND + 1
    assert world.can_stand(5, GROUND + 1, 5)
    assert not world.can_stand(5, GROUND, 5)
    assert not world.can_stand(7, GROUND, 7)
    assert not world.can_stand(6, GROUND + 1, 5)


def test_who_looks_at_something_sees_the_first_block_and_the_cell_before_it() -> None:
    world = World.of(scene(*cube(10, 8)))
    assert world.looked_at(world.player) == ((10, GROUND + 1, 8), (10, GROUND + 1, 7))
    assert world.looked_at(world.player._replace(pitch=80)) is None


@pytest.mark.parametrize(
    ("yaw", "ahead", "left"), [(0, (0, 1), (1, 0)), (90, (1, 0), (0, -1)), (-181, (0, -1), (-1, 0))]
)
def test_left_is_a_quarter_turn_of_positive_yaw(yaw: float, ahead: tuple[int, int], left: tuple[int, int]) -> None:
    pose = Pose(0, 0, 0, 0, yaw)
    assert ahead_of(pose) == ahead
    assert left_of(ahead) == left


def test_a_position_on_the_way_to_the_next_cell_belongs_to_the_nearer_one() -> None:
    assert cell_of(Pose(3.4, 2.9999999, 4.6, 0, 0)) == (3, 3, 5)


def test_what_is_made_takes_over_cells_from_what_was_there() -> None:
    memory = Memory()
    old = Known(frozenset({(0, 0, 0), (1, 0, 0)}), name="wall")
    memory.made(old)
    new = Known(frozenset({(1, 0, 0)}), name="block")
    memory.made(new)
    assert old.voxels == {(0, 0, 0)}
    assert memory.at([(1, 0, 0)]) is new
    assert memory.mentioned == {(1, 0, 0)}


def test_a_name_is_kept_with_the_thing_that_has_these_cells() -> None:
    memory = Memory()
    house = Known(frozenset({(0, 0, 0), (1, 0, 0)}), name="house")
    memory.made(house)
    assert memory.tag([(0, 0, 0), (1, 0, 0)], ["Home"]) is house
    assert house.tags == {"home"}
    assert memory.tag([(5, 5, 5)], ["rock"]) is not house


def test_of_a_thing_what_is_left_is_known() -> None:
    world = World.of(scene((5, GROUND, 5, RED)))
    thing = Known(frozenset({(5, GROUND, 5), (6, GROUND, 5)}))
    hole = Known(frozenset({(5, GROUND, 5), (6, GROUND, 5)}), is_hole=True)
    assert thing.now(world) == {(5, GROUND, 5)}
    assert hole.now(world) == {(6, GROUND, 5)}


def test_bounds_are_both_inclusive() -> None:
    assert bounds([(1, 5, 3), (2, 4, 3)]) == ((1, 4, 3), (2, 5, 3))
