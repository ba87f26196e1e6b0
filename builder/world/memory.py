"""The agent's memory: things that were made or named, the things mentioned last, and the commands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

from builder.acting.acts import Change, Place
from builder.world.world import World
from lib.logical_form import Form
from lib.voxels.table import AIR

Maker = Literal["agent", "worker"]


@dataclass(eq=False)
class KnownThing:
    """A thing that a figure made or the worker named.

    Attributes:
        voxels: Its cells when it was made; `remaining` has the cells that are left.
        name: Its kind, one word if possible: "cube", "pig", "hole"; None if it has only tags.
        colour: The word for its colour, from `lib.voxels.table`; None for a hole.
        size: "big", "small" or the like, if the command asked for it.
        tags: Other names and words for it, in lower case: {"home"}.
        by: The figure that made it; None if it was there before.
        command: The number of the command that made or first named it, from 1; 0 before the first.
        is_hole: Its blocks were removed: it is air.
        is_creature: It is an animal: a pig, a cow.
        plan: The blocks that it has, or will have, when it is finished; empty if it has no plan.
    """

    voxels: frozenset[Place]
    name: str | None = None
    colour: str | None = None
    size: str | None = None
    tags: set[str] = field(default_factory=set)
    by: Maker | None = None
    command: int = 0
    is_hole: bool = False
    is_creature: bool = False
    plan: dict[Place, int] = field(default_factory=dict)

    def remaining(self, world: World) -> frozenset[Place]:
        """The voxels that are unchanged: still blocks, or for a hole still air."""
        return frozenset(place for place in self.voxels if (world.get(place) == AIR) == self.is_hole)


@dataclass(eq=False)
class HeardCommand:
    """A command and its result.

    Attributes:
        number: From 1.
        text: As typed.
        action: The type of its first action ("BUILD"), or the type of dialogue if it has no action.
        undo: The changes that restore the blocks, in the order in which to make them. Only the agent's own changes.
        made: The things that it made.
        is_done: It came to its end; False while it runs, after a stop and after a failure.
    """

    number: int
    text: str
    form: Form
    action: str
    undo: list[Change] = field(default_factory=list)
    made: list[KnownThing] = field(default_factory=list)
    is_done: bool = False


class Memory:
    """The things that were made, named or mentioned, and the commands.

    Attributes:
        known: The things, oldest first.
        mentioned: The voxels of the thing that was mentioned, built or found last: "it", "that"; empty if none is left.
        commands: All commands, oldest first.
    """

    def __init__(self) -> None:
        self.known: list[KnownThing] = []
        self.mentioned: frozenset[Place] = frozenset()
        self.commands: list[HeardCommand] = []

    @property
    def number(self) -> int:
        """The number of the command that runs or ran last; 0 before the first."""
        return self.commands[-1].number if self.commands else 0

    def add_command(self, text: str, form: Form, action: str) -> HeardCommand:
        """Remember a new command."""
        command = HeardCommand(self.number + 1, text, form, action)
        self.commands.append(command)
        return command

    def add_thing(self, thing: KnownThing) -> None:
        """Remember a new thing. Its cells no longer belong to older things, and it counts as mentioned last.

        A thing that is being built has no voxels at first; `grow` adds them.
        """
        self.known.append(thing)
        if self.commands:
            self.commands[-1].made.append(thing)
        self.grow(thing, thing.voxels)

    def grow(self, thing: KnownThing, places: Iterable[Place]) -> None:
        """Add cells to a thing."""
        cells = frozenset(places)
        for old in self.known:
            if old is not thing and not cells.isdisjoint(old.voxels):
                old.voxels -= cells
        thing.voxels |= cells
        self.known = [one for one in self.known if one.voxels or one is thing]
        self.mentioned = thing.voxels

    def add_worker_blocks(self, places: Iterable[Place]) -> None:
        """Remember blocks of the worker: as part of the thing that they are building there, or as a new thing."""
        cells = frozenset(places)
        around = {(x + dx, y + dy, z + dz) for x, y, z in cells for dx, dy, dz in product((-1, 0, 1), repeat=3)}
        begun = next((one for one in reversed(self.known) if _is_begun(one) and one.voxels & around), None)
        if begun is None:
            begun = KnownThing(frozenset(), by="worker", command=self.number)
            self.known.append(begun)
        self.grow(begun, cells)

    def forget(self, things: Iterable[KnownThing]) -> None:
        """Remove these things."""
        gone = set(map(id, things))
        self.known = [one for one in self.known if id(one) not in gone]

    def mention(self, voxels: Iterable[Place]) -> None:
        """Set the voxels that were mentioned last."""
        self.mentioned = frozenset(voxels)

    def tag(self, voxels: Iterable[Place], tags: Iterable[str]) -> KnownThing:
        """Add the worker's words for these voxels to the known thing there, or remember a new one."""
        cells = frozenset(voxels)
        known = self.thing_at(cells)
        if known is None:
            known = KnownThing(cells, command=self.number)
            self.known.append(known)
        known.tags |= {tag.lower() for tag in tags}
        self.mentioned = cells
        return known

    def thing_at(self, voxels: Iterable[Place]) -> KnownThing | None:
        """The known thing that shares most of these voxels, at least half of them and of its own; newest first."""
        cells = frozenset(voxels)
        best: KnownThing | None = None
        most = 0
        for one in reversed(self.known):
            both = len(one.voxels & cells)
            if both > most and 2 * both >= len(cells) and 2 * both >= len(one.voxels):
                best, most = one, both
        return best


def _is_begun(thing: KnownThing) -> bool:
    """True if the worker is still building the thing: it has no name yet."""
    return thing.by == "worker" and thing.name is None


def bounds(voxels: Iterable[Sequence[int]]) -> tuple[Place, Place]:
    """The smallest box around these cells, both corners inclusive. There must be at least one cell."""
    xs, ys, zs = zip(*voxels, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))
