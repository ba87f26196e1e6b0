"""Small worlds for tests of the built-in agent, built by hand or generated, and forms of commands about them."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from builder.acting.acts import Act, Ask, Found, Place, Say
from builder.mind import Mind
from builder.world.memory import KnownThing
from builder.world.world import World
from lib.logical_form import Form
from lib.voxels import shapes
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options
from lib.voxels.objects import HOLE, Thing
from lib.voxels.scene import Pose
from lib.voxels.shapes import Voxels
from lib.voxels.table import PALETTE

SMALL_GROUND = 4
"""The y on which one stands."""
WOOL = {one.word: one.id for one in PALETTE.values() if one.name.endswith("Wool")}
WORKER = Pose(10.0, SMALL_GROUND, 2.0, -10.0, 0.0)
"""Looks along +z: left is +x."""
AGENT = Pose(4.0, SMALL_GROUND, 4.0, 0.0, 90.0)
"""Looks along +x: its own left is -z."""


def world_with(
    *things: tuple[str, Voxels, tuple[int, int, int]], worker: Pose = WORKER, agent: Pose = AGENT, size: int = 24
) -> World:
    """A flat world with these things: colour of the wool, shape, the least corner."""
    grid = np.zeros((size, 16, size), np.uint8)
    grid[:, : SMALL_GROUND - 1], grid[:, SMALL_GROUND - 1] = 9, 8
    for colour, voxels, corner in things:
        grid[tuple((voxels + np.array(corner)).T)] = WOOL[colour]
    return World(grid, agent, worker)


def world_of(made: Generated) -> World:
    """The world of a generated scene; quicker than over JSON."""
    agent, player = made.scene.agent, made.scene.player
    assert agent is not None
    assert player is not None
    return World(made.scene.dense(), agent, player)


def looking_at(x: float, z: float, *, down: float = -10.0) -> Pose:
    """The worker at their place, turned to a column."""
    yaw = float(np.degrees(np.arctan2(x - WORKER.x, z - WORKER.z)))
    return WORKER._replace(yaw=yaw, pitch=down)


def cells(voxels: Voxels, corner: tuple[int, int, int]) -> frozenset[tuple[int, int, int]]:
    """The cells of a shape with its least corner at this place."""
    return frozenset((x, y, z) for x, y, z in (voxels + np.array(corner)).tolist())


class Said:
    """A command in words, and spans of it.

    >>> Said("the red cube").named("cube")
    {'pred_text': 'has_name', 'obj_text': [0, [2, 2]]}
    """

    def __init__(self, text: str) -> None:
        self.tokens = text.split()

    def span(self, words: str) -> list[Any]:
        """The span of the first place of these words."""
        wanted = words.split()
        starts = range(len(self.tokens) - len(wanted) + 1)
        start = next(one for one in starts if self.tokens[one : one + len(wanted)] == wanted)
        return [0, [start, start + len(wanted) - 1]]

    def clause(self, predicate: str, words: str) -> Form:
        return {"pred_text": predicate, "obj_text": self.span(words)}

    def named(self, words: str) -> Form:
        return self.clause("has_name", words)

    def coloured(self, words: str) -> Form:
        return self.clause("has_colour", words)

    def filters(self, *clauses: Form, **more: Any) -> Form:
        """Filters with all these clauses."""
        return {**({"where_clause": {"AND": list(clauses)}} if clauses else {}), **more}

    def thing(self, *clauses: Form, **more: Any) -> Form:
        """A reference object with all these clauses."""
        return {"filters": self.filters(*clauses, **more)}


RED_CUBE = ("red", shapes.cube(3), (4, SMALL_GROUND, 10))
BLUE_CUBE = ("blue", shapes.cube(2), (12, SMALL_GROUND, 10))
BALL = ("red", shapes.sphere(2), (16, SMALL_GROUND, 16))
TOWER = ("yellow", shapes.rectanguloid(2, 8, 2), (4, SMALL_GROUND, 18))
UP = WORKER._replace(pitch=80.0)
"""Looks at nothing."""


def four_things(**more: Any) -> World:
    """A world with four things; the worker looks at none unless `worker` says so."""
    return world_with(RED_CUBE, BLUE_CUBE, BALL, TOWER, **{"worker": UP, **more})


GROUND = 3
"""The y of a figure that stands on open ground."""
RED, STONE, DIRT, GRASS, WATER = 60, 1, 9, 8, 27


def scene(
    *blocks: tuple[int, int, int, int],
    size: Place = (20, 14, 20),
    agent: tuple[int, int] = (3, 3),
    player: tuple[int, int] = (10, 4),
) -> dict[str, Any]:
    """Open ground three deep with these blocks on it; the worker looks along +z."""
    ground = [
        [x, y, z, GRASS if y == GROUND - 1 else DIRT]
        for x in range(size[0])
        for y in range(GROUND)
        for z in range(size[2])
    ]
    listed = {(x, y, z) for x, y, z, _ in blocks}
    ground = [one for one in ground if (one[0], one[1], one[2]) not in listed]
    return {
        "size": list(size),
        "blocks": ground + [list(block) for block in blocks if block[3]],
        "agent": _pose(*agent),
        "player": _pose(*player),
    }


def _pose(x: int, z: int) -> dict[str, float]:
    return {"x": x, "y": GROUND, "z": z, "pitch": 0, "yaw": 0}


def cube(x: int, z: int, side: int = 2, block: int = RED) -> list[tuple[int, int, int, int]]:
    """A cube on the ground, its least corner there."""
    return [(x + a, GROUND + b, z + c, block) for a in range(side) for b in range(side) for c in range(side)]


def built(world: World) -> set[Place]:
    """The cells with a block above the ground."""
    found = (world.grid[:, GROUND:] != 0).nonzero()
    return {(int(x), int(y) + GROUND, int(z)) for x, y, z in zip(*found, strict=True)}


def things_left(mind: Mind) -> list[KnownThing]:
    """The things in the agent's memory of which something is still there."""
    return [thing for thing in mind.memory.known if thing.remaining(mind.world)]


def obey(mind: Mind, form: Form, words: str = "", answers: Iterable[int] = ()) -> list[Act]:
    """All acts of a command, its questions answered in turn."""
    return list(acting(mind, form, words, answers))


def tell(mind: Mind, text: str, answers: Iterable[int] = ()) -> list[Act]:
    """All acts of a command as the parser reads it."""
    return obey(mind, mind.understand(text), text, answers)


def acting(mind: Mind, form: Form, words: str = "", answers: Iterable[int] = ()) -> Iterator[Act]:
    """The acts of a command one by one."""
    left = iter(answers)
    acts = mind.obey(form, words.split())
    sent: int | None = None
    try:
        while True:
            act = acts.send(sent)
            sent = next(left) if isinstance(act, Ask) else None
            yield act
    except StopIteration:
        return
    finally:
        acts.close()


def said(acts: Iterable[Act]) -> list[str]:
    return [act.text for act in acts if isinstance(act, Say)]


def found(acts: Iterable[Act]) -> list[Found]:
    return [act for act in acts if isinstance(act, Found)]


# Forms ---------------------------------------------------------------------------------------------------------


def command(*actions: Form, **rest: Any) -> Form:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": list(actions), **rest}


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
