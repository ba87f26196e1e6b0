"""The things of a world: objects on the ground, holes in it, and the memory of each.

A thing that the agent or the worker made stays one thing under its name as long as most of it is there. Other blocks
that share a face, an edge or a corner are one thing, because circles and arches are connected only by edges. Air cells
of the ground that share a face are one hole.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from builder.acting.acts import Place
from builder.world.memory import KnownThing, Memory
from builder.world.shape_fits import is_exact
from builder.world.world import TALL, Grid, World, cell_of
from lib.voxels.components import component_labels, touching_pairs
from lib.voxels.scene import Pose
from lib.voxels.table import AIR, PALETTE

Cells = NDArray[np.int32]
"""Cells of a world, shape (n, 3), in order of x, y, z."""
_USUAL = 0.05
"""A material belongs to the ground if it has this share of the blocks below the top. Water in the ground is a thing."""
_LEAST_PIECE = 3
"""Fewer blocks of one material are not a thing of their own."""
_KEPT = 8
"""The number of worlds in the cache of things."""


@dataclass(frozen=True, eq=False)
class Thing:
    """An object, a hole, or one of the two figures.

    Attributes:
        places: Its cells, shape (n, 3), n >= 1, in order of x, y, z.
        blocks: Block ids of the cells, shape (n,), uint8; all air in a hole and for a figure.
        known: The memory of it, newest first. An entry may be about a part of the thing.
        is_hole: It is air, below the top of the ground or dug elsewhere.
        figure: Which of the two figures it is, if any.
    """

    places: Cells
    blocks: Grid
    known: tuple[KnownThing, ...] = ()
    is_hole: bool = False
    figure: Literal["agent", "worker"] | None = None

    @cached_property
    def cells(self) -> frozenset[Place]:
        """Its cells as a set."""
        return frozenset((x, y, z) for x, y, z in self.places.tolist())

    @cached_property
    def low(self) -> Place:
        """The corner of its box with the least x, y and z."""
        x, y, z = self.places.min(axis=0).tolist()
        return x, y, z

    @cached_property
    def high(self) -> Place:
        """The other corner of its box, inclusive."""
        x, y, z = self.places.max(axis=0).tolist()
        return x, y, z

    @property
    def box(self) -> tuple[int, int, int]:
        """Its sides in blocks, along x, y, z."""
        (x, y, z), (to_x, to_y, to_z) = self.low, self.high
        return to_x - x + 1, to_y - y + 1, to_z - z + 1

    @property
    def middle(self) -> tuple[float, float, float]:
        """The middle of its box, in cells: for a single block, the block's own coordinates."""
        (x, y, z), (to_x, to_y, to_z) = self.low, self.high
        return (x + to_x) / 2, (y + to_y) / 2, (z + to_z) / 2

    @property
    def at_foot(self) -> Place:
        """The cell in the middle of the lowest layer of its box. It may be outside the thing."""
        x, _, z = self.middle
        return int(x), self.low[1], int(z)

    @property
    def count(self) -> int:
        """The number of its cells."""
        return len(self.places)

    @cached_property
    def materials(self) -> dict[int, int]:
        """The number of its blocks of each id, most frequent first; empty for a hole."""
        ids, counts = np.unique(self.blocks[self.blocks != AIR], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return {int(ids[one]): int(counts[one]) for one in order}

    @cached_property
    def colours(self) -> dict[str, float]:
        """The share of its blocks of each colour word, largest first; empty for a hole."""
        found: dict[str, float] = {}
        for block, count in self.materials.items():
            word = PALETTE[block].word if block in PALETTE else ""
            found[word] = found.get(word, 0.0) + count / sum(self.materials.values())
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @property
    def colour(self) -> str | None:
        """The colour word of most of its blocks; None for a hole."""
        return next(iter(self.colours), None)

    @property
    def tags(self) -> frozenset[str]:
        """The worker's words for it."""
        return frozenset(tag for one in self.known for tag in one.tags)

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds that it was made as, in lower case: "house"."""
        return tuple(one.name.lower() for one in self.known if one.name)

    @property
    def made_by(self) -> str | None:
        """ "agent" or "worker" if the memory knows who made it."""
        return next((one.by for one in self.known if one.by), None)

    @property
    def made_in(self) -> int:
        """The number of the command that made it; 0 if it was there before."""
        return max((one.command for one in self.known if one.by), default=0)


def thing_of(cells: Iterable[Place], world: World) -> Thing:
    """The thing with these cells; at least one."""
    places = np.array(sorted(cells), dtype=np.int32)
    return _thing(places, world)


def figure_of(world: World, who: Literal["agent", "worker"]) -> Thing:
    """The agent or the worker as a thing: their cells."""
    pose: Pose = world.agent if who == "agent" else world.player
    x, y, z = cell_of(pose)
    places = np.array([(x, y + up, z) for up in range(TALL)], dtype=np.int32)
    return Thing(places, np.zeros(TALL, np.uint8), figure=who)


_cache_lock = Lock()
_CACHE: OrderedDict[tuple[int, int, int], list[tuple[Cells, KnownThing | None, bool]]] = OrderedDict()


def things_in(world: World, memory: Memory) -> tuple[Thing, ...]:
    """Every thing and hole, remembered ones first, then in order of x, y, z; without the figures.

    Costs: tens of milliseconds for a new world of 64 x 64 x 64, about one for a world that is in the cache.
    """
    known = tuple((id(one), one.name, one.voxels) for one in memory.known)
    key = (hash(world.grid.tobytes()), world.ground_level, hash(known))
    # Sessions run in threads: another one may remove the entry from the cache before it is read.
    parts = _CACHE.get(key)
    if parts is None:
        parts = list(_thing_cells(world, memory))
        with _cache_lock:
            _CACHE[key] = parts
            while len(_CACHE) > _KEPT:
                _CACHE.popitem(last=False)
    return tuple(_thing(places, world, (own,) if own else (), is_hole, memory) for places, own, is_hole in parts)


def _thing(
    places: Cells, world: World, own: tuple[KnownThing, ...] = (), is_hole: bool = False, memory: Memory | None = None
) -> Thing:
    """The thing with all memories of most of its cells. A thing that was only named is found again by its place."""
    inside = ((places >= 0) & (places < world.grid.shape)).all(axis=1)
    blocks = np.zeros(len(places), np.uint8)
    blocks[inside] = world.grid[tuple(places[inside].T)]
    thing = Thing(places, blocks, own, is_hole)
    if memory is None:
        return thing
    others = (one for one in reversed(memory.known) if one not in own and _stands(one, world))
    about = [one for one in others if 2 * len(one.voxels & thing.cells) >= thing.count]
    return Thing(places, blocks, (*own, *about), is_hole)


def _thing_cells(world: World, memory: Memory) -> Iterator[tuple[Cells, KnownThing | None, bool]]:
    """The cells of each thing, its memory, and whether it is a hole."""
    solid, open_ground = _above_ground(world), world.grid == AIR
    open_ground[:, world.ground_level :] = False
    for one in memory.known:
        left = one.remaining(world)
        if one.name and _stands(one, world):
            places = np.array(sorted(left), dtype=np.int32)
            (open_ground if one.is_hole else solid)[tuple(places.T)] = False
            yield places, one, one.is_hole
    places = np.argwhere(solid).astype(np.int32)
    for part in _split_by_material(places, world.grid[tuple(places.T)]):
        yield part, None, False
    places = np.argwhere(open_ground).astype(np.int32)
    labels = component_labels(places, touching_pairs(places, by_faces=True))
    for part in _groups(places, labels):
        yield part, None, True


def _stands(known: KnownThing, world: World) -> bool:
    """True if most of its voxels are there."""
    return 2 * len(known.remaining(world)) > len(known.voxels)


def _above_ground(world: World) -> NDArray[np.bool_]:
    """The blocks that do not belong to the ground: all above its top, and those below of another material."""
    solid: NDArray[np.bool_] = world.grid != AIR
    below = world.grid[:, : world.ground_level]
    counts = np.bincount(below.ravel(), minlength=256)
    counts[AIR] = 0
    usual = counts >= _USUAL * max(int(counts.sum()), 1)
    solid[:, : world.ground_level] &= ~usual[below]
    return solid


def _split_by_material(places: Cells, blocks: Grid) -> Iterator[Cells]:
    """Connected blocks as things. Whole shapes of different materials that stand side by side are separate things."""
    edges = touching_pairs(places)
    whole = component_labels(places, edges)
    same = edges[:, blocks[edges[0]] == blocks[edges[1]]]
    by_material = component_labels(places, same)
    for numbers in _numbers(whole):
        part = places[numbers]
        if (blocks[numbers] == blocks[numbers[0]]).all():
            yield part
            continue
        pieces = [part[one] for one in _numbers(by_material[numbers])]
        foot = part[:, 1].min()
        side_by_side = all(len(one) >= _LEAST_PIECE and one[:, 1].min() == foot and is_exact(one) for one in pieces)
        yield from pieces if side_by_side else (part,)


def _groups(places: Cells, labels: NDArray[np.int64]) -> Iterator[Cells]:
    return (places[numbers] for numbers in _numbers(labels))


def _numbers(labels: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The numbers of the cells with each label, in order of the labels."""
    if not labels.size:
        return []
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
