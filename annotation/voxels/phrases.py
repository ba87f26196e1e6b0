"""What the objects of a generated scene are called, and phrases for what is not there.

A phrase is used only if nobody could take it for another object: a square is a rectangle too, and lime may pass for
green, so with both there neither "rectangle" nor "green cube" is said. An object is still always called by its own
kind and its own colour.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from numpy.random import Generator

from annotation.voxels.objects import HOLE, Thing

T = TypeVar("T")
BROADER = {
    "cube": ("rectanguloid",),
    "rectangle": ("rectanguloid",),
    "square": ("rectangle", "rectanguloid"),
}
"""What a kind is besides: read so when it could make a phrase ambiguous, never said so."""
CLOSE = (
    frozenset({"green", "lime"}),
    frozenset({"blue", "light blue", "cyan"}),
    frozenset({"magenta", "pink", "purple"}),
    frozenset({"white", "silver", "light gray", "gray"}),
)
"""Colour words that people use for each other's blocks."""


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
    """By kind, by colour and kind, by colour alone (paper 004, B.2); a hole by kind only."""
    if not thing.colour:
        return (Name(thing.shape),)
    return Name(thing.shape), Name(thing.shape, thing.colour), Name(colour=thing.colour)


def may_mean(name: Name, thing: Thing) -> bool:
    """Whether somebody could take the name for this object."""
    kinds = (thing.shape, *BROADER.get(thing.shape, ()))
    return (not name.shape or name.shape in kinds) and (not name.colour or may_pass(name.colour, thing.colour))


def may_pass(word: str, other: str) -> bool:
    """Whether two colour words could be said of one block."""
    return word == other or any({word, other} <= group for group in CLOSE)


def call(rng: Generator, things: Sequence[Thing], *, but: Collection[str] = ()) -> tuple[str, Thing] | None:
    """An object and a phrase that can mean no other; None where no phrase is left.

    Any object, each as likely, by any of its names; if others could be meant, by its next name, then another object.

    Args:
        but: Phrases that were used already.
    """
    for thing in shuffled(rng, things):
        for name in shuffled(rng, names_of(thing)):
            if str(name) not in but and _means_one(name, things):
                return str(name), thing
    return None


def can_call(things: Sequence[Thing]) -> bool:
    """Whether any of these objects has a name that can mean no other."""
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
    """A phrase that can mean no object of the scene; None where none is left.

    As likely each: a kind, a colour, both, or a near miss, which is an object of the scene but for its kind or colour.
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
    """One object, and either every other colour of its kind or every other kind in its colour."""
    solid = [thing for thing in things if thing.colour]
    if not solid:
        return iter(())
    one = solid[int(rng.integers(len(solid)))]
    return _pairs([one.shape], colours) if rng.integers(2) else _pairs(shapes, [one.colour])


def shuffled(rng: Generator, items: Sequence[T]) -> list[T]:
    """The items in any order, each as likely."""
    left = list(items)
    return [left.pop(int(rng.integers(len(left)))) for _ in range(len(left))]
