"""Generated scenes: the same for the same seed, well formed, their objects where they should be."""

from collections import Counter

import numpy as np
import pytest

from lib.canonical_json import canonical, digest
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options
from lib.voxels.objects import HOLE, KINDS, forms_of
from lib.voxels.scene import Pose, read_scene
from lib.voxels.table import PALETTE
from tests.support.builder_worlds import CROWDED, WAYS, made

# The same again ----------------------------------------------------------------------------------------------


def told(one: Generated) -> str:
    return canonical(list(one.rows()))


def test_scenes_0_to_4_of_seed_7_stay_what_they_are() -> None:
    """Datasets and references are named by seed and number: if this fails, what those names mean has changed."""
    found = digest([list(one.rows()) for one in generate(7, 5)])
    assert found == "492366d7a550393ae430d805b8076ef57da4a8ed080ec1a7e6ce1c388ab23d30"


def test_a_scene_is_the_same_however_many_are_made() -> None:
    few, many = list(generate(3, 4, CROWDED)), list(generate(3, 9, CROWDED))
    assert [told(one) for one in few] == [told(one) for one in many[:4]]
    assert [one.number for one in many] == list(range(9))


def test_other_phrases_are_asked_of_the_same_scenes() -> None:
    asked = [list(generate(5, 20, Options(negatives=share, per_scene=n))) for share, n in ((0.0, 1), (0.9, 4))]
    few, many = ([one.scene.digest for one in scenes] for scenes in asked)
    assert few == many


def test_more_examples_begin_with_those_of_fewer() -> None:
    for few, many in zip(generate(5, 30, Options(per_scene=2)), generate(5, 30, Options(per_scene=5)), strict=True):
        assert [one.phrase for one in many.examples][:2] == [one.phrase for one in few.examples]
        assert many.keys[: len(few.keys)] == few.keys


# Well formed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_ground_is_dirt_under_grass_and_the_rest_is_the_objects(way: str) -> None:
    options = WAYS[way]
    width, height, depth = options.size
    for one in made(way):
        expected: dict[tuple[int, ...], int] = {}
        for y in range(options.ground_depth):
            material = 8 if y == options.ground_depth - 1 else 9
            expected |= {(x, y, z): material for x in range(width) for z in range(depth)}
        for thing in one.things:
            for place in map(tuple, thing.voxels.tolist()):
                if thing.shape == HOLE:
                    del expected[place]
                else:
                    # Neither in the ground nor where another object is.
                    assert place not in expected
                    expected[place] = thing.material
        assert all(0 <= x < width and 0 <= y < height and 0 <= z < depth for x, y, z in expected)
        blocks = one.scene.as_json()["blocks"]
        assert {tuple(block[:3]): block[3] for block in blocks} == expected
        assert read_scene(one.scene.as_json()).digest == one.scene.digest


@pytest.mark.parametrize("way", WAYS)
def test_objects_are_one_of_the_shapes_and_stand_on_solid_ground(way: str) -> None:
    options = WAYS[way]
    known = {kind: {form.voxels.tobytes() for form in forms_of(kind)} for kind in KINDS}
    for one in made(way):
        grid = one.scene.dense()
        for thing in one.things:
            moved = (thing.voxels - thing.voxels.min(axis=0)).astype(np.int32)
            if thing.shape == HOLE:
                assert thing.voxels[:, 1].max() == options.ground_depth - 1
                assert thing.voxels[:, 1].min() >= 1
                continue
            assert moved.tobytes() in known[thing.shape]
            assert thing.shape in options.kinds
            assert thing.material in options.materials
            assert thing.colour == PALETTE[thing.material].word
            feet = thing.voxels[thing.voxels[:, 1] == options.ground_depth]
            assert len(feet)
            assert (grid[feet[:, 0], options.ground_depth - 1, feet[:, 2]] == 8).all()


@pytest.mark.parametrize("way", WAYS)
def test_figures_stand_apart_on_open_ground_and_look_about(way: str) -> None:
    options = WAYS[way]
    for one in made(way):
        grid, columns = one.scene.dense(), set()
        for pose in (one.scene.agent, one.scene.player):
            assert isinstance(pose, Pose)
            x, y, z = int(pose.x), int(pose.y), int(pose.z)
            assert (x, y, z) == (pose.x, pose.y, pose.z)
            assert y == options.ground_depth
            assert grid[x, y - 1, z] == 8
            assert not grid[x, y:, z].any()
            assert -180 <= pose.yaw < 180
            assert abs(pose.pitch) <= 30
            columns.add((x, z))
        assert len(columns) == 2


def test_a_gap_is_kept_between_objects() -> None:
    for one in generate(4, 60, Options(shapes=(3, 3), gap=2)):
        for number, thing in enumerate(one.things):
            for other in one.things[:number]:
                apart = np.abs(thing.voxels[:, None, [0, 2]] - other.voxels[None, :, [0, 2]]).max(axis=2)
                assert apart.min() > 2


def test_where_there_is_no_room_there_are_fewer() -> None:
    crowd = Options(size=(7, 8, 7), ground_depth=3, shapes=(8, 8))
    counts = Counter(len(one.things) for one in generate(1, 60, crowd))
    assert max(counts) < 8
    assert min(counts) >= 1
