"""Where a new thing goes: on the ground, free of what is there, of the agent and above all of the worker."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from annotation.voxels.table import AIR
from interaction.builder.acts import Place
from interaction.builder.memory import bounds
from interaction.builder.world import TALL, World

Cells = NDArray[np.int64]
_TRIED = 1500
"""Places tried, the best first, before there is said to be none."""
_STEEP = 3.0
"""How many columns farther away a thing rather goes than to have ground that is a block uneven under it."""
_ASIDE = 2.0
"""How much worse it is to move a thing aside than to move it on."""


def spot_for(
    world: World,
    plan: Iterable[Place],
    target: Place,
    *,
    along: tuple[int, int] | None = None,
    exactly_there: bool = False,
) -> Place | None:
    """Where the least corner of a plan's box goes, so that it comes as near to a cell as it can; None: no room.

    The box stays free of blocks and of both figures, and the worker is never walled in by it.

    Args:
        target: The cell meant. The thing's foot is over it, in its middle.
        along: The direction (x, z) that the thing lies in, seen from the target: the target is at its near face then.
        exactly_there: The height of the target counts, not that of the ground: on top of something, or within it.
    """
    cells = np.array(sorted(plan), dtype=np.int64)
    low, high = cells.min(axis=0), cells.max(axis=0)
    sides = high - low + 1
    cells = cells - low
    if (sides > np.array(world.size)).any():
        return None
    for at in _places(world, cells, sides, target, along, exactly_there):
        if _is_free(world, cells, sides, at):
            x, y, z = (int(one) for one in np.array(at) - low)
            return x, y, z
    return None


def _places(
    world: World, cells: Cells, sides: Cells, target: Place, along: tuple[int, int] | None, exactly_there: bool
) -> Iterator[Place]:
    """Where the least corner may go, the best first, on the ground."""
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
    tops = _tops(world)
    foot = np.unique(cells[cells[:, 1] == 0][:, [0, 2]], axis=0)
    highest, lowest = _over(tops, foot, xs, zs)
    ground = np.full(xs.shape, target[1]) if exactly_there else highest
    if exactly_there:
        # Held by something below, if only in one place: nothing hangs in the air unless it must.
        cost = cost + _STEEP * (highest < target[1])
    else:
        cost = cost + _STEEP * (highest - lowest) + 2 * np.abs(highest - min(target[1], world.ground_level))
    order = np.argsort(cost, kind="stable")[:_TRIED]
    for number in order.tolist():
        yield int(xs[number]), int(ground[number]), int(zs[number])


def _over(tops: Cells, foot: Cells, xs: Cells, zs: Cells) -> tuple[Cells, Cells]:
    """The highest and the lowest ground under a foot, for each place of its corner."""
    highest = np.zeros(xs.shape, np.int64)
    lowest = np.full(xs.shape, 1 << 30, np.int64)
    for x, z in foot.tolist():
        here = tops[xs + x, zs + z]
        np.maximum(highest, here, out=highest)
        np.minimum(lowest, here, out=lowest)
    return highest, lowest


def _tops(world: World) -> Cells:
    """The surface of every column."""
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
    """The box, both corners inclusive, that these cells take when moved by `at`."""
    low, high = bounds(cells)
    return (
        (low[0] + at[0], low[1] + at[1], low[2] + at[2]),
        (high[0] + at[0], high[1] + at[1], high[2] + at[2]),
    )
