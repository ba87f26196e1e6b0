"""Generated scenes of several kinds, made once for all tests, and an independent reader of their phrases."""

from functools import cache

from annotation.voxels.generator import Generated, generate
from annotation.voxels.generator_options import Options
from annotation.voxels.objects import HOLE, Thing
from annotation.voxels.table import PALETTE

CROWDED = Options(shapes=(1, 8), holes=(0, 4), per_scene=6, negatives=0.4, gap=0)
WAYS = {
    "as it comes": Options(),
    "crowded": CROWDED,
    "small": Options(size=(6, 6, 5), ground_depth=2, shapes=(3, 3), holes=(1, 2), per_scene=3),
    "few kinds and colours": Options(kinds=("cube", "square"), materials=(50, 66, 51), shapes=(3, 5), per_scene=4),
    "wide": Options(size=(60, 9, 48), ground_depth=3, shapes=(8, 8), holes=(8, 8)),
}


@cache
def made(way: str) -> tuple[Generated, ...]:
    return tuple(generate(11, 15 if way == "wide" else 100, WAYS[way]))


def read(phrase: str) -> tuple[str, str]:
    """Kind and colour of a phrase, "" where it says none."""
    if phrase.startswith("the ") and phrase.endswith(" thing"):
        return "", phrase.removeprefix("the ").removesuffix(" thing")
    colour, _, shape = phrase.rpartition(" ")
    return shape, colour


def is_a(thing: Thing, shape: str) -> bool:
    """By what is there: a full box is a rectanguloid, one that is flat a rectangle, and so on; else as it was made."""
    sides = sorted((thing.voxels.max(axis=0) - thing.voxels.min(axis=0) + 1).tolist())
    full = thing.shape != HOLE and len(thing.voxels) == sides[0] * sides[1] * sides[2]
    match shape:
        case "rectanguloid":
            return full
        case "cube":
            return full and sides[0] == sides[2]
        case "rectangle":
            return full and sides[0] == 1
        case "square":
            return full and sides[0] == 1 and sides[1] == sides[2]
    return thing.shape == shape


def meant(one: Generated, phrase: str) -> list[Thing]:
    """The objects that a phrase is true of, their colour read off the blocks in the scene."""
    shape, colour = read(phrase)
    grid = one.scene.dense()
    found = []
    for thing in one.things:
        ids = {int(grid[x, y, z]) for x, y, z in thing.voxels.tolist()}
        words = {PALETTE[block].word if block else "" for block in ids}
        if (not shape or is_a(thing, shape)) and (not colour or words == {colour}):
            found.append(thing)
    return found
