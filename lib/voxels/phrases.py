"""Phrases for the objects of a generated scene, and phrases that mean no object of it.

A phrase is used only if it is unambiguous. A square is a rectangle too, and lime may be called green, so with both in
the scene neither "rectangle" nor "green cube" is used. An object is always named by its own kind and its own colour.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from numpy.random import Generator

from lib.voxels.objects import HOLE, Thing

T = TypeVar("T")
BROADER = {
    "cube": ("rectanguloid",),
    "rectangle": ("rectanguloid",),
    "square": ("rectangle", "rectanguloid"),
}
"""Broader kinds of a kind. They only make a phrase ambiguous; no phrase uses them for the object."""
CLOSE = (
    frozenset({"green", "lime"}),
    frozenset({"blue", "light blue", "cyan"}),
    frozenset({"magenta", "pink", "purple"}),
    frozenset({"white", "silver", "light gray", "gray"}),
)
"""Groups of colour words that people use for the same blocks."""


@dataclass(frozen=True)
class Name:
    """A kind, a colour or both; str() is the phrase.

    >>> [str(Name("cube")), str(Name("cube", "yellow")), str(Name(colour="yellow"))]
    ['cube', 'yellow cube', 'the yellow thing']
    """

    shape: str = ""
    colour: str = ""

    def __str__(self) -> str:
        if not self.shape:
            return f"the {self.colour} thing"
        return f"{self.colour} {self.shape}".strip()


def names_of(thing: Thing) -> tuple[Name, ...]:
    """The names of an object: kind, colour and kind, colour alone (paper 004, B.2); a hole has only its kind."""
    if not thing.colour:
        return (Name(thing.shape),)
    return Name(thing.shape), Name(thing.shape, thing.colour), Name(colour=thing.colour)


def may_mean(name: Name, thing: Thing) -> bool:
    """Whether a person could understand the name as this object."""
    kinds = (thing.shape, *BROADER.get(thing.shape, ()))
    return (not name.shape or name.shape in kinds) and (not name.colour or may_pass(name.colour, thing.colour))


def may_pass(word: str, other: str) -> bool:
    """Whether people could use both colour words for the same block."""
    return word == other or any({word, other} <= group for group in CLOSE)


def call(rng: Generator, things: Sequence[Thing], *, but: Collection[str] = ()) -> tuple[str, Thing] | None:
    """An object and an unambiguous phrase for it; None where no phrase is left.

    Objects and their names are tried in random order until a name is unambiguous.

    Args:
        but: Phrases that were used before.
    """
    for thing in shuffled(rng, things):
        for name in shuffled(rng, names_of(thing)):
            if str(name) not in but and _means_one(name, things):
                return str(name), thing
    return None


def can_call(things: Sequence[Thing]) -> bool:
    """Whether one of these objects has an unambiguous name."""
    return any(_means_one(name, things) for thing in things for name in names_of(thing))


def _means_one(name: Name, things: Sequence[Thing]) -> bool:
    return sum(may_mean(name, one) for one in things) == 1


def miss(
    rng: Generator,
    things: Sequence[Thing],
    *,
    shapes: Sequence[str],
    colours: Sequence[str],
    but: Collection[str] = (),
) -> str | None:
    """A phrase that means no object of the scene; None where no phrase is left.

    Four types are equally likely: a kind, a colour, both, or a near miss, which differs from an object of the scene
    only in its kind or only in its colour.
    """
    ways: list[Iterable[Name]] = [
        [Name(shape) for shape in shapes],
        [Name(colour=colour) for colour in colours],
        list(_pairs(shapes, colours)),
        list(_near(rng, things, shapes, colours)),
    ]
    for way in shuffled(rng, ways):
        fit = [name for name in way if str(name) not in but and not any(may_mean(name, one) for one in things)]
        if fit:
            return str(fit[int(rng.integers(len(fit)))])
    return None


def _pairs(shapes: Sequence[str], colours: Sequence[str]) -> Iterator[Name]:
    return (Name(shape, colour) for shape in shapes if shape != HOLE for colour in colours)


def _near(rng: Generator, things: Sequence[Thing], shapes: Sequence[str], colours: Sequence[str]) -> Iterator[Name]:
    """Names near one random object: either every colour with its kind, or every kind with its colour."""
    solid = [thing for thing in things if thing.colour]
    if not solid:
        return iter(())
    one = solid[int(rng.integers(len(solid)))]
    return _pairs([one.shape], colours) if rng.integers(2) else _pairs(shapes, [one.colour])


def shuffled(rng: Generator, items: Sequence[T]) -> list[T]:
    """The items in random order."""
    left = list(items)
    return [left.pop(int(rng.integers(len(left)))) for _ in range(len(left))]
