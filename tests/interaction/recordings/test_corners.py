"""The corner from which a film is seen: blocks that change must not stand behind others."""

import numpy as np
import pytest

from interaction.recordings.moments import Happening, Part, Stage
from interaction.recordings.picture import TRIANGLES, Camera, best_corner
from lib.voxels.scene import Pose

WALL, BUILT, SIDE = 57, 45, 12
PART = Part(0, 4000)
CORNERS = {0: (7, 7), 1: (7, 5), 2: (5, 5), 3: (5, 7)}
"""By quarter turns, the column (x, z) that stands before the walls."""


def stage() -> Stage:
    """Flat ground with a high wall across its middle, both ways."""
    grid = np.zeros((SIDE, 8, SIDE), dtype=np.uint8)
    grid[:, 0, :] = WALL
    grid[SIDE // 2, :7, :] = grid[:, :7, SIDE // 2] = WALL
    return Stage(grid, None, None)


def put(x: int, z: int) -> Happening:
    return Happening(2000, "agent", "blocks", {"changes": [[x, 1, z, BUILT], [x, 2, z, BUILT]]})


@pytest.mark.parametrize("turns", CORNERS)
def test_a_film_is_seen_from_the_corner_near_which_blocks_or_the_agent_move(turns: int) -> None:
    world, (x, z) = stage(), CORNERS[turns]
    assert best_corner(world, [put(x, z)], PART) == turns
    assert not world.grid[x, 1, z], "nothing has happened yet"
    walks = [Happening(at, "agent", "pose", Pose(x, 1, z, at / 100, 0)._asdict()) for at in range(100, 4000, 400)]
    assert best_corner(world, walks, PART) == turns


def test_a_film_without_changes_is_not_turned() -> None:
    assert best_corner(stage(), [], PART) == 0


@pytest.mark.parametrize("size", [(5, 4, 5), (3, 4, 7)])
@pytest.mark.parametrize("turns", range(4))
def test_a_turned_camera_counts_and_draws_the_same_block(turns: int, size: tuple[int, int, int]) -> None:
    grid = np.zeros(size, dtype=np.uint8)
    grid[2, 1, 3] = BUILT
    world = Stage(grid, Pose(0, 0, 1, 0, 30), None, box=((0, 0, 0), (1, 1, 1)))
    camera = Camera(size, turns=turns)
    picture = camera.draw(world)
    assert picture.shape == (camera.height, camera.width, 3)
    world.agent = world.box = None
    seen = camera.seen(world)
    assert np.argwhere(seen).tolist() == [[2, 1, 3]]
    assert seen[2, 1, 3] == TRIANGLES
    assert (camera.draw(world) != picture).any()
