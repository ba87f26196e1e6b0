"""Draws a moment of a voxel world as a picture, from above one of its corners, without perspective. Pure.

The corner is the one where x, y and z are greatest, in the world after some quarter turns.

From there, all faces of blocks lie on one grid of triangles, and the nearest face over a triangle is the visible one.
The triangle under each pixel never changes in a film: it is computed once, and a picture is then a few lookups.

A corner (x, y, z) lies on the grid at (a, b) = (x - y, z - y): a grows to the lower right, b to the lower left.
"""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from math import ceil
from typing import Final, cast

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from interaction.recordings.moments import Happening, Part, Stage, moments
from lib.voxels.scene import Pose
from lib.voxels.table import AIR, PALETTE

Frame = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Size = tuple[int, int, int]

WIDEST, HIGHEST, STRIP = 640, 440, 36
"""The largest size of the world's picture, and the height of the strip below it, in px."""
LARGEST_BLOCK: Final = 24.0
AGENT, PLAYER = 254, 255
"""Ids that mark the places of the two figures; no block has them."""
FIGURE: Final = {AGENT: "#c2410c", PLAYER: "#1d4ed8"}
BACKGROUND, QUIET, TEXT, BOX = "#14161a", "#8b93a1", "#ffffff", "#ffd400"
STATES: Final = {
    "": ("no command yet", "#4a5568"),
    "sent": ("command sent", "#4a5568"),
    "received": ("command received", "#4a5568"),
    "thinking": ("agent thinks", "#6d28d9"),
    "acting": ("agent acts", "#c2410c"),
    "stop": ("told to stop", "#9a3412"),
    "done": ("agent says: done", "#15803d"),
    "failed": ("agent gave up", "#b91c1c"),
}
SPEAKERS: Final = {"": "", "worker": "the player speaks", "agent": "the agent speaks"}
_SHADES = (1.0, 0.8, 0.62)
"""The brightness of a face: the top, the side towards x, the side towards z."""
_EDGE = 0.78
"""The factor by which the last px of a face is darker, so that equal blocks can be told apart."""
_MARGIN = 10.0
TRIANGLES: Final = 6
"""The triangles of a block: two on each of the three visible sides."""
_BLOCK = 16
_COS, _SIN = float(np.cos(np.pi / 6)), 0.5
_FACES = np.array(
    [
        # Both triangles of a block's top, its side towards x and its side towards z: (a, b, half) from its corner.
        [[-1, -1, 0], [-1, -1, 1]],
        [[0, -1, 1], [0, 0, 0]],
        [[-1, 0, 0], [0, 0, 1]],
    ],
    dtype=np.int32,
)


def _colours() -> Frame:
    """The colour of each side of each id, shape (256, 3, 3), uint8."""
    found = np.zeros((256, 3, 3))
    colours = {block: material.colour for block, material in PALETTE.items()} | FIGURE
    for block, colour in colours.items():
        rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
        found[block] = np.outer(_SHADES, rgb)
    return found.round().astype(np.uint8)


_COLOURS = _colours()


class Camera:
    """Draws moments of one world from one corner; pictures are `width` × `height`, multiples of the codec's blocks.

    Args:
        top: The number of layers, from below, for which the picture has room; None: all.
        turns: Quarter turns of the world to the left.
    """

    def __init__(self, size: Size, *, top: int | None = None, turns: int = 0) -> None:
        x, y, z = size if turns % 2 == 0 else size[::-1]
        top = min(y, top if top is not None else y)
        self._turns = turns
        # (a, b) of the triangle grid begins at (-y, -y), so this is added wherever an index is computed.
        self._rows, self._columns, self._shift = x + y + 2, z + y + 2, y + 1
        wide, high = (x + z) * _COS, (x + z) * _SIN + top
        self._px = min((WIDEST - 2 * _MARGIN) / wide, (HIGHEST - 2 * _MARGIN) / high, LARGEST_BLOCK)
        self.width = max(288, _in_blocks(wide * self._px + 2 * _MARGIN))
        self.height = _in_blocks(high * self._px + 2 * _MARGIN + STRIP)
        self._world = self.height - STRIP
        self._left = (self.width - wide * self._px) / 2 + z * _COS * self._px
        self._top = _MARGIN + top * self._px
        self._under = self._triangles_under()
        self._font = ImageFont.load_default(size=15)

    def draw(self, stage: Stage) -> Frame:
        """The moment as RGB, axes (row, column, colour), uint8."""
        stage = _turned(stage, self._turns)
        picture = np.empty((self.height, self.width, 3), dtype=np.uint8)
        picture[: self._world] = self._blocks(with_figures(stage))
        picture[self._world :] = 0
        canvas = Image.fromarray(picture)
        pen = ImageDraw.Draw(canvas)
        for pose, colour in ((stage.agent, FIGURE[AGENT]), (stage.player, FIGURE[PLAYER])):
            self._gaze(pen, pose, colour)
        if stage.box is not None:
            self._outline(pen, *stage.box)
        self._strip(pen, stage)
        return np.asarray(canvas)

    def seen(self, stage: Stage) -> Ints:
        """The number of visible triangles of each block and each figure; axes (x, y, z) of the world."""
        grid = with_figures(_turned(stage, self._turns))
        places, owner = self._owners(grid)
        counts = np.bincount(owner[owner > 0] - 1, minlength=3 * len(places)).reshape(-1, 3).sum(axis=1)
        found = np.zeros(grid.shape, dtype=np.int32)
        found[tuple(places.T)] = counts
        return np.rot90(found, -self._turns, axes=(0, 2))

    def _triangles_under(self) -> Ints:
        """The index of the triangle under each pixel, shape (rows, columns); 0 where there is none."""
        across = (np.arange(self.width) + 0.5 - self._left) / (_COS * self._px)
        down = (np.arange(self._world) + 0.5 - self._top) / (_SIN * self._px)
        a, b = (down[:, None] + across[None, :]) / 2, (down[:, None] - across[None, :]) / 2
        left, upper = np.floor(a).astype(np.int32), np.floor(b).astype(np.int32)
        half = (a - left < b - upper).astype(np.int32)
        row, column = left + self._shift, upper + self._shift
        index = (row * self._columns + column) * 2 + half
        return np.where((row >= 0) & (row < self._rows) & (column >= 0) & (column < self._columns), index, 0)

    def _owners(self, grid: Frame) -> tuple[Ints, Ints]:
        """The places of blocks that may be visible, and the visible face of each triangle: 3 faces a place, from 1; 0:
        none.
        """
        solid = grid != AIR
        seen = solid.copy()
        seen[:-1, :-1, :-1] &= ~(solid[1:, :-1, :-1] & solid[:-1, 1:, :-1] & solid[:-1, :-1, 1:])
        places = np.argwhere(seen).astype(np.int32)
        # The farthest first, so that nearer blocks overwrite them. Two blocks at the same distance share no triangle.
        places = places[np.argsort(places.sum(axis=1), kind="stable")]
        x, y, z = places.T
        rows = (x - y)[:, None, None] + _FACES[..., 0] + self._shift
        columns = (z - y)[:, None, None] + _FACES[..., 1] + self._shift
        triangles = (rows * self._columns + columns) * 2 + _FACES[..., 2]
        faces = np.arange(1, 3 * len(places) + 1, dtype=np.int32).reshape(-1, 3, 1)
        owner = np.zeros(self._rows * self._columns * 2, dtype=np.int32)
        owner[triangles.ravel()] = np.broadcast_to(faces, triangles.shape).ravel()
        return places, owner

    def _blocks(self, grid: Frame) -> Frame:
        places, owner = self._owners(grid)
        x, y, z = places.T
        colours = np.empty((3 * len(places) + 1, 3), dtype=np.uint8)
        colours[0] = [int(BACKGROUND[at : at + 2], 16) for at in (1, 3, 5)]
        colours[1:] = _COLOURS[grid[x, y, z]].reshape(-1, 3)
        face = owner[self._under]
        picture: Frame = colours[face]
        edge = np.zeros(face.shape, dtype=np.bool_)
        edge[:, :-1] = face[:, :-1] != face[:, 1:]
        edge[:-1] |= face[:-1] != face[1:]
        picture[edge] = (picture[edge] * _EDGE).astype(np.uint8)
        return picture

    def _at(self, x: float, y: float, z: float) -> tuple[float, float]:
        """The px of a point of the world in the picture."""
        return self._left + (x - z) * _COS * self._px, self._top + ((x + z) * _SIN - y) * self._px

    def _gaze(self, pen: ImageDraw.ImageDraw, pose: Pose | None, colour: str) -> None:
        """A line in the direction of a figure's look, drawn over all blocks, so that a hidden figure can still be
        found.
        """
        if pose is None:
            return
        yaw, pitch = np.radians(pose.yaw), np.radians(pose.pitch)
        eyes = np.array([pose.x + 0.5, pose.y + 1.6, pose.z + 0.5])
        ahead = np.array([np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)])
        begin, end = self._at(*eyes), self._at(*(eyes + 1.8 * ahead))
        size = max(3.0, self._px * 0.3)
        pen.line((*begin, *end), fill=TEXT, width=4)
        pen.line((*begin, *end), fill=colour, width=2)
        x, y = begin
        pen.ellipse((x - size, y - size, x + size, y + size), fill=colour, outline=TEXT)

    def _outline(self, pen: ImageDraw.ImageDraw, one: tuple[int, ...], other: tuple[int, ...]) -> None:
        """The three visible sides of a box, as lines."""
        (x, y, z), (far_x, far_y, far_z) = np.minimum(one, other), np.maximum(one, other) + 1
        nearest = (far_x, far_y, far_z)
        rim = [
            (x, far_y, z),
            (far_x, far_y, z),
            (far_x, y, z),
            (far_x, y, far_z),
            (x, y, far_z),
            (x, far_y, far_z),
            (x, far_y, z),
        ]
        pen.line([self._at(*corner) for corner in rim], fill=BOX, width=3)
        for corner in ((x, far_y, far_z), (far_x, y, far_z), (far_x, far_y, z)):
            pen.line([self._at(*nearest), self._at(*corner)], fill=BOX, width=3)

    def _strip(self, pen: ImageDraw.ImageDraw, stage: Stage) -> None:
        """Draw the strip: the status of the command, and who speaks.

        The words themselves are stored beside the film, where they can be removed.
        """
        words, colour = STATES[stage.state]
        middle = self.height - STRIP // 2
        pen.rectangle((8, middle - 11, 150, middle + 11), fill=colour)
        pen.text((79, middle), words, font=self._font, fill=TEXT, anchor="mm")
        pen.text((self.width - 10, middle), SPEAKERS[stage.speaker], font=self._font, fill=QUIET, anchor="rm")


def _turned(stage: Stage, turns: int) -> Stage:
    """The moment after quarter turns to the left: (x, z) moves to (largest z - z, x)."""
    for _ in range(turns):
        last = stage.grid.shape[2] - 1
        stage = replace(
            stage,
            grid=np.rot90(stage.grid, axes=(0, 2)),
            agent=_pose_turned(stage.agent, last),
            player=_pose_turned(stage.player, last),
            box=stage.box and (_corner_turned(stage.box[0], last), _corner_turned(stage.box[1], last)),
        )
    return stage


def _pose_turned(pose: Pose | None, last: int) -> Pose | None:
    return None if pose is None else pose._replace(x=last - pose.z, z=pose.x, yaw=pose.yaw - 90)


def _corner_turned(corner: tuple[int, ...], last: int) -> tuple[int, ...]:
    x, y, z = corner
    return last - z, y, x


def _in_blocks(px: float) -> int:
    """Sides that are multiples of the codec's blocks: the codec pads other sizes with bytes that differ from run to
    run.
    """
    return ceil(px / _BLOCK) * _BLOCK


def with_figures(stage: Stage) -> Frame:
    """The grid with the figures, each two blocks high; parts outside of the world are left out."""
    grid = stage.grid.copy()
    for pose, block in ((stage.player, PLAYER), (stage.agent, AGENT)):
        if pose is None:
            continue
        x, y, z = round(pose.x), round(pose.y), round(pose.z)
        for at in (y, y + 1):
            if all(0 <= one < side for one, side in zip((x, at, z), grid.shape, strict=True)):
                grid[x, at, z] = block
    return grid


LOOKS: Final = 5
"""The number of moments that are compared, of all moments of a film."""
Mask = npt.NDArray[np.bool_]


def best_corner(stage: Stage, happenings: Iterable[Happening], part: Part) -> int:
    """The number of quarter turns, 0..3, that bring the best corner to the front; the fewest of equally good ones.

    The best corner is the one from which the changes and the agent are hidden least.
    """
    looks = list(_looks(deepcopy(stage), happenings, part))
    changed = _beside(np.any([look.grid != looks[0].grid for look in looks], axis=0))
    size = cast(Size, stage.grid.shape)
    return max(range(4), key=lambda turns: (_share_seen(Camera(size, turns=turns), looks, changed), -turns))


def _looks(stage: Stage, happenings: Iterable[Happening], part: Part) -> Iterator[Stage]:
    """The first moment, the last one, and some between them at even distances."""
    apart, due = max(1, part.ends_ms - part.begins_ms) / (LOOKS - 1), 0.0
    for at_ms in moments(stage, happenings, part):
        if at_ms >= due:
            due += apart
            yield deepcopy(stage)
    yield stage


def _beside(cells: Mask) -> Mask:
    """The cells and their neighbours: where a block was removed, the change is visible on its neighbours."""
    found = cells.copy()
    for axis in range(3):
        low, high = [slice(None)] * 3, [slice(None)] * 3
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        found[tuple(low)] |= cells[tuple(high)]
        found[tuple(high)] |= cells[tuple(low)]
    return found


def _share_seen(camera: Camera, looks: list[Stage], changed: Mask) -> float:
    """The visible share of the triangles of the changed blocks, plus that of the agent."""
    share = 0.0
    for look in looks:
        seen, shown = camera.seen(look), with_figures(look)
        for mask in (changed & (shown != AIR), shown == AGENT):
            share += float(seen[mask].sum()) / (TRIANGLES * max(1, int(mask.sum())))
    return share
