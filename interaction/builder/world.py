"""The voxel world as the agent keeps it: blocks, and where the agent and the worker stand.

Axes are x, y, z, y up; `annotation/voxels/table.json` has the frame. Outside of the world there is only air.
"""

from collections.abc import Iterable, Mapping
from math import cos, floor, radians, sin
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from annotation.voxels.scene import Pose, read_scene
from annotation.voxels.table import AIR
from interaction.builder.acts import Change, Place

Grid = NDArray[np.uint8]
TALL = 2
"""Blocks that a figure takes, one over the other."""
EYES = 1.6
"""How high over the feet a figure's eyes are, in blocks."""
_FARTHEST = 128.0
"""How far somebody sees, in blocks."""
_STEP = 0.05
_EDGE = 1e-6
"""Feet a hair below a block's top still stand on it: positions come over the wire as decimals."""


class World:
    """Blocks and figures.

    Attributes:
        grid: Block ids, shape `size` (x, y, z), uint8; 0 is air.
        agent: Where the agent stands and looks.
        player: The same of the worker.
        ground_level: The y on which most columns' ground ends: where one stands on open ground.
    """

    def __init__(self, grid: Grid, agent: Pose, player: Pose) -> None:
        self.grid = grid
        self.agent = agent
        self.player = player
        self.ground_level = _usual_level(grid)

    @classmethod
    def of(cls, scene: Mapping[str, Any]) -> Self:
        """The world of a scene as JSON. A figure that the scene lacks, or has outside, stands in the middle or beside.

        Raises:
            common.errors.Invalid: this is no scene.
        """
        read = read_scene(scene)
        world = cls(read.dense(), _NOBODY, _NOBODY)
        x, _, z = (side // 2 for side in world.size)
        world.agent = world._settled(read.agent, x, z)
        world.player = world._settled(read.player, max(x - 2, 0), z)
        return world

    def _settled(self, pose: Pose | None, x: int, z: int) -> Pose:
        if pose is not None and self.inside(cell_of(pose)):
            return pose
        return Pose(float(x), float(min(self.surface(x, z), self.size[1] - 1)), float(z), 0.0, 0.0)

    # What is there ---------------------------------------------------------------------------------------------

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
        """Whether a cell belongs to the world."""
        return all(0 <= one < side for one, side in zip(place, self.grid.shape, strict=True))

    def get(self, place: Place) -> int:
        """The id of the block there; air outside of the world."""
        return int(self.grid[place]) if self.inside(place) else AIR

    def set(self, place: Place, block: int) -> None:
        """Put a block there; outside of the world nothing happens."""
        if self.inside(place):
            self.grid[place] = block

    def apply(self, changes: Iterable[Change]) -> list[Change]:
        """Make these changes; returns those that would put back what was there, last first."""
        before: list[Change] = []
        for x, y, z, block in changes:
            if self.inside((x, y, z)):
                before.append((x, y, z, self.get((x, y, z))))
                self.set((x, y, z), block)
        return before[::-1]

    def surface(self, x: int, z: int) -> int:
        """The y just above the highest block of a column: 0 where there is none, the world's height where it is full.

        Outside of the world it is the ground level.
        """
        if not self.inside((x, 0, z)):
            return self.ground_level
        filled = np.flatnonzero(self.grid[x, :, z])
        return int(filled[-1]) + 1 if filled.size else 0

    # Figures ---------------------------------------------------------------------------------------------------

    def figures(self) -> frozenset[Place]:
        """The cells that the agent and the worker take."""
        feet = (self.agent_cell, self.player_cell)
        return frozenset((x, y + up, z) for x, y, z in feet for up in range(TALL))

    def can_stand(self, x: int, y: int, z: int) -> bool:
        """Whether a figure fits with its feet in this cell, something (or the world's floor) below it.

        The head may reach out of the world's top. Who else stands there does not matter here.
        """
        if not self.inside((x, y, z)):
            return False
        held = y == 0 or self.get((x, y - 1, z)) != AIR
        return held and all(self.get((x, y + up, z)) == AIR for up in range(TALL))

    def looked_at(self, pose: Pose) -> tuple[Place, Place] | None:
        """The first block that somebody looks at, and the free cell before it; None if they look into the air.

        The free cell may lie outside of the world; figures are looked through.
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
    """The cell of somebody's feet: a figure at x = 3 stands in the middle of cell 3."""
    return floor(pose.x + 0.5), floor(pose.y + _EDGE), floor(pose.z + 0.5)


def direction_of(pose: Pose) -> tuple[float, float, float]:
    """Where somebody looks, a vector of length 1: yaw 0 is +z, yaw 90 is +x, pitch is positive up."""
    pitch, yaw = radians(pose.pitch), radians(pose.yaw)
    return sin(yaw) * cos(pitch), sin(pitch), cos(yaw) * cos(pitch)


def ahead_of(pose: Pose) -> tuple[int, int]:
    """The step (x, z) along an axis that comes nearest to where somebody looks.

    >>> ahead_of(Pose(0, 0, 0, 0, 0)), ahead_of(Pose(0, 0, 0, -30, 100))
    ((0, 1), (1, 0))
    """
    quarter = round(pose.yaw / 90) % 4
    return ((0, 1), (1, 0), (0, -1), (-1, 0))[quarter]


def left_of(step: tuple[int, int]) -> tuple[int, int]:
    """A step turned to the left, as somebody sees it who looks along it.

    >>> left_of((0, 1))
    (1, 0)
    """
    x, z = step
    return z, -x


def _usual_level(grid: Grid) -> int:
    """The most common surface of all columns, the lowest of several."""
    height = grid.shape[1]
    filled = grid != AIR
    tops = np.where(filled.any(axis=1), height - filled[:, ::-1, :].argmax(axis=1), 0)
    return int(np.bincount(tops.ravel(), minlength=height + 1).argmax())
