"""A world with four things in it, and what descriptions find there."""

from collections.abc import Sequence
from typing import Any

from annotation.logical_form import Form
from annotation.voxels import shapes
from interaction.builder.acts import Place
from interaction.builder.finding import find
from interaction.builder.memory import Memory
from interaction.builder.world import World
from tests.interaction.builder.small_worlds import (
    GROUND,
    WORKER,
    world_with,
)

RED_CUBE = ("red", shapes.cube(3), (4, GROUND, 10))
BLUE_CUBE = ("blue", shapes.cube(2), (12, GROUND, 10))
BALL = ("red", shapes.sphere(2), (16, GROUND, 16))
TOWER = ("yellow", shapes.rectanguloid(2, 8, 2), (4, GROUND, 18))
UP = WORKER._replace(pitch=80.0)
"""Looks at nothing."""


def scene(**more: Any) -> World:
    return world_with(RED_CUBE, BLUE_CUBE, BALL, TOWER, **{"worker": UP, **more})


def found(world: World, memory: Memory, ref: Form, tokens: Sequence[str]) -> list[Place]:
    """The corners of what is meant, best first."""
    return [one.low for one in find(world, memory, ref, tokens).chosen]


AT = {"red cube": (4, GROUND, 10), "blue cube": (12, GROUND, 10), "ball": (16, GROUND, 16), "tower": (4, GROUND, 18)}
