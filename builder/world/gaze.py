"""The thing or the cell that a figure looks at."""

from collections.abc import Sequence
from math import acos, degrees, dist

from builder.acting.acts import Place
from builder.world.things import Thing
from builder.world.world import EYES, World, direction_of
from lib.voxels.scene import Pose

_ROUGHLY = 20.0
"""A worker who points at a thing looks past its middle by at most this many degrees."""


def thing_looked_at(world: World, things: Sequence[Thing], pose: Pose) -> Thing | None:
    """The first thing or hole in the direction of a pose; None if there is none."""
    # A look into a hole meets its wall or bottom; the cell before that block belongs to the hole.
    met = world.looked_at(pose) or ()
    return next((one for cell in met for one in things if cell in one.cells), None)


def thing_passed_by(things: Sequence[Thing], pose: Pose) -> Thing | None:
    """The thing with the smallest angle to the direction of a pose; None if no thing is near that direction."""
    near = [(angle, number) for number, one in enumerate(things) if (angle := angle_to(one, pose)) <= _ROUGHLY]
    return things[min(near)[1]] if near else None


def angle_to(thing: Thing, pose: Pose) -> float:
    """The angle between the direction of a pose and the middle of a thing, in degrees, 0 to 180."""
    eyes = (pose.x, pose.y + EYES - 0.5, pose.z)
    away = dist(eyes, thing.middle)
    if away == 0:
        return 0.0
    ahead = direction_of(pose)
    along = sum((there - here) * step for here, there, step in zip(eyes, thing.middle, ahead, strict=True))
    return degrees(acos(max(-1.0, min(1.0, along / away))))


def cell_looked_at(world: World, pose: Pose) -> Place | None:
    """The free cell before the block that a figure looks at; None without a block or outside the world."""
    met = world.looked_at(pose)
    return met[1] if met is not None and world.inside(met[1]) else None
