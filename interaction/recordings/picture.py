"""A moment of a voxel world as a picture, seen from above one of its corners, without perspective. Pure.

The corner is that where x, y and z are greatest, of the world as it is after some quarter turns.

Seen so, all faces of blocks lie on one grid of triangles, and of all faces over a triangle the nearest is seen. Which
triangle lies under each pixel never changes in a film: it is looked up once, and a picture is then a few lookups.

A corner (x, y, z) lies on the grid at (a, b) = (x - y, z - y): a runs to the lower right, b to the lower left.
"""

from dataclasses import replace
from math import ceil
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from annotation.voxels.scene import Pose
from annotation.voxels.table import AIR, PALETTE
from interaction.recordings.moments import Stage

Frame = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Size = tuple[int, int, int]

WIDEST, HIGHEST, STRIP = 640, 440, 36
"""Most px of the world's picture, and of the strip below it."""
LARGEST_BLOCK: Final = 24.0
AGENT, PLAYER = 254, 255
"""Ids of what stands where a figure does; no block has them."""
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
"""How bright a face is: the top, that towards x, that towards z."""
_EDGE = 0.78
"""How much darker the last px of a face is, so that equal blocks can be told apart."""
_MARGIN = 10.0
TRIANGLES: Final = 6
"""Of a block, two on each of the three sides that can be seen."""
_BLOCK = 16
_COS, _SIN = float(np.cos(np.pi / 6)), 0.5
_FACES = np.array(
    [
        # Both triangles of a block's top, of its side towards x, of that towards z: (a, b, half), from its own corner.
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
    """Draws moments of one world, all from where it stands; pictures are `width` × `height`, whole blocks.

    Args:
        top: How many layers of blocks, from below, the picture must have room for; all if not said.
        turns: Quarter turns of the world, to the left, before it is looked at.
    """

    def __init__(self, size: Size, *, top: int | None = None, turns: int = 0) -> None:
        x, y, z = size if turns % 2 == 0 else size[::-1]
        top = min(y, top if top is not None else y)
        self._turns = turns
        # (a, b) of the triangle grid begins at (-y, -y): that much is added wherever an index is made of it.
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
        """How many triangles are seen of each block, and of each of a figure's; axes (x, y, z) of the world."""
        grid = with_figures(_turned(stage, self._turns))
        places, owner = self._owners(grid)
        counts = np.bincount(owner[owner > 0] - 1, minlength=3 * len(places)).reshape(-1, 3).sum(axis=1)
        found = np.zeros(grid.shape, dtype=np.int32)
        found[tuple(places.T)] = counts
        return np.rot90(found, -self._turns, axes=(0, 2))

    def _triangles_under(self) -> Ints:
        """The index of the triangle under each pixel of the world, shape (rows, columns); 0 where there is none."""
        across = (np.arange(self.width) + 0.5 - self._left) / (_COS * self._px)
        down = (np.arange(self._world) + 0.5 - self._top) / (_SIN * self._px)
        a, b = (down[:, None] + across[None, :]) / 2, (down[:, None] - across[None, :]) / 2
        left, upper = np.floor(a).astype(np.int32), np.floor(b).astype(np.int32)
        half = (a - left < b - upper).astype(np.int32)
        row, column = left + self._shift, upper + self._shift
        index = (row * self._columns + column) * 2 + half
        return np.where((row >= 0) & (row < self._rows) & (column >= 0) & (column < self._columns), index, 0)

    def _owners(self, grid: Frame) -> tuple[Ints, Ints]:
        """The places of blocks that may be seen, and of each triangle the face that is: 3 to a place, from 1; or 0."""
        solid = grid != AIR
        seen = solid.copy()
        seen[:-1, :-1, :-1] &= ~(solid[1:, :-1, :-1] & solid[:-1, 1:, :-1] & solid[:-1, :-1, 1:])
        places = np.argwhere(seen).astype(np.int32)
        # The farthest first: what is written last is nearest. Two blocks as near share no triangle.
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
        """Where a point of the world lies in the picture, px."""
        return self._left + (x - z) * _COS * self._px, self._top + ((x + z) * _SIN - y) * self._px

    def _gaze(self, pen: ImageDraw.ImageDraw, pose: Pose | None, colour: str) -> None:
        """A line from a figure's eyes to where it looks, over whatever stands before it: nobody is lost from sight."""
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
        """The three sides of a box that are seen, as lines."""
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
        """How far the agent is, and who speaks. What they say stands beside the film, where it can be taken away."""
        words, colour = STATES[stage.state]
        middle = self.height - STRIP // 2
        pen.rectangle((8, middle - 11, 150, middle + 11), fill=colour)
        pen.text((79, middle), words, font=self._font, fill=TEXT, anchor="mm")
        pen.text((self.width - 10, middle), SPEAKERS[stage.speaker], font=self._font, fill=QUIET, anchor="rm")


def _turned(stage: Stage, turns: int) -> Stage:
    """The moment after quarter turns to the left: (x, z) comes to (most z - z, x)."""
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
    """Sides of whole blocks of the codec: what it adds to others is not the same each time, and so the file is not."""
    return ceil(px / _BLOCK) * _BLOCK


def with_figures(stage: Stage) -> Frame:
    """The grid with the figures in it, two blocks high; what of them is outside of the world is not seen."""
    grid = stage.grid.copy()
    for pose, block in ((stage.player, PLAYER), (stage.agent, AGENT)):
        if pose is None:
            continue
        x, y, z = round(pose.x), round(pose.y), round(pose.z)
        for at in (y, y + 1):
            if all(0 <= one < side for one, side in zip((x, at, z), grid.shape, strict=True)):
                grid[x, at, z] = block
    return grid
