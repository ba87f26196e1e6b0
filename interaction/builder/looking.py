"""What somebody looks at: the thing, the cell. Pure."""

from collections.abc import Sequence
from math import acos, degrees, dist

from annotation.voxels.scene import Pose
from interaction.builder.acts import Place
from interaction.builder.things import Thing
from interaction.builder.world import EYES, World, direction_of

_ROUGHLY = 20.0
"""Somebody who points at a thing looks past its middle by at most so many degrees."""


def thing_looked_at(world: World, things: Sequence[Thing], pose: Pose) -> Thing | None:
    """The thing or the hole that a look along a pose meets first; None if it meets none."""
    # Whoever looks into a hole sees its wall or its bottom, and the cell before that belongs to it.
    met = world.looked_at(pose) or ()
    return next((one for cell in met for one in things if cell in one.cells), None)


def thing_passed_by(things: Sequence[Thing], pose: Pose) -> Thing | None:
    """The thing that somebody looks past most narrowly; None if there is none near to where they look."""
    near = [(angle, number) for number, one in enumerate(things) if (angle := angle_to(one, pose)) <= _ROUGHLY]
    return things[min(near)[1]] if near else None


def angle_to(thing: Thing, pose: Pose) -> float:
    """How far off somebody's look the middle of a thing lies, in degrees, 0 to 180."""
    eyes = (pose.x, pose.y + EYES - 0.5, pose.z)
    away = dist(eyes, thing.middle)
    if away == 0:
        return 0.0
    ahead = direction_of(pose)
    along = sum((there - here) * step for here, there, step in zip(eyes, thing.middle, ahead, strict=True))
    return degrees(acos(max(-1.0, min(1.0, along / away))))


def cell_looked_at(world: World, pose: Pose) -> Place | None:
    """The free cell before the block that somebody looks at; None if they look into the air or out of the world."""
    met = world.looked_at(pose)
    return met[1] if met is not None and world.inside(met[1]) else None
