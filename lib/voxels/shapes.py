"""Shapes of blocks by formula, for the scene generator.

Every shape is an int32 array (n, 3) of its blocks, sorted by x, y, z; its smallest x, y and z are 0, and y is up.
Sources: paper 004, appendix B.2, lists the ten shapes and defines the solid sphere; the other formulas restate those of
the authors' published generator (facebookresearch/fairo, MIT), corrected where a shape was not symmetric.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Voxels = NDArray[np.int32]
Plane = Literal["xy", "yz", "xz"]
"""The plane of a flat shape: upright along x (xy) or along z (yz), or on the ground (xz)."""
UPRIGHT: tuple[Plane, ...] = ("xy", "yz")
PLANES: tuple[Plane, ...] = ("xy", "yz", "xz")
Flat = tuple[NDArray[np.int32], NDArray[np.int32]]


def cube(side: int) -> Voxels:
    """A solid cube of side x side x side blocks."""
    return rectanguloid(side, side, side)


def rectanguloid(width: int, height: int, depth: int) -> Voxels:
    """A solid box: width along x, height along y, depth along z.

    >>> rectanguloid(2, 1, 2).tolist()
    [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]
    """
    _check(width=width, height=height, depth=depth)
    box: Voxels = np.indices((width, height, depth), dtype=np.int32).reshape(3, -1).T.copy()
    return box


def sphere(radius: int) -> Voxels:
    """All blocks at most `radius` from the middle block; the diameter is 2 radius + 1 blocks.

    Source: paper 004, B.2: sqrt((ix - x)^2 + (iy - y)^2 + (iz - z)^2) <= r. The published code uses a box of 2r blocks,
    whose middle lies between blocks, and distances below r; we follow the paper.
    """
    _check(radius=radius)
    box = cube(2 * radius + 1)
    inside: Voxels = box[((box - radius) ** 2).sum(axis=1) <= radius**2]
    return inside


def pyramid(radius: int, slope: int = 1) -> Voxels:
    """Square layers: side 2 radius + 1 at the bottom, two less every `slope` layers, one block at the top.

    The height is slope * radius + 1. The published code stops before the top block.
    """
    _check(radius=radius, slope=slope)
    box = rectanguloid(2 * radius + 1, slope * radius + 1, 2 * radius + 1)
    from_axis = np.abs(box[:, [0, 2]] - radius).max(axis=1)
    layers: Voxels = box[from_axis <= radius - box[:, 1] // slope]
    return layers


def dome(radius: int, thickness: int = 2) -> Voxels:
    """The upper half of a hollow sphere: radius - thickness < distance <= radius, at and above the middle.

    It is hollow and open below, as in the published code; the distances are those of `sphere`.
    """
    _check(radius=radius, thickness=thickness)
    if thickness > radius:
        raise ValueError("thickness is at most the radius")
    box = rectanguloid(2 * radius + 1, radius + 1, 2 * radius + 1)
    squared = ((box - np.array([radius, 0, radius], np.int32)) ** 2).sum(axis=1)
    shell: Voxels = box[(squared <= radius**2) & (squared > (radius - thickness) ** 2)]
    return shell


def square(side: int, plane: Plane) -> Voxels:
    """A solid square of side x side blocks, one block thick."""
    return rectangle(side, side, plane)


def rectangle(width: int, height: int, plane: Plane) -> Voxels:
    """A solid rectangle of width x height blocks, one block thick; `height` is along y, or along z on the ground."""
    _check(width=width, height=height)
    return _laid(_field(width, height), plane)


def circle(radius: int, plane: Plane) -> Voxels:
    """A ring one block thick with a diameter of 2 radius + 1 blocks: radius - 1 < distance <= radius.

    The published code has a ring too, in a square of 2r blocks; the distances are those of `sphere`.
    """
    _check(radius=radius)
    across, up = _field(2 * radius + 1, 2 * radius + 1)
    squared = (across - radius) ** 2 + (up - radius) ** 2
    kept = (squared <= radius**2) & (squared > (radius - 1) ** 2)
    return _laid((across[kept], up[kept]), plane)


def triangle(rise: int, plane: Plane) -> Voxels:
    """A solid triangle: 2 rise + 1 blocks at the bottom, one less at each end in each of the `rise` rows above."""
    _check(rise=rise)
    across, up = _field(2 * rise + 1, rise + 1)
    kept = (up <= across) & (across <= 2 * rise - up)
    return _laid((across[kept], up[kept]), plane)


def arch(height: int, span: int, plane: Plane) -> Voxels:
    """Two columns of `height` blocks with `span` (odd) blocks between them, and steps up to one block in the middle.

    The step at place i of the span (1 ... span) is in row height - 1 + min(i, span + 1 - i).
    """
    _check(height=height, span=span)
    if span % 2 == 0:
        raise ValueError("span is odd, or no block would be over the middle")
    if plane not in UPRIGHT:
        raise ValueError(f"an arch stands: plane is one of {', '.join(UPRIGHT)}")
    across, up = _field(span + 2, height + span // 2 + 1)
    from_end = np.minimum(across, span + 1 - across)
    kept = np.where(from_end == 0, up < height, up == height - 1 + from_end)
    return _laid((across[kept], up[kept]), plane)


def _field(width: int, height: int) -> Flat:
    """The horizontal and the vertical place of each block of a flat field."""
    across, up = np.indices((width, height), dtype=np.int32).reshape(2, -1)
    return across, up


def _laid(flat: Flat, plane: Plane) -> Voxels:
    """A flat shape as places in space, sorted."""
    across, up = flat
    still = np.zeros_like(across)
    match plane:
        case "xy":
            x, y, z = across, up, still
        case "yz":
            x, y, z = still, up, across
        case "xz":
            x, y, z = across, still, up
        case _:
            raise ValueError(f"plane is one of {', '.join(PLANES)}")
    return np.stack([x, y, z], axis=1)[np.lexsort((z, y, x))]


def _check(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is at least 1")
