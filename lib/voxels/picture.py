"""Draw a scene as a small picture: seen from the corner of the greatest x, y and z, y up, without perspective.

In this view the faces of all blocks lie on one grid of triangles, two for each face, and of all faces over a triangle
only the nearest is visible. So the visible parts are exact, and nothing is drawn over anything else.

A corner (x, y, z) lies on the grid at (a, b) = (x - y, z - y): a runs to the lower right, b to the lower left. The
triangle (a, b, 0) has the corners (a, b), (a+1, b), (a+1, b+1); (a, b, 1) has (a, b), (a, b+1), (a+1, b+1).
"""

import math
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.voxels.mask import Keys, places_of
from lib.voxels.scene import Pose, Scene
from lib.voxels.table import AIR, PALETTE

Grid = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
VERSION = 1
"""Increase it whenever scenes are drawn differently, because browsers cache the pictures."""
MOST_FACES = 6000
"""The most faces of one drawing; a larger scene is drawn with cubes of 2, 3, ... blocks to a side until it fits."""
SIDE = 10.0
"""The side of a block in px, before the drawing is scaled to its place."""
_SHADES = (1.0, 0.8, 0.62)
"""The brightness of the faces towards y (top), x and z."""
_COS, _SIN = math.cos(math.pi / 6), 0.5
_MARGIN = 6.0


class Shape(NamedTuple):
    """Faces of one colour as the data of an SVG path; `is_marked` faces are hatched."""

    fill: str
    d: str
    is_marked: bool


class Pin(NamedTuple):
    """The agent or the player: a letter, the place of the feet and of the head in px."""

    letter: str
    x: float
    y: float
    y_head: float


class Picture(NamedTuple):
    """A drawing, in px.

    Attributes:
        box: Left, top, width and height of the drawing.
        outline: Path around the visible part of the mask.
        hidden: Path around the whole mask, as if nothing stood before it; "" where all of it is visible.
        coarse: Number of blocks to a side that are drawn as one; 1 draws each block.
        faces: Number of drawn faces.
    """

    box: tuple[float, float, float, float]
    shapes: tuple[Shape, ...]
    outline: str
    hidden: str
    pins: tuple[Pin, ...]
    coarse: int
    faces: int


def picture_of(scene: Scene, mask: Keys | None = None) -> Picture:
    """The drawing of a scene with a mask marked in it; marked voxels of air are drawn like blocks."""
    marks = np.zeros(scene.size, dtype=np.bool_)
    if mask is not None:
        marks[tuple(places_of(mask).T)] = True
    grid, coarse = scene.dense(), 1
    while True:
        small, small_marks = _coarser(grid, marks, coarse)
        seen = _seen(small, small_marks)
        # A face of which one half is visible counts as one.
        faces = len(np.unique(seen.block * 3 + seen.side))
        if faces <= MOST_FACES:
            break
        # The number of faces shrinks with the square of `coarse`, so large scenes skip steps.
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


# Visible parts -------------------------------------------------------------------------------------------------


class _Seen(NamedTuple):
    """The visible triangles, and for each its block, its side, its material and whether it is marked."""

    triangle: Ints
    block: Ints
    side: Ints
    material: Grid
    is_marked: Marks


_OFFSET, _SPAN = 512, 1024
"""A place of the grid is one number, (a + 512) * 1024 + b + 512; a triangle is twice that plus its half."""
_HALVES = np.array(
    [
        # For a block at (a, b) = (x - y, z - y): both halves of its top, of its side towards x, of its side towards z.
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
    # The nearest block of each triangle comes first; two blocks of equal distance share no triangle.
    order = np.lexsort((-nearness, triangles.ravel()))
    found, first = np.unique(triangles.ravel()[order], return_index=True)
    owner = order[first]
    block, side = owner // 6, owner % 6 // 2
    at = tuple(places[block].T)
    return _Seen(found, block, side, grid[at], marks[at])


def _coarser(grid: Grid, marks: Marks, by: int) -> tuple[Grid, Marks]:
    """The grid with cubes of `by` blocks to a side as one block: its material is that of the uppermost block, and it is
    marked if one of its blocks is."""
    if by == 1:
        return grid, marks
    pads = [(0, -side % by) for side in grid.shape]
    cut = [number for side in grid.shape for number in (-(-side // by), by)]
    cells = np.pad(grid, pads).reshape(cut).transpose(0, 2, 4, 3, 1, 5).reshape(*cut[::2], -1)
    uppermost = cells.shape[-1] - 1 - np.argmax(cells[..., ::-1] != AIR, axis=-1)
    small: Grid = np.take_along_axis(cells, uppermost[..., None], axis=-1)[..., 0]
    small_marks: Marks = np.pad(marks, pads).reshape(cut).max(axis=(1, 3, 5))
    return small, small_marks


# Drawing -------------------------------------------------------------------------------------------------------

Corner = tuple[int, int]
Edge = tuple[Corner, Corner]
_CORNERS: tuple[tuple[Corner, ...], ...] = (((0, 0), (1, 0), (1, 1)), ((0, 0), (0, 1), (1, 1)))
"""The corners of both halves, in order around each."""


def _xy(a: float, b: float) -> tuple[float, float]:
    return round((a - b) * _COS * SIDE, 2), round((a + b) * _SIN * SIDE, 2)


def _corners(triangle: int) -> list[Corner]:
    place, half = divmod(triangle, 2)
    a, b = place // _SPAN - _OFFSET, place % _SPAN - _OFFSET
    return [(a + da, b + db) for da, db in _CORNERS[half]]


def _shapes(seen: _Seen) -> Iterator[Shape]:
    """The faces by colour; each is a rhombus, or the visible triangle of it."""
    faces: dict[tuple[int, int, bool], dict[int, list[int]]] = {}
    rows = zip(*(column.tolist() for column in seen), strict=True)
    for triangle, block, side, material, is_marked in rows:
        faces.setdefault((material, side, is_marked), {}).setdefault(block, []).append(triangle)
    for (material, side, is_marked), blocks in sorted(faces.items()):
        fill = _shaded(PALETTE[material].colour if material != AIR else "#f6cfe9", _SHADES[side])
        d = "".join(_polygon(_rhombus(triangles)) for triangles in blocks.values())
        yield Shape(fill, d, is_marked)


def _rhombus(triangles: list[int]) -> list[Corner]:
    """The corners of a face in order around it, from both of its halves or from one."""
    if len(triangles) == 1:
        return _corners(triangles[0])
    one, other = map(_corners, triangles)
    [tip] = set(other) - set(one)
    shared = [place for place, corner in enumerate(one) if corner in other]
    # The tip belongs between the two shared corners, which may be the last and the first.
    after = shared[1] if shared[1] - shared[0] == 1 else len(one)
    return [*one[:after], tip, *one[after:]]


def _border(triangles: Ints) -> list[Edge]:
    """The edges that belong to only one of these triangles."""
    edges: set[Edge] = set()
    for triangle in triangles.ravel().tolist():
        corners = sorted(_corners(triangle))
        for one, other in ((0, 1), (0, 2), (1, 2)):
            edges ^= {(corners[one], corners[other])}
    return sorted(edges)


def _lines(edges: list[Edge]) -> str:
    """The edges as one path; edges that follow one another form one line, so that its dashes continue."""
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
    """Whether the pose is near enough to the scene that the scene stays recognisable beside it."""
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
    """The outermost places; only they decide the box."""
    if not a.size:
        return []
    across, down = a - b, a + b
    outermost = {int(one) for one in (across.argmin(), across.argmax(), down.argmin(), down.argmax())}
    return [(int(a[one]), int(b[one])) for one in outermost]


MARK = "#c4008f"
"""Colour of a mask: it differs strongly from all colours of the palette but one, and masks are hatched too."""


def svg_of(picture: Picture, *, title: str) -> str:
    """The drawing as an SVG file. It has no scripts and no styles, so any page may show it as an image."""
    left, top, width, height = picture.box
    box = f"{left:g} {top:g} {width:g} {height:g}"
    line = 'stroke="#000" stroke-opacity="0.28" stroke-width="0.5" stroke-linejoin="round"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width:g}" height="{height:g}" role="img">',
        f"<title>{escape(title)}</title>",
        '<defs><pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(60)">'
        f'<path d="M0 1H4" stroke="{MARK}" stroke-width="1.3"/></pattern></defs>',
    ]
    for shape in picture.shapes:
        parts.append(f'<path fill="{shape.fill}" {line} d="{shape.d}"/>')
        if shape.is_marked:
            parts.append(f'<path fill="url(#hatch)" d="{shape.d}"/>')
    for d, dashes in ((picture.hidden, ' stroke-dasharray="4 3"'), (picture.outline, "")):
        if d:
            edge = f'fill="none" stroke-linejoin="round"{dashes} d="{d}"'
            parts.append(
                f'<path stroke="#fff" stroke-width="4" {edge}/><path stroke="{MARK}" stroke-width="2" {edge}/>'
            )
    for pin in picture.pins:
        parts.append(
            f'<path stroke="#fff" stroke-width="3.5" d="M{pin.x:g} {pin.y:g}V{pin.y_head:g}"/>'
            f'<path stroke="#111" stroke-width="1.5" d="M{pin.x:g} {pin.y:g}V{pin.y_head:g}"/>'
            f'<circle cx="{pin.x:g}" cy="{pin.y_head:g}" r="7" fill="#fff" stroke="#111"/>'
            f'<text x="{pin.x:g}" y="{pin.y_head + 3.6:g}" font-family="sans-serif" font-size="10" font-weight="bold" '
            f'text-anchor="middle" fill="#111">{pin.letter}</text>'
        )
    return "\n".join([*parts, "</svg>"])
