"""A scene as a small drawing: seen from the corner where x, y and z are greatest, y up, without perspective. Pure.

Seen so, the faces of all blocks lie on one grid of triangles, two to a face, and of all faces over a triangle the one
nearest to the eye is seen. So what is seen is found exactly, and nothing is drawn over anything else.

A corner (x, y, z) lies on the grid at (a, b) = (x - y, z - y): a runs to the lower right, b to the lower left. The
triangle (a, b, 0) has the corners (a, b), (a+1, b), (a+1, b+1); (a, b, 1) has (a, b), (a, b+1), (a+1, b+1).
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.voxels.mask import Keys, places_of
from annotation.voxels.scene import Pose, Scene
from annotation.voxels.table import AIR, PALETTE

Grid = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
VERSION = 1
"""Another number whenever a scene is drawn in another way, for pictures are kept by whoever saw them."""
MOST_FACES = 6000
"""Faces of one drawing; a larger scene is drawn from blocks of 2, 3, ... to a side until it has no more."""
SIDE = 10.0
"""Of a block, in px before the drawing is fitted to its place."""
_SHADES = (1.0, 0.8, 0.62)
"""How bright a face is: the top, that towards x, that towards z."""
_COS, _SIN = math.cos(math.pi / 6), 0.5
_MARGIN = 6.0


class Shape(NamedTuple):
    """Faces of one colour: the data of an SVG path; `is_marked` faces are hatched too."""

    fill: str
    d: str
    is_marked: bool


class Pin(NamedTuple):
    """Where somebody stands: px of the feet, of the head, and a letter."""

    letter: str
    x: float
    y: float
    y_head: float


class Picture(NamedTuple):
    """A drawing, in px of its own.

    Attributes:
        box: Left, top, width, height of what is drawn.
        outline: Path about what is seen of the mask.
        hidden: Path about all of it, as if nothing stood before it; "" where it is seen whole.
        coarse: Blocks to a side that are drawn as one; 1 shows each.
        faces: How many are drawn.
    """

    box: tuple[float, float, float, float]
    shapes: tuple[Shape, ...]
    outline: str
    hidden: str
    pins: tuple[Pin, ...]
    coarse: int
    faces: int


def picture_of(scene: Scene, mask: Keys | None = None) -> Picture:
    """The scene with a mask marked in it; voxels of air that are marked are drawn as if something stood there."""
    marks = np.zeros(scene.size, dtype=np.bool_)
    if mask is not None:
        marks[tuple(places_of(mask).T)] = True
    grid, coarse = scene.dense(), 1
    while True:
        small, small_marks = _coarser(grid, marks, coarse)
        seen = _seen(small, small_marks)
        # A face that is half seen counts as one.
        faces = len(np.unique(seen.block * 3 + seen.side))
        if faces <= MOST_FACES:
            break
        # What is seen shrinks with the square: no need to try every step of a large scene.
        coarse = max(coarse + 1, math.isqrt(faces // MOST_FACES))
    marked = seen.triangle[seen.is_marked]
    outline = _border(marked)
    whole = _border(np.unique(_triangles_of(np.argwhere(small_marks)))) if mask is not None else []
    pins = tuple(_pins(scene, coarse))
    return Picture(
        box=_box(seen.triangle, whole, pins),
        shapes=tuple(_shapes(seen)),
        outline=_lines(outline),
        hidden=_lines(whole) if set(whole) != set(outline) else "",
        pins=pins,
        coarse=coarse,
        faces=faces,
    )


# What is seen --------------------------------------------------------------------------------------------------


class _Seen(NamedTuple):
    """The triangles in sight, and of each which block and side it belongs to, its id, whether it is marked."""

    triangle: Ints
    block: Ints
    side: Ints
    material: Grid
    is_marked: Marks


_OFFSET, _SPAN = 512, 1024
"""Grid places are kept as one number each: (a + 512) * 1024 + b + 512, twice that and the half for a triangle."""
_HALVES = np.array(
    [
        # Of a block at (a, b) = (x - y, z - y), both halves of its top, of its side towards x, of that towards z.
        [[-1, -1, 0], [-1, -1, 1]],
        [[0, -1, 1], [0, 0, 0]],
        [[-1, 0, 0], [0, 0, 1]],
    ],
    dtype=np.int64,
)


def _number(a: Ints, b: Ints, half: Ints) -> Ints:
    return ((a + _OFFSET) * _SPAN + b + _OFFSET) * 2 + half


def _triangles_of(places: npt.NDArray[np.integer]) -> Ints:
    """The triangles of each side of these blocks, shape (n, 3, 2)."""
    x, y, z = places.astype(np.int64).T
    a, b = (x - y)[:, None, None], (z - y)[:, None, None]
    return _number(a + _HALVES[..., 0], b + _HALVES[..., 1], np.broadcast_to(_HALVES[..., 2], (len(x), 3, 2)))


def _seen(grid: Grid, marks: Marks) -> _Seen:
    solid = (grid != AIR) | marks
    covered = np.zeros_like(solid)
    covered[:-1, :-1, :-1] = solid[1:, :-1, :-1] & solid[:-1, 1:, :-1] & solid[:-1, :-1, 1:]
    places = np.argwhere(solid & ~covered)
    triangles = _triangles_of(places)
    nearness = np.broadcast_to(places.sum(axis=1)[:, None, None], triangles.shape).ravel()
    # The nearest of each triangle comes first; two blocks as near share none.
    order = np.lexsort((-nearness, triangles.ravel()))
    found, first = np.unique(triangles.ravel()[order], return_index=True)
    owner = order[first]
    block, side = owner // 6, owner % 6 // 2
    at = tuple(places[block].T)
    return _Seen(found, block, side, grid[at], marks[at])


def _coarser(grid: Grid, marks: Marks, by: int) -> tuple[Grid, Marks]:
    """Cubes of `by` blocks to a side as one block each: of what lies uppermost in them; marked if any of them is."""
    if by == 1:
        return grid, marks
    pads = [(0, -side % by) for side in grid.shape]
    cut = [number for side in grid.shape for number in (-(-side // by), by)]
    cells = np.pad(grid, pads).reshape(cut).transpose(0, 2, 4, 3, 1, 5).reshape(*cut[::2], -1)
    uppermost = cells.shape[-1] - 1 - np.argmax(cells[..., ::-1] != AIR, axis=-1)
    small: Grid = np.take_along_axis(cells, uppermost[..., None], axis=-1)[..., 0]
    small_marks: Marks = np.pad(marks, pads).reshape(cut).max(axis=(1, 3, 5))
    return small, small_marks


# How it is drawn -----------------------------------------------------------------------------------------------

Corner = tuple[int, int]
Edge = tuple[Corner, Corner]
_CORNERS: tuple[tuple[Corner, ...], ...] = (((0, 0), (1, 0), (1, 1)), ((0, 0), (0, 1), (1, 1)))
"""Of either half, in order about it."""


def _xy(a: float, b: float) -> tuple[float, float]:
    return round((a - b) * _COS * SIDE, 2), round((a + b) * _SIN * SIDE, 2)


def _corners(triangle: int) -> list[Corner]:
    place, half = divmod(triangle, 2)
    a, b = place // _SPAN - _OFFSET, place % _SPAN - _OFFSET
    return [(a + da, b + db) for da, db in _CORNERS[half]]


def _shapes(seen: _Seen) -> Iterator[Shape]:
    """The faces by colour, each a rhombus, or the triangle of it that is seen."""
    faces: dict[tuple[int, int, bool], dict[int, list[int]]] = {}
    rows = zip(*(column.tolist() for column in seen), strict=True)
    for triangle, block, side, material, is_marked in rows:
        faces.setdefault((material, side, is_marked), {}).setdefault(block, []).append(triangle)
    for (material, side, is_marked), blocks in sorted(faces.items()):
        fill = _shaded(PALETTE[material].colour if material != AIR else "#f6cfe9", _SHADES[side])
        d = "".join(_polygon(_rhombus(triangles)) for triangles in blocks.values())
        yield Shape(fill, d, is_marked)


def _rhombus(triangles: list[int]) -> list[Corner]:
    """The corners of a face in order about it, of both its halves or of one."""
    if len(triangles) == 1:
        return _corners(triangles[0])
    one, other = map(_corners, triangles)
    [tip] = set(other) - set(one)
    shared = [place for place, corner in enumerate(one) if corner in other]
    # Between the two that they share, which may be the last and the first.
    after = shared[1] if shared[1] - shared[0] == 1 else len(one)
    return [*one[:after], tip, *one[after:]]


def _border(triangles: Ints) -> list[Edge]:
    """The edges that one of these triangles has and no other."""
    edges: set[Edge] = set()
    for triangle in triangles.ravel().tolist():
        corners = sorted(_corners(triangle))
        for one, other in ((0, 1), (0, 2), (1, 2)):
            edges ^= {(corners[one], corners[other])}
    return sorted(edges)


def _lines(edges: list[Edge]) -> str:
    """As one path; edges that follow one another are one line, so that its dashes run on."""
    left: dict[Corner, set[Corner]] = {}
    for one, other in edges:
        left.setdefault(one, set()).add(other)
        left.setdefault(other, set()).add(one)
    lines = []
    for start in sorted(left):
        while left[start]:
            line, here = [start], start
            while left[here]:
                onward = min(left[here])
                left[here].discard(onward)
                left[onward].discard(here)
                line.append(onward)
                here = onward
            lines.append(_polygon(line))
    return "".join(lines)


def _polygon(corners: list[Corner]) -> str:
    closed = corners[0] == corners[-1]
    points = [_xy(*corner) for corner in (corners[:-1] if closed else corners)]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points) + "Z"


def _shaded(colour: str, by: float) -> str:
    return "#" + "".join(f"{round(int(colour[place : place + 2], 16) * by):02x}" for place in (1, 3, 5))


def _pins(scene: Scene, coarse: int) -> Iterator[Pin]:
    for letter, pose in (("A", scene.agent), ("P", scene.player)):
        if pose is not None and _is_near(pose, scene):
            x, y, z = ((one + shift) / coarse for one, shift in zip(pose[:3], (0.5, 0, 0.5), strict=True))
            at, head = _xy(x - y, z - y), _xy(x - y - 2 / coarse, z - y - 2 / coarse)
            yield Pin(letter, *at, head[1])


def _is_near(pose: Pose, scene: Scene) -> bool:
    """Not so far away that nothing else could be seen beside them."""
    return all(-4 <= one <= side + 4 for one, side in zip(pose[:3], scene.size, strict=True))


def _box(triangles: Ints, whole: list[Edge], pins: tuple[Pin, ...]) -> tuple[float, float, float, float]:
    places = np.unique(triangles // 2)
    a, b = places // _SPAN - _OFFSET, places % _SPAN - _OFFSET
    # Every corner of the triangle lies between these two places.
    points = [
        _xy(one + more, other + also) for more, also in ((0, 0), (1, 0), (0, 1), (1, 1)) for one, other in _rim(a, b)
    ]
    points += [_xy(*corner) for edge in whole for corner in edge]
    points += [point for pin in pins for point in ((pin.x - SIDE, pin.y_head - SIDE), (pin.x + SIDE, pin.y))]
    left, top = (min((point[axis] for point in points), default=0.0) - _MARGIN for axis in (0, 1))
    right, low = (max((point[axis] for point in points), default=0.0) + _MARGIN for axis in (0, 1))
    return round(left, 2), round(top, 2), round(right - left, 2), round(low - top, 2)


def _rim(a: Ints, b: Ints) -> list[Corner]:
    """Those places that lie farthest out: the others cannot widen the box."""
    if not a.size:
        return []
    across, down = a - b, a + b
    outermost = {int(one) for one in (across.argmin(), across.argmax(), down.argmin(), down.argmax())}
    return [(int(a[one]), int(b[one])) for one in outermost]
