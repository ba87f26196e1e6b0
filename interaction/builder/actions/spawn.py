"""Spawning: a small figure of blocks for each animal, or a thing that the agent can build."""

from collections.abc import Iterable, Mapping

from annotation.logical_form import Form
from annotation.logical_form.phrases import both
from interaction.builder.acts import Acting, CannotDo, Place, Why
from interaction.builder.building import Order, put_up
from interaction.builder.counting import numbers_in
from interaction.builder.naming import plural
from interaction.builder.repeats import times
from interaction.builder.shapes_to_build import a, kind_named
from interaction.builder.situation import Situation
from interaction.builder.wanted import wanted

_WHITE, _YELLOW, _PINK, _GRAY, _BROWN, _BLACK, _RED = 46, 50, 52, 54, 58, 61, 60


def _animal(coat: int, legs: int, face: int, *, length: int = 3) -> Mapping[Place, int]:
    """Four legs, a body two wide and a head in front."""
    feet = {(x, 0, z): legs for x in (0, 1) for z in (0, length - 1)}
    body = {(x, 1, z): coat for x in (0, 1) for z in range(length)}
    head = {(x, 2, 0): coat for x in (0, 1)} | {(x, 1, -1): face for x in (0, 1)}
    return feet | body | head


CREATURES: Mapping[str, Mapping[Place, int]] = {
    "pig": _animal(_PINK, _PINK, _PINK),
    "cow": _animal(_BROWN, _BROWN, _WHITE, length=4),
    "sheep": _animal(_WHITE, _GRAY, _WHITE),
    "chicken": {(0, 0, 0): _YELLOW, (0, 1, 0): _WHITE, (0, 1, 1): _WHITE, (0, 2, 0): _WHITE, (0, 2, -1): _RED},
    "rabbit": {(0, 0, 0): _GRAY, (0, 0, 1): _GRAY, (0, 1, 0): _GRAY, (0, 2, 0): _BROWN},
}
"""The blocks of each animal, the head at the least z."""
_HERE = ("Here it is.", "Here are all {}.")
_SAME = {
    "hen": "chicken",
    "bird": "chicken",
    "bunny": "rabbit",
    "hare": "rabbit",
    "lamb": "sheep",
    "bull": "cow",
    "piglet": "pig",
    "hog": "pig",
}


def spawn(here: Situation, action: Form) -> Acting:
    """Make one or more animals appear."""
    described = wanted(action.get("reference_object"), here.tokens)
    described.must_be_some()
    count = described.count or times(action.get("terminate_condition"), here.tokens) or _counted(described.tags) or 1
    creature = creature_named(described.name)
    if creature is None:
        name = described.name
        if kind_named(name):
            sentence = f"I can only spawn animals; tell me to build {a(kind_named(name) or name)}."
            raise CannotDo(sentence, Why.UNKNOWN_KIND)
        if not name:
            raise CannotDo("I did not understand what to spawn.", Why.NOT_UNDERSTOOD)
        one = name if name.endswith("ss") else name.removesuffix("s")
        known = both([plural(one) for one in CREATURES])
        raise CannotDo(f"I do not know what {a(one)} looks like. I can spawn {known}.", Why.UNKNOWN_KIND)
    yield from put_up(here, order_of(creature, count), action.get("location"))


def order_of(creature: str, count: int) -> Order:
    """So many animals of a kind in CREATURES."""
    return Order(CREATURES[creature], creature, count=count, is_creature=True, done=_HERE)


def creature_named(words: str) -> str | None:
    """The animal that somebody means; None if the agent knows no such animal.

    >>> creature_named("pigs"), creature_named("brown bunny"), creature_named("zombie")
    ('pig', 'rabbit', None)
    """
    for word in reversed(words.lower().split()):
        for one in (word, word.removesuffix("s"), word.removesuffix("ies") + "y"):
            name = _SAME.get(one, one)
            if name in CREATURES:
                return name
    return None


def _counted(tags: Iterable[str]) -> int | None:
    return next((numbers[0] for tag in tags if (numbers := numbers_in(tag))), None)
