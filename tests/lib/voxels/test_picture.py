"""Drawings of scenes: what is seen in them, what is marked, and how large they may get."""

import math
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.voxels import picture
from lib.voxels.mask import keys_of
from lib.voxels.picture import SIDE, Picture, picture_of, svg_of
from lib.voxels.scene import Scene, read_scene, scene_of
from lib.voxels.table import PALETTE
from tests.support.tool_workers import BLUE, GROUND, RED, TOWER, scene

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


def polygons(d: str) -> list[list[Point]]:
    return [
        [(float(x), float(y)) for x, y in (corner.split() for corner in part.rstrip("Z").split("L"))]
        for part in d.split("M")[1:]
    ]


def holds(polygon: list[Point], point: Point) -> bool:
    """Whether a point lies in a convex polygon."""
    sides = zip(polygon, [*polygon[1:], polygon[0]], strict=True)
    turns = [(x2 - x1) * (point[1] - y1) - (y2 - y1) * (point[0] - x1) for (x1, y1), (x2, y2) in sides]
    return all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)


def screen(a: float, b: float) -> Point:
    return (a - b) * math.cos(math.pi / 6) * SIDE, (a + b) / 2 * SIDE


def colour_along(grid: Any, a: float, b: float) -> str | None:
    """The block that a ray towards the eye's corner meets first, in steps too small to miss a block."""
    near = max(grid.shape) + 1
    for step in range(int(2 * near / 0.04)):
        y = near - step * 0.04 + 0.001
        x, z = a + y, b + y
        place = tuple(math.floor(one) for one in (x, y, z))
        if all(0 <= one < side for one, side in zip(place, grid.shape, strict=True)) and grid[place]:
            # The side by which the ray came in is the one whose plane it crossed last.
            depth = [one - math.floor(one) for one in (y, x, z)]
            behind = min(range(3), key=lambda axis: 1 - depth[axis])
            return shaded(PALETTE[int(grid[place])].colour, (1.0, 0.8, 0.62)[behind])
    return None


def shaded(colour: str, by: float) -> str:
    return "#" + "".join(f"{round(int(colour[at : at + 2], 16) * by):02x}" for at in (1, 3, 5))


@settings(max_examples=30, deadline=None)
@given(
    st.tuples(*[st.integers(1, 4)] * 3),
    st.dictionaries(st.tuples(*[st.integers(0, 3)] * 3), st.sampled_from([RED, BLUE, GROUND]), max_size=25),
)
def test_each_place_shows_the_first_block_that_a_ray_meets(
    size: tuple[int, int, int], blocks: dict[tuple[int, int, int], int]
) -> None:
    inside = [[*place, id_] for place, id_ in blocks.items() if all(map(int.__lt__, place, size))]
    drawn = scene_of(size, np.array(inside, dtype=np.int32).reshape(-1, 4))
    grid = drawn.dense()
    faces = [(shape.fill, polygon) for shape in picture_of(drawn).shapes for polygon in polygons(shape.d)]
    for a in range(-5, 5):
        for b in range(-5, 5):
            for place in ((a + 0.64, b + 0.31), (a + 0.31, b + 0.64)):
                shown = [fill for fill, polygon in faces if holds(polygon, screen(*place))]
                expected = colour_along(grid, *place)
                assert shown == ([] if expected is None else [expected]), place


def read(**changes: Any) -> Scene:
    return read_scene(scene(**changes))


def marked(drawn: Picture) -> list[str]:
    return [shape.fill for shape in drawn.shapes if shape.is_marked]


def test_a_mask_is_hatched_and_outlined() -> None:
    drawn = picture_of(read(), keys_of(TOWER))
    assert set(marked(drawn)) <= {shaded(PALETTE[RED].colour, by) for by in (1.0, 0.8, 0.62)}
    assert marked(drawn)
    assert drawn.outline
    assert drawn.hidden == ""
    assert not marked(picture_of(read()))
    assert picture_of(read()).outline == ""


def test_a_hidden_mask_is_outlined_in_dashes() -> None:
    below = read_scene(
        {"size": [3, 3, 3], "blocks": [[x, y, z, 1] for x in range(3) for y in range(3) for z in range(3)]}
    )
    inner = picture_of(below, keys_of([[0, 0, 0]]))
    assert not marked(inner)
    assert inner.outline == ""
    assert len(polygons(inner.hidden)) == 1
    assert len(polygons(inner.hidden)[0]) == 6
    assert "stroke-dasharray" in svg_of(inner, title="")


def test_marked_air_is_drawn_as_if_something_stood_there() -> None:
    drawn = picture_of(read(), keys_of([[3, 4, 3]]))
    assert len(marked(drawn)) == 3


def test_the_agent_and_the_player_have_a_letter() -> None:
    assert [pin.letter for pin in picture_of(read()).pins] == ["A", "P"]
    assert picture_of(read(agent=None, player=None)).pins == ()
    far = {"x": 900.0, "y": 0.0, "z": 0.0, "pitch": 0.0, "yaw": 0.0}
    assert [pin.letter for pin in picture_of(read(player=far)).pins] == ["A"]


@pytest.mark.parametrize("most", [6000, 60])
def test_a_large_scene_is_drawn_from_larger_blocks(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MOST_FACES", most)
    blocks = [[x, y, z, RED if y == 6 else GROUND] for x in range(9) for y in range(7) for z in range(9)]
    drawn = picture_of(read_scene({"size": [9, 9, 9], "blocks": blocks}), keys_of([[8, 8, 8]]))
    assert drawn.faces <= most
    assert drawn.coarse == (1 if most == 6000 else 3)
    assert shaded(PALETTE[RED].colour, 1.0) in {shape.fill for shape in drawn.shapes}
    assert marked(drawn)


def test_everything_lies_in_the_box() -> None:
    drawn = picture_of(read(), keys_of([[0, 4, 5], [0, 0, 0]]))
    left, top, width, height = drawn.box
    corners = [corner for shape in drawn.shapes for polygon in polygons(shape.d) for corner in polygon]
    corners += [corner for polygon in polygons(drawn.hidden) for corner in polygon]
    corners += [(pin.x, at) for pin in drawn.pins for at in (pin.y, pin.y_head)]
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in corners)
    assert width < 200
    assert height < 200


@pytest.mark.parametrize("drawn", [read(), read(blocks=[])], ids=["a scene", "an empty scene"])
def test_the_file_is_well_formed_and_has_no_style_and_no_script(drawn: Scene) -> None:
    text = svg_of(picture_of(drawn, keys_of(TOWER)), title='<the "tower"> & more')
    root = ElementTree.fromstring(text)
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == '<the "tower"> & more'
    assert not re.search(r"style=|<style|<script|href", text)
