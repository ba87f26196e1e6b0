"""The objects of generated scenes: the sizes of each kind, and the search for a free place."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from lib.voxels import shapes
from lib.voxels.shapes import PLANES, UPRIGHT, Voxels
from lib.voxels.table import AIR

KINDS = (
    "cube",
    "rectanguloid",
    "sphere",
    "pyramid",
    "square",
    "rectangle",
    "circle",
    "triangle",
    "dome",
    "arch",
)
"""The ten kinds of paper 004, in its order."""
HOLE = "hole"
SMALL = (2, 3, 4)
"""Small sizes as in the published generator. They begin at 2, because a cube of 1 would also be a square of 1."""
FIGURES = 2
"""The number of figures, the agent and the player; each needs a column."""
WIDEST_HOLE, DEEPEST_HOLE = 4, 3
Ground = NDArray[np.bool_]
"""Columns (x, z) of a scene; True where the column is taken."""
Area = tuple[int, int, int, int]
"""First and last column, both inclusive: x, z, x, z."""


@dataclass(frozen=True, eq=False)
class Form:
    """A shape of a certain size; `box` is its extent in blocks along x, y, z."""

    kind: str
    voxels: Voxels
    box: tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Thing:
    """An object of a scene, or a hole in its ground (shape "hole", material AIR, no colour).

    `voxels` are its places in the scene, sorted by x, y, z; for a hole, the places of the removed blocks.
    """

    shape: str
    material: int
    colour: str
    voxels: Voxels

    def as_json(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "material": self.material,
            "colour": self.colour,
            "voxels": self.voxels.tolist(),
        }


@cache
def forms_of(kind: str) -> tuple[Form, ...]:
    """Every size of a kind; flat kinds in each plane.

    Kinds do not overlap: no rectanguloid here is a cube or flat, no rectangle is a square or a bar.
    """
    made: dict[str, Any] = {
        "cube": lambda: [shapes.cube(side) for side in SMALL],
        "rectanguloid": lambda: [
            shapes.rectanguloid(*sides) for sides in product(SMALL, repeat=3) if len(set(sides)) > 1
        ],
        "sphere": lambda: [shapes.sphere(radius) for radius in SMALL],
        "pyramid": lambda: [shapes.pyramid(radius, slope) for radius, slope in product(SMALL, (1, 2))],
        "square": lambda: [shapes.square(side, plane) for side, plane in product(SMALL, PLANES)],
        "rectangle": lambda: [
            shapes.rectangle(width, height, plane)
            for width, height, plane in product((*SMALL, 5), (*SMALL, 5), PLANES)
            if width != height
        ],
        "circle": lambda: [shapes.circle(radius, plane) for radius, plane in product(SMALL, PLANES)],
        "triangle": lambda: [shapes.triangle(rise, plane) for rise, plane in product(SMALL, PLANES)],
        # A dome of radius 2 would be solid except for one block.
        "dome": lambda: [shapes.dome(radius) for radius in (3, 4)],
        "arch": lambda: [
            shapes.arch(height, span, plane) for height, span, plane in product((1, *SMALL), (5, 7, 9), UPRIGHT)
        ],
    }
    return tuple(Form(kind, voxels, _box(voxels)) for voxels in made[kind]())


def forms_within(kind: str, *, width: int, height: int, depth: int) -> tuple[Form, ...]:
    """The sizes of a kind that fit into a box and leave enough columns of its ground free for the FIGURES."""
    return tuple(
        form
        for form in forms_of(kind)
        if form.box[0] <= width
        and form.box[1] <= height
        and form.box[2] <= depth
        and form.box[0] * form.box[2] <= width * depth - FIGURES
    )


def put(rng: Generator, form: Form, *, taken: Ground, floor: int) -> tuple[Voxels, Area] | None:
    """The form on the ground at `floor`, at a random place without a taken column under its box; None without one."""
    at = _place(rng, taken, form.box[0], form.box[2])
    if at is None:
        return None
    x, z = at
    voxels = (form.voxels + np.array([x, floor, z], np.int32)).astype(np.int32)
    return voxels, (x, z, x + form.box[0] - 1, z + form.box[2] - 1)


def dig(rng: Generator, *, taken: Ground, floor: int) -> tuple[Thing, Area] | None:
    """A hole of constant depth in the ground below `floor`; None without a place.

    It keeps the lowest layer of ground and the columns at the edge of the scene, so that it has a floor and walls.
    """
    deepest = min(DEEPEST_HOLE, floor - 1)
    width, depth = (int(rng.integers(1, WIDEST_HOLE + 1)) for _ in range(2))
    if deepest < 1 or min(taken.shape) < 3:
        return None
    deep = int(rng.integers(1, deepest + 1))
    at = _place(rng, taken[1:-1, 1:-1], width, depth)
    if at is None:
        return None
    x, z = at[0] + 1, at[1] + 1
    voxels = shapes.rectanguloid(width, deep, depth) + np.array([x, floor - deep, z], np.int32)
    return Thing(HOLE, AIR, "", voxels.astype(np.int32)), (x, z, x + width - 1, z + depth - 1)


def take(taken: Ground, area: Area, *, gap: int) -> None:
    """Mark an area and `gap` columns all around it as taken."""
    x, z, last_x, last_z = area
    taken[max(x - gap, 0) : last_x + gap + 1, max(z - gap, 0) : last_z + gap + 1] = True


def _place(rng: Generator, taken: Ground, width: int, depth: int) -> tuple[int, int] | None:
    """A random place for width x depth free columns, all places equally likely; None without one."""
    if width > taken.shape[0] or depth > taken.shape[1]:
        return None
    # A summed-area table gives the sums of all windows at once; a scene may be 256 columns wide.
    sums = np.zeros((taken.shape[0] + 1, taken.shape[1] + 1), np.int64)
    sums[1:, 1:] = taken.cumsum(axis=0).cumsum(axis=1)
    windows = sums[width:, depth:] - sums[:-width, depth:] - sums[width:, :-depth] + sums[:-width, :-depth]
    free = np.argwhere(windows == 0)
    if not len(free):
        return None
    x, z = free[int(rng.integers(len(free)))]
    return int(x), int(z)


def _box(voxels: Voxels) -> tuple[int, int, int]:
    width, height, depth = (voxels.max(axis=0) + 1).tolist()
    return width, height, depth
