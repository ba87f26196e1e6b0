"""The practice tasks of projects that have none of their own: one scene, in which a tower is marked or named."""

from itertools import product
from typing import Final

from annotation.tool_registry import Json

_SIDE, _HIGH = 11, 8
_DIRT, _GRASS, _RED, _BLUE, _YELLOW = 9, 8, 60, 57, 50
_FLOOR = 2
"""The lowest layer above the ground."""


def _box(low: tuple[int, int, int], high: tuple[int, int, int]) -> list[list[int]]:
    """Every voxel of a box, both corners inclusive."""
    return [list(voxel) for voxel in product(*(range(a, b + 1) for a, b in zip(low, high, strict=True)))]


def _scene(things: dict[int, list[list[int]]]) -> Json:
    """Flat ground with these things, by their block id; the person looks at them."""
    ground = {_DIRT: _box((0, 0, 0), (_SIDE - 1, 0, _SIDE - 1)), _GRASS: _box((0, 1, 0), (_SIDE - 1, 1, _SIDE - 1))}
    blocks = sorted([*voxel, block] for block, voxels in (ground | things).items() for voxel in voxels)
    person = {"x": 5, "y": _FLOOR, "z": 0, "pitch": -10.0, "yaw": 0.0}
    agent = {"x": 5, "y": _FLOOR, "z": 10, "pitch": -10.0, "yaw": 180.0}
    return {"size": [_SIDE, _HIGH, _SIDE], "blocks": blocks, "agent": agent, "player": person}


_TOWER: Final = _box((3, _FLOOR, 5), (3, _FLOOR + 3, 5))
_HUT: Final = _box((7, _FLOOR, 4), (8, _FLOOR + 1, 5))
MARKING: Final[Json] = {
    "ask": "Mark all of it, and nothing else. It does not count.",
    "payload": {"scene": _scene({_RED: _TOWER, _YELLOW: _HUT}), "phrase": "the red tower"},
    "accept": [{"voxels": _TOWER}],
    "why": "The tower has four red blocks, one on the other. Mark these four and no other block.",
}
NAMING_ONE: Final[Json] = {
    "ask": "Name what you see. It does not count.",
    "payload": {"scene": _scene({_BLUE: _TOWER})},
    "accept": [
        {"phrase": f"{look}{noun}"}
        for look in ("", "blue ", "tall blue ", "small blue ", "tall ", "small ")
        for noun in ("tower", "column", "pillar", "pole", "post", "stack", "blocks", "building", "wall")
    ],
    "why": "It is a blue tower of four blocks. Give it a short name, such as its colour and what it is.",
}
