"""SPAWN: a small figure of blocks for each animal."""

from collections.abc import Iterable, Mapping

from builder.acting.acts import Acts, CannotDo, Place, Reason
from builder.acting.construction import Order, construct
from builder.acting.context import ActionContext
from builder.acting.shapes import kind_named
from builder.meaning.new_things import new_thing
from builder.meaning.numbers import numbers_in
from builder.meaning.repeats import repeat_count
from builder.world.names import plural, with_article
from lib.logical_form import Form
from lib.logical_form.english.phrases import both

_WHITE, _YELLOW, _PINK, _GRAY, _BROWN, _BLACK, _RED = 46, 50, 52, 54, 58, 61, 60


def _animal(coat: int, legs: int, face: int, *, length: int = 3) -> Mapping[Place, int]:
    """Four legs, a body two blocks wide, and a head in front."""
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
"""The blocks of each animal; the head has the least z."""
_HERE = ("Here it is.", "Here are all {}.")
_SYNONYMS = {
    "hen": "chicken",
    "bird": "chicken",
    "bunny": "rabbit",
    "hare": "rabbit",
    "lamb": "sheep",
    "bull": "cow",
    "piglet": "pig",
    "hog": "pig",
}


def spawn(context: ActionContext, action: Form) -> Acts:
    """Make one or more animals appear."""
    described = new_thing(action.get("reference_object"), context.tokens)
    described.check_not_empty()
    count = (
        described.count
        or repeat_count(action.get("terminate_condition"), context.tokens)
        or _number_in_tags(described.tags)
        or 1
    )
    creature = creature_named(described.name)
    if creature is None:
        name = described.name
        if kind_named(name):
            sentence = f"I can only spawn animals; tell me to build {with_article(kind_named(name) or name)}."
            raise CannotDo(sentence, Reason.UNKNOWN_KIND)
        if not name:
            raise CannotDo("I did not understand what to spawn.", Reason.NOT_UNDERSTOOD)
        one = name if name.endswith("ss") else name.removesuffix("s")
        known = both([plural(one) for one in CREATURES])
        raise CannotDo(f"I do not know what {with_article(one)} looks like. I can spawn {known}.", Reason.UNKNOWN_KIND)
    yield from construct(context, creature_order(creature, count), action.get("location"))


def creature_order(creature: str, count: int) -> Order:
    """An order for this many animals of a kind in CREATURES."""
    return Order(CREATURES[creature], creature, count=count, is_creature=True, done=_HERE)


def creature_named(words: str) -> str | None:
    """The animal that these words name; None if the agent does not know it.

    >>> creature_named("pigs"), creature_named("brown bunny"), creature_named("zombie")
    ('pig', 'rabbit', None)
    """
    for word in reversed(words.lower().split()):
        for one in (word, word.removesuffix("s"), word.removesuffix("ies") + "y"):
            name = _SYNONYMS.get(one, one)
            if name in CREATURES:
                return name
    return None


def _number_in_tags(tags: Iterable[str]) -> int | None:
    return next((numbers[0] for tag in tags if (numbers := numbers_in(tag))), None)
