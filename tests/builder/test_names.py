"""The names of things, by their shapes and by how they were made."""

from typing import Any

import numpy as np
import pytest

from builder.world.memory import KnownThing, Memory
from builder.world.names import a, colour_of, name_of, noun_fit, size_of, the
from builder.world.shape_fits import fits_of
from builder.world.things import Thing, figure_of, things_in
from lib.voxels import shapes
from lib.voxels.objects import KINDS, forms_of
from lib.voxels.shapes import Voxels
from tests.support.builder_worlds import SMALL_GROUND, cells, world_with


def thing(voxels: Voxels, colour: str = "red", known: dict[str, Any] | None = None) -> Thing:
    """The only thing of a world."""
    memory = Memory()
    if known:
        memory.add_thing(KnownThing(cells(voxels, (5, SMALL_GROUND, 5)), by="agent", **known))
    (found,) = things_in(world_with((colour, voxels, (5, SMALL_GROUND, 5))), memory)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_shape_of_generated_scenes_is_told_by_its_kind(kind: str) -> None:
    """Exactly so; a tall box may be called a tower besides."""
    for form in forms_of(kind):
        fits = fits_of(form.voxels)
        assert fits[kind] == pytest.approx(1.0)
        assert all(fit < 0.97 for other, fit in fits.items() if other != kind)


@pytest.mark.parametrize(
    ("voxels", "name"),
    [
        (shapes.cube(4), "cube"),
        (shapes.cube(1), "block"),
        (shapes.sphere(5), "sphere"),
        (shapes.pyramid(6), "pyramid"),
        (shapes.dome(7, 1), "dome"),
        (shapes.circle(6, "xz"), "circle"),
        (shapes.square(6, "xy"), "square"),
        (shapes.triangle(6, "yz"), "triangle"),
        (shapes.arch(5, 11, "xy"), "arch"),
        (shapes.rectanguloid(1, 8, 1), "tower"),
        (shapes.rectanguloid(7, 1, 1), "line"),
        (shapes.rectangle(5, 3, "xy"), "rectangle"),
        (shapes.rectanguloid(4, 2, 3), "box"),
    ],
)
def test_things_are_named_by_their_shape(voxels: Voxels, name: str) -> None:
    assert name_of(thing(voxels)) == name


@pytest.mark.parametrize(
    ("voxels", "nouns"),
    [
        (shapes.rectanguloid(2, 8, 2), ("tower", "pillar", "column")),
        (shapes.rectanguloid(7, 3, 1), ("wall", "fence", "rectangle")),
        (shapes.rectanguloid(9, 1, 2), ("road", "path", "line", "row")),
        (shapes.rectanguloid(5, 1, 5), ("floor", "platform", "square")),
        (shapes.cube(3), ("cubes", "box", "rectanguloid", "thing", "structure")),
        (shapes.sphere(3), ("ball", "globe", "spheres")),
        (shapes.circle(3, "xy"), ("ring", "disc", "wheel")),
        (shapes.arch(2, 5, "xy"), ("gate", "bridge")),
    ],
)
def test_people_have_several_words_for_a_thing(voxels: Voxels, nouns: tuple[str, ...]) -> None:
    assert all(noun_fit(noun, thing(voxels)) >= 0.6 for noun in nouns)


@pytest.mark.parametrize(
    ("voxels", "noun"),
    [
        (shapes.cube(3), "sphere"),
        (shapes.rectanguloid(4, 2, 3), "cube"),
        (shapes.rectangle(5, 3, "xy"), "square"),
        (shapes.square(3, "xz"), "tower"),
        (shapes.sphere(3), "castle"),
        (shapes.cube(5), "house"),
    ],
)
def test_a_word_for_something_else_does_not_fit(voxels: Voxels, noun: str) -> None:
    assert noun_fit(noun, thing(voxels)) == 0


def test_walls_with_room_inside_and_a_roof_are_a_house() -> None:
    box = shapes.rectanguloid(6, 5, 5)
    inside = ((box > 0) & (box < np.array([5, 4, 4]))).all(axis=1)
    door = (box[:, 0] == 2) & (box[:, 1] < 2) & (box[:, 2] == 0)
    # The floor is the ground.
    floor = (box[:, 1] == 0) & (box[:, 0] % 5 != 0) & (box[:, 2] % 4 != 0)
    hut = thing(box[~inside & ~door & ~floor])
    assert noun_fit("house", hut) >= 0.6
    assert noun_fit("hut", hut) >= 0.6


@pytest.mark.parametrize(
    ("voxels", "colour", "known", "name", "fits"),
    [
        (shapes.cube(3), "red", {"name": "castle"}, "castle", {"castle": (1, 1), "cube": (0.1, 0.99)}),
        # An animal is not a box.
        (
            shapes.rectanguloid(2, 2, 3),
            "pink",
            {"name": "pig", "is_creature": True},
            "pig",
            {"pigs": (1, 1), "animal": (0.1, 1), "box": (0, 0)},
        ),
    ],
)
def test_a_thing_has_the_name_that_it_was_made_with(
    voxels: Voxels, colour: str, known: dict[str, Any], name: str, fits: dict[str, tuple[float, float]]
) -> None:
    made = thing(voxels, colour, known)
    assert name_of(made) == name
    assert all(least <= noun_fit(noun, made) <= most for noun, (least, most) in fits.items())


def test_things_holes_and_figures_are_described() -> None:
    world = world_with()
    world.grid[5, SMALL_GROUND - 1, 5] = 0
    (hole,) = things_in(world, Memory())
    assert (the(hole), a(hole)) == ("the hole", "a hole")
    assert noun_fit("pit", hole) > 0.6
    assert [the(figure_of(world, "agent")), the(figure_of(world, "worker"))] == ["me", "you"]
    assert a(thing(shapes.cube(2), "orange")) == "an orange cube"
    assert the(thing(shapes.sphere(2), "light blue")) == "the light blue sphere"
    assert colour_of(thing(shapes.cube(2), "lime")) == "lime"


@pytest.mark.parametrize(
    ("side", "others", "known", "size"),
    [
        (2, [2, 5], {}, "small"),
        (5, [2, 5], {}, "big"),
        (2, [], {}, "small"),
        (5, [], {}, "medium"),
        (8, [], {}, "big"),
        (4, [], {"name": "cube", "size": "huge"}, "huge"),
    ],
)
def test_a_size_is_as_asked_for_or_beside_the_others_or_by_itself(
    side: int, others: list[int], known: dict[str, Any], size: str
) -> None:
    assert size_of(thing(shapes.square(side, "xy"), known=known), [thing(shapes.cube(one)) for one in others]) == size
