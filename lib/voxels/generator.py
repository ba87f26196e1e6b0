"""Generate scenes with phrases and exact masks: paper 004, appendix B.2.

A scene depends only on the seed, its number and the options, not on other scenes of the same call. Objects and phrases
have separate random streams, so other values of `negatives` or `per_scene` give other phrases for the same scenes.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from lib.voxels.generator_options import DIRT, GRASS, MOST_SEED, BadOption, Options
from lib.voxels.objects import FIGURES, Area, Ground, Thing, dig, forms_within, put, take
from lib.voxels.phrases import call, can_call, miss
from lib.voxels.scene import Pose, Scene, scene_of
from lib.voxels.shapes import Voxels
from lib.voxels.table import AIR, PALETTE

TRIES = 20
"""The number of tries to place one more object; after them the scene has fewer objects."""
STEEPEST = 30
"""The greatest pitch of a look, up or down, in degrees."""


@dataclass(frozen=True, eq=False)
class Example:
    """A phrase and the voxels of the only object that it means; None for a phrase that means no object of the scene."""

    phrase: str
    voxels: Voxels | None

    @property
    def answer(self) -> dict[str, Any]:
        """The answer in the form of a worker's answer."""
        return {"absent": True} if self.voxels is None else {"voxels": self.voxels.tolist()}


@dataclass(frozen=True, eq=False)
class Generated:
    """A scene, its objects (holes last), and its examples."""

    seed: int
    number: int
    scene: Scene
    things: tuple[Thing, ...]
    examples: tuple[Example, ...]

    @property
    def keys(self) -> list[str]:
        """The name of each example: `generated-SEED-NUMBER`, from the second on with `-2`, `-3` ..."""
        first = f"generated-{self.seed}-{self.number}"
        return [first, *(f"{first}-{n}" for n in range(2, len(self.examples) + 1))]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each example as a line of a dataset: key, scene, phrase, answer, objects."""
        scene, objects = self.scene.as_json(), [thing.as_json() for thing in self.things]
        for key, example in zip(self.keys, self.examples, strict=True):
            yield {
                "key": key,
                "scene": scene,
                "phrase": example.phrase,
                "answer": example.answer,
                "objects": objects,
            }


def generate(seed: int, n: int, options: Options | None = None, *, first: int = 0) -> Iterator[Generated]:
    """The scenes `first` to first + n - 1 of a seed; seeds and numbers are from 0 to MOST_SEED.

    Raises:
        BadOption: the seed or a number is out of range.
    """
    # Larger ones would fill two words of the seed sequence below, and two scenes could be equal.
    if not 0 <= seed <= MOST_SEED:
        raise BadOption("seed", f"A seed is from 0 to {MOST_SEED}.")
    if not 0 <= first <= first + n <= MOST_SEED + 1:
        raise BadOption("first", f"Scenes are numbered from 0 to {MOST_SEED}.")
    known = options or Options()
    return (generated(seed, number, known) for number in range(first, first + n))


def generated(seed: int, number: int, options: Options) -> Generated:
    """One scene of a seed."""
    world, words = (default_rng(one) for one in SeedSequence([seed, number]).spawn(2))
    things, taken = _objects(world, options)
    things += _holes(world, options, taken)
    agent, player = _poses(world, taken, options.ground_depth)
    scene = _scene(options, things, agent, player)
    return Generated(seed, number, scene, tuple(things), tuple(_examples(words, options, things)))


def _objects(rng: Generator, options: Options) -> tuple[list[Thing], Ground]:
    """The objects, and the columns of ground below them."""
    taken: Ground = np.zeros((options.size[0], options.size[2]), np.bool_)
    kept_free = taken.copy()
    things: list[Thing] = []
    fitting = [forms for kind in options.kinds if (forms := forms_within(kind, **options.room))]
    for _ in range(_between(rng, options.shapes)):
        for _ in range(TRIES):
            forms = fitting[int(rng.integers(len(fitting)))]
            form = forms[int(rng.integers(len(forms)))]
            placed = put(rng, form, taken=kept_free, floor=options.ground_depth)
            material = options.materials[int(rng.integers(len(options.materials)))]
            if placed is None:
                continue
            voxels, area = placed
            thing = Thing(form.kind, material, PALETTE[material].word, voxels)
            # A scene with, for example, only two yellow cubes would have no unambiguous phrase.
            if not can_call([*things, thing]) or not _claimed(taken, area):
                continue
            take(kept_free, area, gap=options.gap)
            things.append(thing)
            break
    return things, taken


def _holes(rng: Generator, options: Options, taken: Ground) -> list[Thing]:
    """Holes with at least one column between them and from the objects; their columns are marked as taken."""
    holes: list[Thing] = []
    kept_free = taken.copy()
    for x, z in np.argwhere(taken):
        take(kept_free, (x, z, x, z), gap=1)
    for _ in range(_between(rng, options.holes)):
        dug = dig(rng, taken=kept_free, floor=options.ground_depth)
        if dug is None:
            continue
        hole, area = dug
        if _claimed(taken, area):
            take(kept_free, area, gap=1)
            holes.append(hole)
    return holes


def _poses(rng: Generator, taken: Ground, floor: int) -> tuple[Pose, Pose]:
    """The poses of the agent and the player: two columns of open ground, any yaw, a pitch within `STEEPEST`."""
    free = np.argwhere(~taken)
    first = int(rng.integers(len(free)))
    second = (first + 1 + int(rng.integers(len(free) - 1))) % len(free)
    return _pose(rng, free[first], floor), _pose(rng, free[second], floor)


def _pose(rng: Generator, column: NDArray[np.int64], floor: int) -> Pose:
    x, z = column.tolist()
    pitch, yaw = int(rng.integers(-STEEPEST, STEEPEST + 1)), int(rng.integers(-180, 180))
    return Pose(float(x), float(floor), float(z), float(pitch), float(yaw))


def _scene(options: Options, things: list[Thing], agent: Pose, player: Pose) -> Scene:
    grid = np.full(options.size, AIR, np.uint8)
    grid[:, : options.ground_depth] = DIRT
    grid[:, options.ground_depth - 1] = GRASS
    for thing in things:
        grid[tuple(thing.voxels.T)] = thing.material
    places = np.argwhere(grid != AIR).astype(np.int32)
    blocks = np.column_stack([places, grid[tuple(places.T)].astype(np.int32)])
    return scene_of(options.size, blocks, agent, player)


def _examples(rng: Generator, options: Options, things: list[Thing]) -> Iterator[Example]:
    used: set[str] = set()
    for _ in range(options.per_scene):
        if rng.random() < options.negatives:
            phrase = miss(rng, things, shapes=options.spoken_shapes, colours=options.spoken_colours, but=used)
            found = phrase and Example(phrase, None)
        else:
            called = call(rng, things, but=used)
            found = called and Example(called[0], called[1].voxels)
        if not found:
            return
        used.add(found.phrase)
        yield found


def _between(rng: Generator, bounds: tuple[int, int]) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _claimed(taken: Ground, area: Area) -> bool:
    """Mark the area as taken, unless the agent and the player would have no column left; whether it was marked."""
    with_it = taken.copy()
    take(with_it, area, gap=0)
    if int((~with_it).sum()) < FIGURES:
        return False
    taken[:] = with_it
    return True


def as_lines(scenes: Iterable[Generated]) -> Iterator[bytes]:
    """One line of JSON for each example: key, scene, phrase, answer, objects."""
    for one in scenes:
        for row in one.rows():
            yield json.dumps(row, separators=(",", ":")).encode() + b"\n"


def as_arrays(scenes: Iterable[Generated]) -> dict[str, NDArray[Any]]:
    """S scenes with E examples as arrays for `numpy.savez`.

    Returns:
        number (S,): the numbers of the scenes; blocks (S, x, y, z), uint8 ids, 0 is air; agent and player (S, 5): x,
        y, z, pitch, yaw; key and phrase (E,): text; scene (E,): the index of its scene in `blocks`; mask (E, x, y, z):
        True where the object is, all False for a phrase that means no object of the scene.
    """
    found = list(scenes)
    examples = [(place, example) for place, one in enumerate(found) for example in one.examples]
    blocks = np.array([one.scene.dense() for one in found])
    masks = np.zeros((len(examples), *blocks.shape[1:]), np.bool_)
    for mask, (_, example) in zip(masks, examples, strict=True):
        if example.voxels is not None:
            mask[tuple(example.voxels.T)] = True
    return {
        "number": np.array([one.number for one in found], np.int64),
        "blocks": blocks,
        "agent": np.array([one.scene.agent for one in found], np.float64),
        "player": np.array([one.scene.player for one in found], np.float64),
        "key": np.array([key for one in found for key in one.keys]),
        "phrase": np.array([example.phrase for _, example in examples]),
        "scene": np.array([place for place, _ in examples], np.int64),
        "mask": masks,
    }
