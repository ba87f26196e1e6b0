"""Sites for new things: on the ground, clear of blocks and of the worker."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from builder.acting.acts import Place
from builder.world.memory import bounds
from builder.world.world import TALL, World
from lib.voxels.table import AIR

Cells = NDArray[np.int64]
_TRIED = 1500
"""How many sites are tried, best first, before the search fails."""
_STEEP = 3.0
"""Uneven ground of one block costs as much as this many columns of distance."""
_ASIDE = 2.0
"""A column to the side costs this many times as much as a column further along."""


def site_for(
    world: World,
    plan: Iterable[Place],
    target: Place,
    *,
    along: tuple[int, int] | None = None,
    exactly_there: bool = False,
) -> Place | None:
    """The place for the least corner of a plan's box that puts the plan nearest to a cell; None if there is no room.

    No cell of the plan holds a block and the worker is not inside its box, so that the worker is never walled in.

    Args:
        target: The wanted cell. The middle of the plan's foot is put over it.
        along: The direction (x, z) in which the plan lies from the target. The target is then at the plan's near side.
        exactly_there: Use the height of the target and not that of the ground: on top of a thing, or inside it.
    """
    cells = np.array(sorted(plan), dtype=np.int64)
    low, high = cells.min(axis=0), cells.max(axis=0)
    sides = high - low + 1
    cells = cells - low
    if (sides > np.array(world.size)).any():
        return None
    for at in _sites(world, cells, sides, target, along, exactly_there):
        if _is_free(world, cells, sides, at):
            x, y, z = (int(one) for one in np.array(at) - low)
            return x, y, z
    return None


def _sites(
    world: World, cells: Cells, sides: Cells, target: Place, along: tuple[int, int] | None, exactly_there: bool
) -> Iterator[Place]:
    """Places of the least corner on the ground, best first."""
    wide, _, deep = (int(side) for side in sides)
    xs, zs = np.mgrid[0 : world.size[0] - wide + 1, 0 : world.size[2] - deep + 1].reshape(2, -1)
    middle_x, middle_z = xs + (wide - 1) / 2, zs + (deep - 1) / 2
    if along is None:
        cost = np.hypot(middle_x - target[0], middle_z - target[2])
    else:
        near_x = middle_x - along[0] * (wide - 1) / 2 - target[0]
        near_z = middle_z - along[1] * (deep - 1) / 2 - target[2]
        ahead = near_x * along[0] + near_z * along[1]
        aside = np.abs(near_x * along[1]) + np.abs(near_z * along[0])
        cost = np.where(ahead < 0, -4 * ahead, ahead) + _ASIDE * aside
    tops = _surfaces(world)
    foot = np.unique(cells[cells[:, 1] == 0][:, [0, 2]], axis=0)
    highest, lowest = _ground_under(tops, foot, xs, zs)
    ground = np.full(xs.shape, target[1]) if exactly_there else highest
    if exactly_there:
        # A site with a block below at least one cell is preferred to one in the air.
        cost = cost + _STEEP * (highest < target[1])
    else:
        cost = cost + _STEEP * (highest - lowest) + 2 * np.abs(highest - min(target[1], world.ground_level))
    order = np.argsort(cost, kind="stable")[:_TRIED]
    for number in order.tolist():
        yield int(xs[number]), int(ground[number]), int(zs[number])


def _ground_under(tops: Cells, foot: Cells, xs: Cells, zs: Cells) -> tuple[Cells, Cells]:
    """The highest and the lowest ground under a foot, for each place of its corner."""
    highest = np.zeros(xs.shape, np.int64)
    lowest = np.full(xs.shape, 1 << 30, np.int64)
    for x, z in foot.tolist():
        here = tops[xs + x, zs + z]
        np.maximum(highest, here, out=highest)
        np.minimum(lowest, here, out=lowest)
    return highest, lowest


def _surfaces(world: World) -> Cells:
    """The height of the surface of every column."""
    filled = world.grid != AIR
    height = world.grid.shape[1]
    found: Cells = np.where(filled.any(axis=1), height - filled[:, ::-1, :].argmax(axis=1), 0).astype(np.int64)
    return found


def _is_free(world: World, cells: Cells, sides: Cells, at: Place) -> bool:
    if any(first < 0 or first + side > most for first, side, most in zip(at, sides.tolist(), world.size, strict=True)):
        return False
    x, y, z = (cells + np.array(at)).T
    if (world.grid[x, y, z] != AIR).any():
        return False
    player_x, player_y, player_z = world.player_cell
    within = at[0] <= player_x < at[0] + sides[0] and at[2] <= player_z < at[2] + sides[2]
    return not (within and at[1] < player_y + TALL and player_y < at[1] + sides[1])


def box_at(cells: Iterable[Place], at: Place) -> tuple[Place, Place]:
    """The box, both corners inclusive, of these cells moved by `at`."""
    low, high = bounds(cells)
    return ((low[0] + at[0], low[1] + at[1], low[2] + at[2]), (high[0] + at[0], high[1] + at[1], high[2] + at[2]))
