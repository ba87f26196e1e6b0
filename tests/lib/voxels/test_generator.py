"""Generated scenes: the same for the same seed, well formed, their objects where they should be."""

from collections import Counter

import numpy as np
import pytest

from lib.canonical_json import canonical, digest
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options
from lib.voxels.objects import HOLE
from lib.voxels.scene import read_scene
from tests.support.builder_worlds import CROWDED, WAYS, made

# The same again ----------------------------------------------------------------------------------------------


def told(one: Generated) -> str:
    return canonical(list(one.rows()))


DIGESTS = {
    "as it comes": "492366d7a550393ae430d805b8076ef57da4a8ed080ec1a7e6ce1c388ab23d30",
    "crowded": "084d77ef13506de15a3b52036307ed390199d3e7f8e929393cef05a7aacd303f",
    "small": "37b5720e0ad07de3ae299f6b90dd49e4bed4303cf2f034d107d559152830fe01",
    "few kinds and colours": "50102a793fc8116d54717cb55b44f23fbff92afc36fe05357781ff6134cd67f0",
    "wide": "24b9106ab97e6b813679be2affd2a06eb9a202a6f458a503903a554b26891719",
}


@pytest.mark.parametrize("way", WAYS)
def test_scenes_0_to_4_of_seed_7_stay_the_same(way: str) -> None:
    """Datasets and references are named by seed and number: if this fails, what those names mean has changed."""
    assert digest([list(one.rows()) for one in generate(7, 5, WAYS[way])]) == DIGESTS[way]


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
    shallow = generate(1, 20, Options(ground_depth=1, holes=(1, 2)))
    assert not [thing for one in shallow for thing in one.things if thing.shape == HOLE], "a hole needs a floor"
