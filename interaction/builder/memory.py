"""What the agent remembers: things that were made or named, what was spoken of last, and what it was told to do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.acts import Change, Place
from interaction.builder.world import World

Maker = Literal["agent", "worker"]


@dataclass(eq=False)
class Known:
    """A thing that somebody made or named.

    Attributes:
        voxels: Where it is, or was: `now` says what is left of it.
        name: What it is, one word if it can be: "cube", "pig", "hole"; None where only tags are known.
        colour: What people call its colour, as `annotation.voxels.table` has the words; None of a hole.
        size: "big", "small" or the like, where that was asked for.
        tags: What else it is called or like, lower case: {"home"}.
        by: Who made it; None if it was there before.
        command: The number of the command during which it was made or first named, from 1; 0 before the first.
        is_hole: It is where blocks were taken away.
        is_creature: It was spawned: a pig, a cow.
        plan: The blocks that it has, or will have, when it is finished; empty where nobody planned it.
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

    def now(self, world: World) -> frozenset[Place]:
        """The voxels of it that are still so: blocks, or of a hole those that are still air."""
        return frozenset(place for place in self.voxels if (world.get(place) == AIR) == self.is_hole)


@dataclass(eq=False)
class Heard:
    """A command, and what came of it.

    Attributes:
        number: From 1.
        text: As typed.
        action: The first action's type ("BUILD"), or the kind of dialogue where there is no action.
        undo: The changes that put the blocks back, in the order to make them; of what the agent itself did.
        made: Things that it made.
        is_done: It came to its end; False while it runs, after a stop and after a failure.
    """

    number: int
    text: str
    form: Form
    action: str
    undo: list[Change] = field(default_factory=list)
    made: list[Known] = field(default_factory=list)
    is_done: bool = False


class Memory:
    """What was made, named, spoken of and told.

    Attributes:
        known: Things, oldest first.
        mentioned: The voxels of what was spoken of, built or found last: "it", "that"; empty if there is none left.
        commands: All that was heard, oldest first.
    """

    def __init__(self) -> None:
        self.known: list[Known] = []
        self.mentioned: frozenset[Place] = frozenset()
        self.commands: list[Heard] = []

    @property
    def number(self) -> int:
        """The number of the command that runs or ran last; 0 before the first."""
        return self.commands[-1].number if self.commands else 0

    def heard(self, text: str, form: Form, action: str) -> Heard:
        """Remember a new command."""
        command = Heard(self.number + 1, text, form, action)
        self.commands.append(command)
        return command

    def made(self, thing: Known) -> None:
        """Remember a new thing; it takes over its cells from older ones, and is what was spoken of last.

        What is being built has no voxels at first: it grows.
        """
        self.known.append(thing)
        if self.commands:
            self.commands[-1].made.append(thing)
        self.grow(thing, thing.voxels)

    def grow(self, thing: Known, places: Iterable[Place]) -> None:
        """More of a thing is there now."""
        cells = frozenset(places)
        for old in self.known:
            if old is not thing and not cells.isdisjoint(old.voxels):
                old.voxels -= cells
        thing.voxels |= cells
        self.known = [one for one in self.known if one.voxels or one is thing]
        self.mentioned = thing.voxels

    def worker_placed(self, places: Iterable[Place]) -> None:
        """The worker put blocks there: they belong to what they have begun beside them, or are something new."""
        cells = frozenset(places)
        around = {(x + dx, y + dy, z + dz) for x, y, z in cells for dx, dy, dz in product((-1, 0, 1), repeat=3)}
        begun = next((one for one in reversed(self.known) if _is_begun(one) and one.voxels & around), None)
        if begun is None:
            begun = Known(frozenset(), by="worker", command=self.number)
            self.known.append(begun)
        self.grow(begun, cells)

    def forget(self, things: Iterable[Known]) -> None:
        """These are there no more."""
        gone = set(map(id, things))
        self.known = [one for one in self.known if id(one) not in gone]

    def mention(self, voxels: Iterable[Place]) -> None:
        """What was spoken of last."""
        self.mentioned = frozenset(voxels)

    def tag(self, voxels: Iterable[Place], tags: Iterable[str]) -> Known:
        """Remember what somebody calls these voxels; of a thing that is known, in addition to what is known."""
        cells = frozenset(voxels)
        known = self.at(cells)
        if known is None:
            known = Known(cells, command=self.number)
            self.known.append(known)
        known.tags |= {tag.lower() for tag in tags}
        self.mentioned = cells
        return known

    def at(self, voxels: Iterable[Place]) -> Known | None:
        """The known thing that has most of these voxels, if it has half of them and they half of it; newest first."""
        cells = frozenset(voxels)
        best: Known | None = None
        most = 0
        for one in reversed(self.known):
            both = len(one.voxels & cells)
            if both > most and 2 * both >= len(cells) and 2 * both >= len(one.voxels):
                best, most = one, both
        return best

    def standing(self, world: World) -> list[Known]:
        """Known things of which something is left, oldest first."""
        return [one for one in self.known if one.now(world)]

    def last(self, *actions: str, done: bool | None = None) -> Heard | None:
        """The newest command before the running one with one of these action types; any if none is given."""
        for command in reversed(self.commands[:-1]):
            if (not actions or command.action in actions) and (done is None or command.is_done == done):
                return command
        return None


def _is_begun(thing: Known) -> bool:
    """Whether the worker builds at it: it has no name yet."""
    return thing.by == "worker" and thing.name is None


def bounds(voxels: Iterable[Sequence[int]]) -> tuple[Place, Place]:
    """The least box around these cells, both corners inclusive; at least one cell."""
    xs, ys, zs = zip(*voxels, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))
