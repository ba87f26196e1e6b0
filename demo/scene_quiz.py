"""A quiz of four scenes: one of several similar objects, the nearer object, a missing object, and empty space.

All four answers must be right, like the pilot of paper 004's vision annotation task.
"""

from collections.abc import Mapping
from typing import Any, TypedDict

Json = dict[str, Any]
Standpoint = tuple[int, int, float]
"""A figure's x and z, and its yaw."""
SIDE, HIGH = 13, 9
DIRT, GRASS, STONE = 9, 8, 12
RED, YELLOW, BLUE, LIME, ORANGE, WHITE = 60, 50, 57, 51, 47, 46
FLOOR = 2
"""The lowest layer above the ground."""


class SceneQuestion(TypedDict):
    """One question: the object to mark in a scene, and the answer."""

    id: str
    ask: str
    phrase: str
    scene: Json
    accept: Json


def questions() -> list[SceneQuestion]:
    return [_towers(), _nearer(), _absent(), _doorway()]


def _towers() -> SceneQuestion:
    corners = {RED: (3, 3), YELLOW: (9, 3), BLUE: (3, 9), LIME: (9, 9)}
    towers = {colour: _box((x, FLOOR, z), (x, FLOOR + 3, z)) for colour, (x, z) in corners.items()}
    scene = _scene(towers, you=(6, 1, 0.0), assistant=(6, 11, 180.0))
    return _asked("tower", "Mark every block of it and nothing else.", "the blue tower", scene, towers[BLUE])


def _nearer() -> SceneQuestion:
    cubes = [_box((x, FLOOR, z), (x + 1, FLOOR + 1, z + 1)) for x, z in ((2, 4), (9, 5), (5, 9))]
    scene = _scene({ORANGE: [voxel for cube in cubes for voxel in cube]}, you=(1, 1, 20.0), assistant=(11, 11, 200.0))
    ask = "There are three. Look who stands where: the list below the pictures tells who is who."
    return _asked("nearer", ask, "the cube that is closest to the person", scene, cubes[0])


def _absent() -> SceneQuestion:
    wall = _box((3, FLOOR, 8), (9, FLOOR + 2, 8))
    tower = _box((5, FLOOR, 3), (5, FLOOR + 4, 3))
    scene = _scene({STONE: wall, YELLOW: tower}, you=(10, 2, 45.0), assistant=(2, 2, -45.0))
    return _asked("absent", "Look well: it may be there or not.", "the red pyramid", scene, None)


def _doorway() -> SceneQuestion:
    opening = _box((6, FLOOR, 6), (6, FLOOR + 1, 6))
    wall = [voxel for voxel in _box((3, FLOOR, 6), (9, FLOOR + 3, 6)) if voxel not in opening]
    scene = _scene({WHITE: wall}, you=(6, 1, 0.0), assistant=(3, 10, 180.0))
    ask = "Here nothing is where something could be: switch to air, and mark the empty places."
    return _asked("doorway", ask, "the doorway in the wall, where one walks through", scene, opening)


def _asked(name: str, ask: str, phrase: str, scene: Json, voxels: list[list[int]] | None) -> SceneQuestion:
    accept = {"absent": True} if voxels is None else {"voxels": voxels}
    return {"id": name, "ask": ask, "phrase": phrase, "scene": scene, "accept": accept}


def _scene(objects: Mapping[int, list[list[int]]], *, you: Standpoint, assistant: Standpoint) -> Json:
    """Flat ground with these objects, by their block id."""
    blocks = [[*voxel, DIRT] for voxel in _box((0, 0, 0), (SIDE - 1, 0, SIDE - 1))]
    blocks += [[*voxel, GRASS] for voxel in _box((0, 1, 0), (SIDE - 1, 1, SIDE - 1))]
    blocks += [[*voxel, colour] for colour, voxels in objects.items() for voxel in voxels]
    return {"size": [SIDE, HIGH, SIDE], "blocks": sorted(blocks), "agent": _pose(*assistant), "player": _pose(*you)}


def _pose(x: int, z: int, yaw: float) -> Json:
    return {"x": x, "y": FLOOR, "z": z, "pitch": -10.0, "yaw": yaw}


def _box(low: tuple[int, int, int], high: tuple[int, int, int]) -> list[list[int]]:
    """Every voxel of a box, both corners inclusive."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    return [[x, y, z] for x in range(x0, x1 + 1) for y in range(y0, y1 + 1) for z in range(z0, z1 + 1)]
