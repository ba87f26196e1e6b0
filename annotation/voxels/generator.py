"""Scenes made by rule, with phrases and exact masks: paper 004, appendix B.2.

What a scene holds follows from the seed, its number and the options, whatever else is made with it. The objects and
the phrases are drawn apart, so other `negatives` or `per_scene` ask other things of the same scenes. Pure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from annotation.voxels.generator_options import DIRT, GRASS, MOST_SEED, BadOption, Options
from annotation.voxels.objects import FIGURES, Area, Ground, Thing, dig, forms_within, put, take
from annotation.voxels.phrases import call, can_call, miss
from annotation.voxels.scene import Pose, Scene, scene_of
from annotation.voxels.shapes import Voxels
from annotation.voxels.table import AIR, PALETTE

TRIES = 20
"""Sizes tried for one more object before the scene is left with fewer."""
STEEPEST = 30
"""How far up or down somebody looks, in degrees."""


@dataclass(frozen=True, eq=False)
class Example:
    """A phrase and the voxels of the one object that it means; None for a phrase that means nothing there."""

    phrase: str
    voxels: Voxels | None

    @property
    def answer(self) -> dict[str, Any]:
        """As a worker would give it."""
        return {"absent": True} if self.voxels is None else {"voxels": self.voxels.tolist()}


@dataclass(frozen=True, eq=False)
class Generated:
    """A scene, what stands in it (holes last), and what is asked of it."""

    seed: int
    number: int
    scene: Scene
    things: tuple[Thing, ...]
    examples: tuple[Example, ...]

    @property
    def keys(self) -> list[str]:
        """A name for each example: `generated-SEED-NUMBER`, from the second on with `-2`, `-3` ..."""
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
        BadOption: there is no such seed or number.
    """
    # Larger ones would fill two words of the sequence below, and two scenes could meet.
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
    """Objects, and the columns they stand over."""
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
            # Not, say, two yellow cubes and nothing else: neither could be asked for.
            if not can_call([*things, thing]) or not _claimed(taken, area):
                continue
            take(kept_free, area, gap=options.gap)
            things.append(thing)
            break
    return things, taken


def _holes(rng: Generator, options: Options, taken: Ground) -> list[Thing]:
    """Holes, one column at least between them and from what stands there; marks them as taken."""
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
    """The agent and the player on two columns of open ground, looking anywhere, but not far up or down."""
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
    said: set[str] = set()
    for _ in range(options.per_scene):
        if rng.random() < options.negatives:
            phrase = miss(rng, things, shapes=options.spoken_shapes, colours=options.spoken_colours, but=said)
            found = phrase and Example(phrase, None)
        else:
            called = call(rng, things, but=said)
            found = called and Example(called[0], called[1].voxels)
        if not found:
            return
        said.add(found.phrase)
        yield found


def _between(rng: Generator, bounds: tuple[int, int]) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _claimed(taken: Ground, area: Area) -> bool:
    """Take the area, unless the agent and the player would have nowhere to stand then."""
    with_it = taken.copy()
    take(with_it, area, gap=0)
    if int((~with_it).sum()) < FIGURES:
        return False
    taken[:] = with_it
    return True
