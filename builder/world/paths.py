"""Paths: the way over the blocks from one cell to another, one cell for each step.

The agent steps one block up or down. If there is no way around a wall it climbs up or falls down, one cell at a time,
so that it never stays in a hole. It cannot pass through the worker.
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from math import atan2, degrees, hypot, sqrt
from typing import NamedTuple

import numpy as np

from builder.acting.acts import Acts, Go, Place
from builder.world.world import EYES, TALL, World
from lib.voxels.scene import Pose
from lib.voxels.table import AIR

HIGHEST = 32
"""The most blocks that it climbs up or down."""
_CLIMB, _FALL = 6.0, 3.0
"""The cost in steps of climbing or falling one block. The agent prefers a way around."""
_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
_TURNS = {(0, 1): 0.0, (1, 0): 90.0, (0, -1): 180.0, (-1, 0): -90.0}
_NO_PITCH = 0.0
_WITHIN = 1000.0


class Way(NamedTuple):
    """The cells of a path, without the start; `arrives` is False if it ends at the nearest cell to the goal."""

    cells: tuple[Place, ...]
    arrives: bool


def way_to(world: World, goal: Place) -> Way:
    """The shortest path of the agent's feet to this cell, or to the nearest cell that can be reached.

    Costs: visits every cell that can be reached if the goal cannot.
    """

    def left(cell: Place) -> float:
        return float(sum(abs(one - other) for one, other in zip(cell, goal, strict=True)))

    return _way(world, left, lambda cell: cell == goal)


def way_near(world: World, low: Place, high: Place, *, gap: int = 1, most: int = 3) -> Way:
    """The shortest path to a cell beside a box (both corners inclusive): `gap` to `most` columns from its sides.

    It ends outside the columns of the box, so that the agent is not built in, and not above its foot, so that the agent
    does not stay on a roof to build a cellar.
    """

    def above(cell: Place) -> int:
        return max(cell[1] - max(low[1], world.ground_level) - 1, 0)

    def left(cell: Place) -> float:
        return max(_columns_from(cell, low, high) - most, 0.0) + above(cell)

    def is_there(cell: Place) -> bool:
        return gap <= _columns_from(cell, low, high) <= most and not above(cell)

    return _way(world, left, is_there, low, high)


def way_down(world: World) -> Way:
    """The shortest path down to the open ground."""

    def left(cell: Place) -> float:
        return float(max(cell[1] - world.ground_level, 0))

    return _way(world, left, lambda cell: cell[1] <= world.ground_level)


def walk(world: World, way: Way, *, turning: bool = True) -> Acts:
    """The steps of a path. It ends early if something has come into the way.

    Args:
        turning: The agent looks where it walks; otherwise it keeps its direction.
    """
    for cell in way.cells:
        here = world.agent_cell
        step = (cell[0] - here[0], cell[2] - here[2])
        if not all(world.get((cell[0], cell[1] + up, cell[2])) == AIR for up in range(TALL)) or cell in _player_cells(
            world
        ):
            return
        yaw = _TURNS.get(step, world.agent.yaw) if turning else world.agent.yaw
        yield Go(Pose(float(cell[0]), float(cell[1]), float(cell[2]), _NO_PITCH, yaw))


def pose_facing(world: World, low: Place, high: Place) -> Pose:
    """The agent's pose where it stands, looking at the middle of a box (both corners inclusive)."""
    x, y, z = ((first + last) / 2 for first, last in zip(low, high, strict=True))
    feet = world.agent
    across, up, along = x - feet.x, y + 0.5 - (feet.y + EYES), z - feet.z
    flat = hypot(across, along)
    yaw = degrees(atan2(across, along)) if flat else feet.yaw
    return feet._replace(yaw=round(yaw, 1), pitch=round(degrees(atan2(up, flat)), 1))


def _columns_from(cell: Place, low: Place, high: Place) -> float:
    """The number of columns between a cell and those of a box; 0 inside them."""
    x = max(low[0] - cell[0], cell[0] - high[0], 0)
    z = max(low[2] - cell[2], cell[2] - high[2], 0)
    return float(max(x, z))


def _player_cells(world: World) -> frozenset[Place]:
    x, y, z = world.player_cell
    # Feet one lower would put the agent's head into the worker's feet.
    return frozenset((x, y + up, z) for up in range(1 - TALL, TALL))


def _way(
    world: World,
    left: Callable[[Place], float],
    is_there: Callable[[Place], bool],
    low: Place | None = None,
    high: Place | None = None,
) -> Way:
    """A* from the agent's cell. `left` never overestimates the remaining steps; 0 does not mean arrival."""
    start = world.agent_cell
    taken, footing = _player_cells(world), _Footing(world)
    came: dict[Place, Place | None] = {start: None}
    cost: dict[Place, float] = {start: 0.0}
    queue: list[tuple[float, float, Place]] = [(left(start), left(start), start)]
    nearest, distance = start, _direct_distance(start, left, low, high)
    done: set[Place] = set()
    while queue:
        _, _, cell = heappop(queue)
        if cell in done:
            continue
        done.add(cell)
        if is_there(cell):
            return Way(tuple(_cells(came, cell)), arrives=True)
        if (here := _direct_distance(cell, left, low, high)) < distance:
            nearest, distance = cell, here
        for following, price in footing.neighbours(cell):
            known = cost.get(following)
            if following in taken or (known is not None and known <= cost[cell] + price):
                continue
            came[following], cost[following] = cell, cost[cell] + price
            heappush(queue, (cost[following] + left(following), left(following), following))
    return Way(tuple(_cells(came, nearest)), arrives=False)


def _direct_distance(cell: Place, left: Callable[[Place], float], low: Place | None, high: Place | None) -> float:
    """The distance of a cell in blocks, to choose the nearest one. A cell in the columns of the box comes last."""
    if low is None or high is None:
        return left(cell)
    gaps = [max(first - one, one - last, 0) for one, first, last in zip(cell, low, high, strict=True)]
    return sqrt(sum(gap * gap for gap in gaps)) + (0 if gaps[0] or gaps[2] else _WITHIN)


class _Footing:
    """The cells in which a figure fits and stands, computed by column when needed."""

    def __init__(self, world: World) -> None:
        air = np.pad(world.grid == AIR, ((0, 0), (0, TALL - 1), (0, 0)), constant_values=True)
        self.height = world.size[1]
        self.fits = np.logical_and.reduce([air[:, up : up + self.height] for up in range(TALL)])
        self.columns: dict[tuple[int, int], tuple[list[bool], list[int]]] = {}
        self.world = world

    def column(self, x: int, z: int) -> tuple[list[bool], list[int]]:
        """The heights at which a figure fits into a column, and those at which it stands."""
        if (x, z) not in self.columns:
            if not self.world.inside((x, 0, z)):
                return [], []
            fits: list[bool] = self.fits[x, :, z].tolist()
            solid = [True, *(self.world.grid[x, :-1, z] != AIR).tolist()]
            self.columns[x, z] = fits, [y for y in range(self.height) if fits[y] and solid[y]]
        return self.columns[x, z]

    def neighbours(self, cell: Place) -> Iterator[tuple[Place, float]]:
        """The cells one step, climb or fall away, and the cost of each."""
        x, y, z = cell
        here, _ = self.column(x, z)
        for dx, dz in _STEPS:
            there, standing = self.column(x + dx, z + dz)
            for to_y in standing:
                rise = to_y - y
                if rise == 0:
                    yield (x + dx, to_y, z + dz), 1.0
                elif 0 < rise <= HIGHEST and all(here[y + 1 : to_y + 1]):
                    yield (x + dx, to_y, z + dz), 2.0 if rise == 1 else _CLIMB * rise
                elif -HIGHEST <= rise < 0 and all(there[to_y : y + 1]):
                    yield (x + dx, to_y, z + dz), 2.0 - _FALL * (rise + 1)


def _cells(came: dict[Place, Place | None], end: Place) -> list[Place]:
    """The cells up to the end, with the single cells of each climb or fall."""
    found: list[Place] = []
    cell: Place | None = end
    while cell is not None and (before := came[cell]) is not None:
        if cell[1] < before[1] - 1:
            found += [(cell[0], y, cell[2]) for y in range(cell[1], before[1] + 1)]
        elif cell[1] > before[1] + 1:
            found += [cell, *((before[0], y, before[2]) for y in range(cell[1], before[1], -1))]
        else:
            found.append(cell)
        cell = before
    return found[::-1]
