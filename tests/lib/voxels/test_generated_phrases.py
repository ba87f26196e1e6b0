"""Phrases of generated scenes mean one object or none, and come in the shares that were asked for."""

from collections import Counter

import numpy as np
import pytest

from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from lib.voxels.objects import HOLE, KINDS, Thing
from lib.voxels.phrases import Name, may_mean
from tests.support.builder_worlds import WAYS, made, meant, read


@pytest.mark.parametrize("way", WAYS)
def test_a_phrase_is_true_of_exactly_the_object_marked_and_a_negative_of_none(way: str) -> None:
    positives = 0
    for one in made(way):
        phrases = [example.phrase for example in one.examples]
        assert 1 <= len(phrases) == len(set(phrases)) <= WAYS[way].per_scene, "no phrase is asked twice"
        for example in one.examples:
            things = meant(one, example.phrase)
            if example.voxels is None:
                assert not things, example.phrase
                assert example.answer == {"absent": True}
            else:
                (thing,) = things
                assert example.answer == {"voxels": thing.voxels.tolist()}
                positives += 1
    assert positives > len(made(way)) / 3


def test_similar_shapes_and_colours_never_distinguish_objects() -> None:
    lime_square = Thing("square", 51, "lime", np.zeros((1, 3), np.int32))
    assert may_mean(Name("rectangle"), lime_square)
    assert may_mean(Name(colour="green"), lime_square)
    assert not may_mean(Name("cube"), lime_square)
    assert not may_mean(Name("square", "yellow"), lime_square)
    seen = 0
    for one in generate(2, 200, Options(materials=(51, 59), shapes=(2, 3), negatives=0.5)):
        words = {thing.colour for thing in one.things}
        for example in one.examples:
            if len(one.things) > 1 and words == {"lime", "green"}:
                assert example.phrase not in ("the lime thing", "the green thing")
                seen += 1
            if example.voxels is None and words & {"lime", "green"}:
                assert example.phrase not in ("the lime thing", "the green thing")
    assert seen > 20


def test_near_misses_are_right_but_for_one_word() -> None:
    near = 0
    for one in generate(8, 400, Options(negatives=1.0)):
        (example,) = one.examples
        shape, colour = read(example.phrase)
        if shape and colour:
            near += any((thing.shape == shape) != (thing.colour == colour) for thing in one.things)
    # A quarter are near misses by intent, and some of those with both words by chance.
    assert 400 * 0.2 < near < 400 * 0.45


def test_a_hole_is_asked_for_where_there_is_one() -> None:
    options = Options(holes=(0, 2), per_scene=3, negatives=0.8)
    asked = Counter(
        (example.phrase, example.voxels is None, sum(thing.shape == HOLE for thing in one.things))
        for one in generate(3, 500, options)
        for example in one.examples
        if "hole" in example.phrase
    )
    assert set(asked) == {("hole", False, 1), ("hole", True, 0)}


# How much of what --------------------------------------------------------------------------------------------


def test_shares_over_500_scenes_are_near_the_options() -> None:
    scenes = list(generate(7, 500))
    kinds = Counter(thing.shape for one in scenes for thing in one.things)
    total = sum(kinds.values())
    # Four standard deviations of a binomial.
    assert all(abs(kinds[kind] - total / 10) < 4 * (total * 0.09) ** 0.5 for kind in KINDS)
    materials = Counter(thing.material for one in scenes for thing in one.things)
    assert set(materials) == set(Options().materials)
    counts = Counter(len(one.things) for one in scenes)
    assert all(abs(counts[n] - 500 / 3) < 4 * (500 * 2 / 9) ** 0.5 for n in (1, 2, 3))
    absent = sum(example.voxels is None for one in scenes for example in one.examples)
    assert abs(absent - 100) < 4 * (500 * 0.16) ** 0.5
    forms = Counter(
        (not shape, not colour)
        for one in scenes
        for example in one.examples
        if example.voxels is not None
        for shape, colour in [read(example.phrase)]
    )
    assert all(forms[form] > 80 for form in [(False, True), (False, False), (True, False)])
