"""The agent's copy of the voxel world: blocks, and the poses of the agent and the worker.

Axes are x, y, z, y up; `lib/voxels/table.json` has the frame. Outside the world there is only air.
"""

from collections.abc import Iterable, Mapping
from math import cos, floor, radians, sin
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from builder.acting.acts import Change, Place
from lib.voxels.scene import Pose, read_scene
from lib.voxels.surface import ground_level
from lib.voxels.table import AIR

Grid = NDArray[np.uint8]
TALL = 2
"""The height of a figure in blocks."""
EYES = 1.6
"""The height of a figure's eyes over its feet, in blocks."""
_FARTHEST = 128.0
"""The range of a figure's view, in blocks."""
_STEP = 0.05
_EDGE = 1e-6
"""Positions arrive as decimals: feet slightly below a block's top still stand on it."""


class World:
    """Blocks and figures.

    Attributes:
        grid: Block ids, shape `size` (x, y, z), uint8; 0 is air.
        agent: The agent's pose.
        player: The worker's pose.
        ground_level: The y at which the ground of most columns ends: the y of a figure on open ground.
    """

    def __init__(self, grid: Grid, agent: Pose, player: Pose) -> None:
        self.grid = grid
        self.agent = agent
        self.player = player
        self.ground_level = ground_level(grid)

    @classmethod
    def of(cls, scene: Mapping[str, Any]) -> Self:
        """The world of a scene as JSON. A figure that is missing, or outside, is put into the middle or beside it.

        Raises:
            lib.faults.Invalid: The scene is not valid.
        """
        read = read_scene(scene)
        world = cls(read.dense(), _NOBODY, _NOBODY)
        x, _, z = (side // 2 for side in world.size)
        world.agent = world._pose_or_default(read.agent, x, z)
        world.player = world._pose_or_default(read.player, max(x - 2, 0), z)
        return world

    def _pose_or_default(self, pose: Pose | None, x: int, z: int) -> Pose:
        if pose is not None and self.inside(cell_of(pose)):
            return pose
        return Pose(float(x), float(min(self.surface(x, z), self.size[1] - 1)), float(z), 0.0, 0.0)

    # Blocks ----------------------------------------------------------------------------------------------------

    @property
    def size(self) -> Place:
        """Sides in blocks."""
        x, y, z = self.grid.shape
        return x, y, z

    @property
    def agent_cell(self) -> Place:
        """The cell of the agent's feet."""
        return cell_of(self.agent)

    @property
    def player_cell(self) -> Place:
        """The cell of the worker's feet."""
        return cell_of(self.player)

    def inside(self, place: Place) -> bool:
        """True if a cell belongs to the world."""
        return all(0 <= one < side for one, side in zip(place, self.grid.shape, strict=True))

    def get(self, place: Place) -> int:
        """The id of the block in a cell; air outside the world."""
        return int(self.grid[place]) if self.inside(place) else AIR

    def set(self, place: Place, block: int) -> None:
        """Put a block into a cell; does nothing outside the world."""
        if self.inside(place):
            self.grid[place] = block

    def apply(self, changes: Iterable[Change]) -> list[Change]:
        """Make these changes. Returns the changes that undo them, last first."""
        before: list[Change] = []
        for x, y, z, block in changes:
            if self.inside((x, y, z)):
                before.append((x, y, z, self.get((x, y, z))))
                self.set((x, y, z), block)
        return before[::-1]

    def surface(self, x: int, z: int) -> int:
        """The y just above the highest block of a column: 0 if it is empty, the world's height if it is full.

        Outside the world it is the ground level.
        """
        if not self.inside((x, 0, z)):
            return self.ground_level
        filled = np.flatnonzero(self.grid[x, :, z])
        return int(filled[-1]) + 1 if filled.size else 0

    # Figures ---------------------------------------------------------------------------------------------------

    def figures(self) -> frozenset[Place]:
        """The cells of the agent and the worker."""
        feet = (self.agent_cell, self.player_cell)
        return frozenset((x, y + up, z) for x, y, z in feet for up in range(TALL))

    def can_stand(self, x: int, y: int, z: int) -> bool:
        """True if a figure fits with its feet in this cell and a block, or the world's floor, below it.

        The head may be above the world's top. Other figures are not considered.
        """
        if not self.inside((x, y, z)):
            return False
        held = y == 0 or self.get((x, y - 1, z)) != AIR
        return held and all(self.get((x, y + up, z)) == AIR for up in range(TALL))

    def looked_at(self, pose: Pose) -> tuple[Place, Place] | None:
        """The first block in the direction of a pose, and the free cell before it; None if there is no block.

        The free cell may be outside the world. Figures do not block the view.
        """
        dx, dy, dz = direction_of(pose)
        x, y, z = pose.x + 0.5, pose.y + EYES, pose.z + 0.5
        before = (floor(x), floor(y), floor(z))
        for step in range(1, int(_FARTHEST / _STEP)):
            along = step * _STEP
            cell = (floor(x + along * dx), floor(y + along * dy), floor(z + along * dz))
            if cell == before:
                continue
            if self.get(cell) != AIR:
                return cell, before
            before = cell
        return None


_NOBODY = Pose(0.0, 0.0, 0.0, 0.0, 0.0)


def cell_of(pose: Pose) -> Place:
    """The cell of a figure's feet: a figure at x = 3 stands in the middle of cell 3."""
    return floor(pose.x + 0.5), floor(pose.y + _EDGE), floor(pose.z + 0.5)


def direction_of(pose: Pose) -> tuple[float, float, float]:
    """The direction of a pose as a vector of length 1: yaw 0 is +z, yaw 90 is +x, positive pitch is up."""
    pitch, yaw = radians(pose.pitch), radians(pose.yaw)
    return sin(yaw) * cos(pitch), sin(pitch), cos(yaw) * cos(pitch)


def ahead_of(pose: Pose) -> tuple[int, int]:
    """The step (x, z) along the axis nearest to the direction of a pose.

    >>> ahead_of(Pose(0, 0, 0, 0, 0)), ahead_of(Pose(0, 0, 0, -30, 100))
    ((0, 1), (1, 0))
    """
    quarter = round(pose.yaw / 90) % 4
    return ((0, 1), (1, 0), (0, -1), (-1, 0))[quarter]


def left_of(step: tuple[int, int]) -> tuple[int, int]:
    """A step turned to the left, as seen by a figure that looks along it.

    >>> left_of((0, 1))
    (1, 0)
    """
    x, z = step
    return z, -x
