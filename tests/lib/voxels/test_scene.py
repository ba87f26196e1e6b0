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


NAN, INF = float("nan"), float("inf")
FAULTS_OF_POSES = [("x", NAN, "number"), ("y", INF, "number"), ("z", 5000, "4096"), ("pitch", 91, "90")]


@pytest.mark.parametrize(
    ("pointer", "word", "changes"),
    [
        ("#/size", "whole numbers", [{"size": size} for size in ([6, 5], [6, True, 6], [6, 5.0, 6], None)]),
        ("#/size/1", "1 to 256", [{"size": [6, side, 6]} for side in (0, 257, -1)]),
        ("#/blocks", "list", [{"blocks": None}, {"blocks": {}}]),
        ("#/blocks/0", "[x, y, z, id]", [{"blocks": [row]} for row in ([0, 0, 0], [0, 0, 0, 1, 1], "0001")]),
        ("#/blocks/1", "x is -1", [{"blocks": [[0, 0, 0, 1], [-1, 0, 0, 1]]}]),
        ("#/blocks/0", "y is 5", [{"blocks": [[0, 5, 0, 1]]}]),
        ("#/blocks/0", "z is far outside", [{"blocks": [[0, 0, 10**40, 1]]}]),
        ("#/blocks/0", "whole numbers", [{"blocks": [[0, 0, z, 1]]} for z in (NAN, 0.5, True)]),
        ("#/blocks/1", "already: #/blocks/0", [{"blocks": [[0, 0, 0, id_], [0, 0, 0, id_ + 1]]} for id_ in (0, 1)]),
        *(("#/blocks/0", f"no block with the id {id_}", [{"blocks": [[0, 0, 0, id_]]}]) for id_ in (70, -1)),
        ("#/blocks", "at most", [{"blocks": [[0, 0, 0, 1]] * (MOST_BLOCKS + 1)}]),
        ("#/agent", "pitch", [{"agent": {"x": 1}}, {"agent": {**POSE, "roll": 0}}]),
        *((f"#/player/{name}", word, [{"player": {**POSE, name: value}}]) for name, value, word in FAULTS_OF_POSES),
        ("#/player/yaw", "number", [{"player": {**POSE, "yaw": yaw}} for yaw in ("0", 10**400)]),
        ("#/colour", "no field", [{"colour": "red"}]),
    ],
)
def test_a_malformed_scene_is_refused_with_its_place(pointer: str, word: str, changes: list[dict[str, Any]]) -> None:
    for change in changes:
        with pytest.raises(Invalid) as error:
            read_scene(scene(**change))
        assert [fault.pointer for fault in error.value.faults] == [pointer]
        assert word in error.value.faults[0].detail


@pytest.mark.parametrize("value", [None, [], "scene", 7])
def test_only_an_object_is_a_scene(value: Any) -> None:
    with pytest.raises(Invalid):
        read_scene(value)


def test_only_the_first_of_many_faults_are_listed() -> None:
    with pytest.raises(Invalid) as error:
        read_scene(scene(blocks=[[0, 0, 0, 99]] * 500))
    assert len(error.value.faults) == MOST_FAULTS


def test_the_table_is_whole() -> None:
    assert sorted(PALETTE) == list(range(1, 70))
    assert len({material.name for material in PALETTE.values()}) == 69
    assert sorted(FACES) == sorted(tuple(sign * (axis == i) for i in range(3)) for axis in range(3) for sign in (1, -1))
