"""What a thing is called: for finding it by a noun, and for speaking of it. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from statistics import median

import numpy as np

from annotation.voxels.table import PALETTE
from interaction.builder.meanings import KINDS_MEANT, is_anything, singular
from interaction.builder.shape_fits import Fits, fits_of
from interaction.builder.things import Thing

FITS = 0.6
"""What fits a kind less than this is not called so."""
_SAID_AS = {"rectanguloid": "box", "row": "line"}
"""Kinds that nobody calls by their own name."""
_ANIMALS = ("animal", "creature", "mob")
_SMALL_SIDE, _BIG_SIDE = 3, 7
"""Longest sides of things that are small or big by themselves, in blocks."""
_MUCH_LESS, _MUCH_MORE = 0.7, 1.4
"""Of the usual longest side of the other things."""


def kinds_of(thing: Thing) -> Fits:
    """How well it fits each kind, 0 to 1, best first: what it was made as, then what it looks like."""
    made: Fits = dict.fromkeys(thing.names, 1.0)
    if thing.is_hole:
        return {**made, "hole": 1.0}
    if thing.figure:
        return {"agent": 1.0, "assistant": 1.0} if thing.figure == "agent" else {"speaker": 1.0, "person": 1.0}
    if any(one.is_creature for one in thing.known):
        return {**made, **dict.fromkeys(_ANIMALS, 0.9)}
    looks = {kind: fit for kind, fit in _looks(thing).items() if fit >= FITS}
    # Only what it was made as is certain.
    return {**{kind: 0.9 * fit if made else fit for kind, fit in looks.items()}, **made} if made else looks


def _looks(thing: Thing) -> Fits:
    found = dict(_fits(thing.places.tobytes()))
    if any("Leaves" in PALETTE[block].name for block in thing.materials if block in PALETTE):
        found["tree"] = 0.9
    return found


@lru_cache(maxsize=1024)
def _fits(places: bytes) -> Fits:
    """Kept: a thing is asked for many times, and large ones take their time."""
    return fits_of(np.frombuffer(places, np.int32).reshape(-1, 3))


def noun_fit(noun: str, thing: Thing) -> float:
    """How well a noun, in the singular or the plural, says what a thing is: 0 to 1.

    The noun of a thing's own name or tag says it best, then that of a kind that it looks like. “Thing” says any.
    """
    word = singular(noun.lower())
    if is_anything(word):
        return 1.0
    kinds = kinds_of(thing)
    if word in thing.names or word in map(singular, thing.tags):
        return 1.0
    means = KINDS_MEANT.get(word, {word: 1.0})
    by_kind = max((fit * kinds.get(kind, 0.0) for kind, fit in means.items()), default=0.0)
    # "Cottage" for what was built as a "hut": two words for one kind.
    by_name = max(
        (0.85 for name in thing.names if set(KINDS_MEANT.get(singular(name), ())) & set(means) and name not in means),
        default=0.0,
    )
    return max(by_kind, by_name)


def name_of(thing: Thing) -> str:
    """The noun for it: "cube"; "thing" for what looks like nothing in particular."""
    if thing.figure:
        return thing.figure
    kinds = kinds_of(thing)
    best = thing.names[0] if thing.names else max(kinds, key=lambda kind: kinds[kind], default="thing")
    if best in ("rectangle", "rectanguloid"):
        # Exactly so, but people say what it is like.
        best = next((kind for kind in ("tower", "row") if kinds.get(kind, 0.0) >= FITS), best)
    return _SAID_AS.get(best, best)


def described(thing: Thing) -> str:
    """Its colour and its noun: "red cube"; a hole and a figure have no colour."""
    colour = colour_of(thing)
    return f"{colour} {name_of(thing)}" if colour else name_of(thing)


def the(thing: Thing) -> str:
    """ "the red cube", "you", "me": as the agent says it."""
    return {"agent": "me", "worker": "you"}.get(thing.figure or "", f"the {described(thing)}")


def a(thing: Thing) -> str:
    """ "a red cube", "an orange cube", "you", "me"."""
    return the(thing) if thing.figure else with_article(described(thing))


def with_article(noun: str) -> str:
    """
    >>> with_article("orange cube"), with_article("cube")
    ('an orange cube', 'a cube')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    """
    >>> [plural(one) for one in ("red cube", "box", "sheep", "pony")]
    ['red cubes', 'boxes', 'sheep', 'ponies']
    """
    if noun.endswith(("sheep", "fish", "deer")):
        return noun
    if noun.endswith(("x", "ch", "sh", "s")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def colour_of(thing: Thing) -> str | None:
    """The word for most of its blocks; what it was made in, where that is still there; None for a hole."""
    asked = next((one.colour for one in thing.known if one.colour), None)
    return asked if asked and thing.colours.get(asked, 0.0) >= 0.5 else thing.colour


def size_of(thing: Thing, others: Sequence[Thing] = ()) -> str:
    """ "big", "medium" or "small": as it was asked for, else beside the others, else by itself.

    Args:
        others: What else is there; the thing itself may be among them.
    """
    asked = next((one.size for one in thing.known if one.size), None)
    if asked:
        return asked
    side = max(thing.box)
    beside = [max(one.box) for one in others if one.cells != thing.cells and one.is_hole == thing.is_hole]
    if beside and side != (usual := median(beside)):
        if side >= _MUCH_MORE * usual:
            return "big"
        if side <= _MUCH_LESS * usual:
            return "small"
    return "small" if side <= _SMALL_SIDE else "big" if side >= _BIG_SIDE else "medium"


def blocks_of(thing: Thing) -> list[str]:
    """What it is made of, most first, lower case: ["red wool", "gold"]."""
    return [PALETTE[block].name.lower() for block in thing.materials if block in PALETTE]
