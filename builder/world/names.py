"""Names of things, for finding them by a noun and for sentences about them."""

from collections.abc import Sequence
from functools import lru_cache
from statistics import median

import numpy as np

from builder.meaning.lexicon import NOUN_KINDS, is_anything, singular
from builder.world.shape_fits import Fits, fits_of
from builder.world.things import Thing
from lib.voxels.table import PALETTE

FITS = 0.6
"""The least fit at which a thing is called by a kind."""
_SPOKEN_NAMES = {"rectanguloid": "box", "row": "line"}
"""Kinds with a more usual word."""
_ANIMALS = ("animal", "creature", "mob")
_SMALL_SIDE, _BIG_SIDE = 3, 7
"""Things with a longest side up to the first are small, from the second on big, in blocks."""
_MUCH_LESS, _MUCH_MORE = 0.7, 1.4
"""The same relative to the median longest side of the other things."""


def kinds_of(thing: Thing) -> Fits:
    """How well the thing fits each kind, 0 to 1, best first: the kind it was made as, then those that it looks like."""
    made: Fits = dict.fromkeys(thing.names, 1.0)
    if thing.is_hole:
        return {**made, "hole": 1.0}
    if thing.figure:
        return {"agent": 1.0, "assistant": 1.0} if thing.figure == "agent" else {"speaker": 1.0, "person": 1.0}
    if any(one.is_creature for one in thing.known):
        return {**made, **dict.fromkeys(_ANIMALS, 0.9)}
    looks = {kind: fit for kind, fit in _visible_kinds(thing).items() if fit >= FITS}
    # Only the kind that it was made as is certain.
    return {**{kind: 0.9 * fit if made else fit for kind, fit in looks.items()}, **made} if made else looks


def _visible_kinds(thing: Thing) -> Fits:
    found = dict(_fits(thing.places.tobytes()))
    if any("Leaves" in PALETTE[block].name for block in thing.materials if block in PALETTE):
        found["tree"] = 0.9
    return found


@lru_cache(maxsize=1024)
def _fits(places: bytes) -> Fits:
    """Cached, because a thing is looked up many times and a large one takes long."""
    return fits_of(np.frombuffer(places, np.int32).reshape(-1, 3))


def noun_fit(noun: str, thing: Thing) -> float:
    """How well a noun, singular or plural, fits a thing: 0 to 1.

    The thing's own name or tag fits best, then the kinds that it looks like. “Thing” fits every thing.
    """
    word = singular(noun.lower())
    if is_anything(word):
        return 1.0
    kinds = kinds_of(thing)
    if word in thing.names or word in map(singular, thing.tags):
        return 1.0
    means = NOUN_KINDS.get(word, {word: 1.0})
    by_kind = max((fit * kinds.get(kind, 0.0) for kind, fit in means.items()), default=0.0)
    # "Cottage" for a thing built as a "hut": both words name the same kind.
    by_name = max(
        (0.85 for name in thing.names if set(NOUN_KINDS.get(singular(name), ())) & set(means) and name not in means),
        default=0.0,
    )
    return max(by_kind, by_name)


def name_of(thing: Thing) -> str:
    """The noun for a thing: "cube"; "thing" if it resembles no kind."""
    if thing.figure:
        return thing.figure
    kinds = kinds_of(thing)
    best = thing.names[0] if thing.names else max(kinds, key=lambda kind: kinds[kind], default="thing")
    if best in ("rectangle", "rectanguloid"):
        # The shape is exact, but people call it a tower or a line.
        best = next((kind for kind in ("tower", "row") if kinds.get(kind, 0.0) >= FITS), best)
    return _SPOKEN_NAMES.get(best, best)


def colour_and_noun(thing: Thing) -> str:
    """The colour and the noun of a thing: "red cube"; a hole and a figure have no colour."""
    colour = colour_of(thing)
    return f"{colour} {name_of(thing)}" if colour else name_of(thing)


def the(thing: Thing) -> str:
    """ "the red cube", "you" or "me", from the agent's view."""
    return {"agent": "me", "worker": "you"}.get(thing.figure or "", f"the {colour_and_noun(thing)}")


def a(thing: Thing) -> str:
    """ "a red cube", "an orange cube", "you" or "me"."""
    return the(thing) if thing.figure else with_article(colour_and_noun(thing))


def with_article(noun: str) -> str:
    """The noun with "a" or "an".

    >>> with_article("orange cube"), with_article("cube")
    ('an orange cube', 'a cube')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def plural(noun: str) -> str:
    """The plural of a noun.

    >>> [plural(one) for one in ("red cube", "box", "sheep", "pony")]
    ['red cubes', 'boxes', 'sheep', 'ponies']
    """
    if noun.endswith(("sheep", "fish", "deer")):
        return noun
    if noun.endswith(("x", "ch", "sh", "s")):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def colour_of(thing: Thing) -> str | None:
    """The colour word of most of its blocks, or the colour that it was made in if that is there; None for a hole."""
    asked = next((one.colour for one in thing.known if one.colour), None)
    return asked if asked and thing.colours.get(asked, 0.0) >= 0.5 else thing.colour


def size_of(thing: Thing, others: Sequence[Thing] = ()) -> str:
    """ "big", "medium" or "small": as the command asked for, else relative to the others, else by its own sides.

    Args:
        others: The other things; the thing itself may be among them.
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
    """The names of its blocks, most frequent first, in lower case: ["red wool", "gold"]."""
    return [PALETTE[block].name.lower() for block in thing.materials if block in PALETTE]
