"""Shapes against their formulas, stated once more as plain loops; and sizes that are refused."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.voxels import shapes
from lib.voxels.shapes import PLANES, UPRIGHT, Plane, Voxels

Place = tuple[int, int, int]
SIDES = st.integers(1, 7)
RADII = st.integers(1, 6)
PLANE = st.sampled_from(PLANES)


def places(voxels: Voxels) -> list[Place]:
    assert voxels.dtype == np.int32
    return [(x, y, z) for x, y, z in voxels.tolist()]


def space(most: int) -> list[Place]:
    return [(x, y, z) for x in range(most) for y in range(most) for z in range(most)]


def turned(flat: set[tuple[int, int]], plane: Plane) -> list[Place]:
    """A flat shape (across, up) in its plane, in order."""
    ways: dict[Plane, Callable[[int, int], Place]] = {
        "xy": lambda across, up: (across, up, 0),
        "yz": lambda across, up: (0, up, across),
        "xz": lambda across, up: (across, 0, up),
    }
    return sorted(ways[plane](*place) for place in flat)


@given(SIDES, SIDES, SIDES)
def test_a_rectanguloid_is_all_of_its_box(width: int, height: int, depth: int) -> None:
    expected = [(x, y, z) for x, y, z in space(7) if x < width and y < height and z < depth]
    assert places(shapes.rectanguloid(width, height, depth)) == expected
    assert places(shapes.cube(width)) == places(shapes.rectanguloid(width, width, width))


@given(RADII)
def test_a_sphere_has_the_formula_of_the_paper(radius: int) -> None:
    """All points with sqrt((ix - x)^2 + (iy - y)^2 + (iz - z)^2) <= r, here x = y = z = r."""

    def is_in(ix: int, iy: int, iz: int) -> bool:
        return sqrt((ix - radius) ** 2 + (iy - radius) ** 2 + (iz - radius) ** 2) <= radius

    assert places(shapes.sphere(radius)) == [place for place in space(2 * radius + 1) if is_in(*place)]


@given(RADII, st.integers(1, 6))
def test_a_dome_is_the_upper_half_of_a_hollow_sphere(radius: int, thickness: int) -> None:
    thickness = min(thickness, radius)

    def is_in(x: int, y: int, z: int) -> bool:
        return radius - thickness < sqrt((x - radius) ** 2 + y**2 + (z - radius) ** 2) <= radius

    assert places(shapes.dome(radius, thickness)) == [place for place in space(2 * radius + 1) if is_in(*place)]


@given(st.integers(1, 5), st.integers(1, 3))
def test_a_pyramid_is_squares_one_on_another(radius: int, slope: int) -> None:
    expected = set()
    y = 0
    for inset in range(radius + 1):
        # One block at the top stands for itself, every other square is repeated.
        for _ in range(slope if inset < radius else 1):
            for x in range(inset, 2 * radius + 1 - inset):
                expected |= {(x, y, z) for z in range(inset, 2 * radius + 1 - inset)}
            y += 1
    assert places(shapes.pyramid(radius, slope)) == sorted(expected)


@given(SIDES, SIDES, PLANE)
def test_a_rectangle_is_all_of_its_plane(width: int, height: int, plane: Plane) -> None:
    flat = {(across, up) for across in range(width) for up in range(height)}
    assert places(shapes.rectangle(width, height, plane)) == turned(flat, plane)
    assert places(shapes.square(width, plane)) == places(shapes.rectangle(width, width, plane))


@given(RADII, PLANE)
def test_a_circle_is_a_disk_without_the_next_smaller(radius: int, plane: Plane) -> None:
    def disk(of: int) -> set[tuple[int, int]]:
        reach = range(-of, of + 1)
        return {(u + radius, v + radius) for u in reach for v in reach if sqrt(u * u + v * v) <= of}

    assert places(shapes.circle(radius, plane)) == turned(disk(radius) - disk(radius - 1), plane)


@given(RADII, PLANE)
def test_a_triangle_loses_a_block_at_either_end_of_each_row(rise: int, plane: Plane) -> None:
    flat = set()
    for row in range(rise + 1):
        flat |= {(across, row) for across in range(row, row + 2 * (rise - row) + 1)}
    assert places(shapes.triangle(rise, plane)) == turned(flat, plane)


@given(st.integers(1, 5), st.integers(0, 4), st.sampled_from(UPRIGHT))
def test_an_arch_is_two_columns_and_the_steps_over_them(height: int, half: int, plane: Plane) -> None:
    span = 2 * half + 1
    flat = {(end, up) for end in (0, span + 1) for up in range(height)}
    left, right, up = 1, span, height
    while left <= right:
        flat |= {(left, up), (right, up)}
        left, right, up = left + 1, right - 1, up + 1
    assert places(shapes.arch(height, span, plane)) == turned(flat, plane)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: shapes.cube(0), "width"),
        (lambda: shapes.sphere(-1), "radius"),
        (lambda: shapes.pyramid(2, 0), "slope"),
        (lambda: shapes.dome(2, 3), "thickness"),
        (lambda: shapes.triangle(0, "xy"), "rise"),
        (lambda: shapes.arch(2, 4, "xy"), "span"),
        (lambda: shapes.arch(2, 5, "xz"), "plane"),
        (lambda: shapes.square(2, "zy"), "plane"),  # type: ignore[arg-type]
    ],
)
def test_sizes_that_make_no_shape_are_refused(made: Callable[[], Any], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        made()
