"""Scenes: what is read, kept and given back, and what is refused."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.faults import Invalid
from lib.voxels.mask import MOST_FAULTS
from lib.voxels.scene import read_scene, unpacked
from lib.voxels.table import FACES, MOST_BLOCKS, PALETTE
from tests.support.tool_workers import scene

IDS = sorted(PALETTE)


@st.composite
def scenes(draw: st.DrawFn) -> dict[str, Any]:
    size = [draw(st.integers(1, 12)) for _ in range(3)]
    place = st.tuples(*(st.integers(0, side - 1) for side in size))
    blocks = draw(st.dictionaries(place, st.sampled_from(IDS), max_size=40))
    pose = st.none() | st.fixed_dictionaries(
        {
            **{name: st.floats(-4096, 4096) for name in "xyz"},
            "pitch": st.floats(-90, 90),
            "yaw": st.floats(-360, 360),
        }
    )
    rows = [[*place, id_] for place, id_ in blocks.items()]
    return {"size": size, "blocks": rows, "agent": draw(pose), "player": draw(pose)}


@given(scenes())
def test_a_scene_comes_back_as_it_was_from_json_and_from_bytes(value: dict[str, Any]) -> None:
    found = read_scene(value)
    assert sorted(map(tuple, value["blocks"])) == list(map(tuple, found.as_json()["blocks"]))
    assert unpacked(found.packed()).as_json() == found.as_json()
    assert read_scene(found.as_json()).digest == found.digest == unpacked(found.packed()).digest


@given(scenes(), st.randoms(use_true_random=False))
def test_equal_scenes_have_one_digest_however_they_are_written(value: dict[str, Any], rng: random.Random) -> None:
    shuffled = list(value["blocks"])
    rng.shuffle(shuffled)
    assert read_scene({**value, "blocks": shuffled}).digest == read_scene(value).digest


def test_scenes_that_differ_have_other_digests() -> None:
    changes: list[dict[str, Any]] = [{}, {"size": [6, 5, 7]}, {"agent": None}, {"blocks": [[0, 0, 0, 1]]}]
    changes += [{"blocks": [[0, 0, 0, 2]]}, {"blocks": [[0, 0, 1, 1]]}, {"blocks": []}]
    assert len({read_scene(scene(**change)).digest for change in changes}) == len(changes)


def test_air_is_ignored() -> None:
    assert read_scene(scene(blocks=[*scene()["blocks"], [3, 3, 3, 0]])).digest == read_scene(scene()).digest


def test_the_dense_grid_has_axes_x_y_z() -> None:
    grid = read_scene({"size": [3, 4, 5], "blocks": [[2, 3, 4, 60], [0, 1, 2, 57]]}).dense()
    assert grid.shape == (3, 4, 5)
    assert {tuple(map(int, place)) for place in np.argwhere(grid)} == {(2, 3, 4), (0, 1, 2)}
    assert (grid[2, 3, 4], grid[0, 1, 2]) == (60, 57)


def test_packed_scenes_are_small_and_lose_nothing() -> None:
    solid = [[x, y, z, 9] for x in range(64) for y in range(5) for z in range(64)]
    assert len(read_scene({"size": [64, 64, 64], "blocks": solid}).packed()) < 1000
    sparse = read_scene({"size": [256, 256, 256], "blocks": [[255, 255, 255, 60], [0, 0, 0, 57]]})
    assert unpacked(sparse.packed()).as_json() == sparse.as_json()
    rng = random.Random(7)
    places = rng.sample([(x, y, z) for x in range(64) for y in range(64) for z in range(64)], 20_000)
    noise = read_scene({"size": [64, 64, 64], "blocks": [[*place, rng.choice(IDS)] for place in places]})
    assert unpacked(noise.packed()).as_json() == noise.as_json()
    assert len(noise.packed()) < 3 * 20_000


POSE = {"x": 1, "y": 1, "z": 1, "pitch": 0, "yaw": 0}


@pytest.mark.parametrize(
    ("change", "pointer", "word"),
    [
        ({"size": [6, 5]}, "#/size", "whole numbers"),
        ({"size": [6, 0, 6]}, "#/size/1", "1 to 256"),
        ({"size": [6, 257, 6]}, "#/size/1", "1 to 256"),
        ({"size": [6, -1, 6]}, "#/size/1", "1 to 256"),
        ({"size": [6, True, 6]}, "#/size", "whole numbers"),
        ({"size": [6, 5.0, 6]}, "#/size", "whole numbers"),
        ({"size": None}, "#/size", "whole numbers"),
        ({"blocks": None}, "#/blocks", "list"),
        ({"blocks": {}}, "#/blocks", "list"),
        ({"blocks": [[0, 0, 0]]}, "#/blocks/0", "[x, y, z, id]"),
        ({"blocks": [[0, 0, 0, 1, 1]]}, "#/blocks/0", "[x, y, z, id]"),
        ({"blocks": ["0001"]}, "#/blocks/0", "[x, y, z, id]"),
        ({"blocks": [[0, 0, 0, 1], [-1, 0, 0, 1]]}, "#/blocks/1", "x is -1"),
        ({"blocks": [[0, 5, 0, 1]]}, "#/blocks/0", "y is 5"),
        ({"blocks": [[0, 0, 10**40, 1]]}, "#/blocks/0", "z is far outside"),
        ({"blocks": [[0, 0, float("nan"), 1]]}, "#/blocks/0", "whole numbers"),
        ({"blocks": [[0, 0, 0.5, 1]]}, "#/blocks/0", "whole numbers"),
        ({"blocks": [[0, 0, True, 1]]}, "#/blocks/0", "whole numbers"),
        ({"blocks": [[0, 0, 0, 0], [0, 0, 0, 1]]}, "#/blocks/1", "already: #/blocks/0"),
        ({"blocks": [[0, 0, 0, 70]]}, "#/blocks/0", "no block with the id 70"),
        ({"blocks": [[0, 0, 0, -1]]}, "#/blocks/0", "no block with the id -1"),
        ({"blocks": [[0, 0, 0, 1], [0, 0, 0, 2]]}, "#/blocks/1", "already: #/blocks/0"),
        ({"blocks": [[0, 0, 0, 1]] * (MOST_BLOCKS + 1)}, "#/blocks", "at most"),
        ({"agent": {"x": 1}}, "#/agent", "pitch"),
        ({"agent": {**POSE, "roll": 0}}, "#/agent", "pitch"),
        ({"player": {**POSE, "x": float("nan")}}, "#/player/x", "number"),
        ({"player": {**POSE, "y": float("inf")}}, "#/player/y", "number"),
        ({"player": {**POSE, "z": 5000}}, "#/player/z", "4096"),
        ({"player": {**POSE, "pitch": 91}}, "#/player/pitch", "90"),
        ({"player": {**POSE, "yaw": "0"}}, "#/player/yaw", "number"),
        ({"player": {**POSE, "yaw": 10**400}}, "#/player/yaw", "number"),
        ({"colour": "red"}, "#/colour", "no field"),
    ],
)
def test_a_malformed_scene_is_refused_with_its_place(change: dict[str, Any], pointer: str, word: str) -> None:
    with pytest.raises(Invalid) as error:
        read_scene(scene(**change))
    assert [fault.pointer for fault in error.value.faults] == [pointer]
    assert word in error.value.faults[0].detail


@pytest.mark.parametrize("value", [None, [], "scene", 7])
def test_what_is_no_object_is_no_scene(value: Any) -> None:
    with pytest.raises(Invalid):
        read_scene(value)


def test_of_many_faults_the_first_are_told() -> None:
    with pytest.raises(Invalid) as error:
        read_scene(scene(blocks=[[0, 0, 0, 99]] * 500))
    assert len(error.value.faults) == MOST_FAULTS


def test_the_table_is_whole() -> None:
    assert sorted(PALETTE) == list(range(1, 70))
    assert len({material.name for material in PALETTE.values()}) == 69
    assert sorted(FACES) == sorted(tuple(sign * (axis == i) for i in range(3)) for axis in range(3) for sign in (1, -1))
