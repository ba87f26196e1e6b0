"""What the words of a command point at: things, asked about where several fit, and places."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from annotation.logical_form import Form
from interaction.builder import finding, places
from interaction.builder.acts import Act, Ask, CannotDo, Found, Place, Say, Why
from interaction.builder.memory import bounds
from interaction.builder.situation import Situation
from interaction.builder.things import Thing
from interaction.builder.wanted import wanted

MOST_ASKED = 5
"""How often the agent asks "this one?" before it gives up."""
THAT: Form = {"filters": {"contains_coreference": "yes"}}
"""What was spoken of last: for a command that names nothing."""
YES_OR_NO = ("Yes", "No")
_IN_PLACE = frozenset({"UP", "DOWN", "INSIDE"})
_GROUND = frozenset({"ground", "floor", "grass", "land", "world", "map", "field"})
_FAR = 6
"""A place farther than this from what it is seen from tells no side of it."""
Things = Generator[Act, int | None, list[Thing]]


class Spot(NamedTuple):
    """A place that was meant.

    Attributes:
        cell: Where.
        along: The direction (x, z) in which something new lies from there, if it has a side to lie on.
        exactly: The height counts too, not only the column.
        thing: What the place is seen from, if that is a thing.
    """

    cell: Place
    along: tuple[int, int] | None = None
    exactly: bool = False
    thing: Thing | None = None


def meant(here: Situation, reference: Form) -> Things:
    """The things that a reference object means, at least one; asks where more fit than are wanted.

    Raises:
        CannotDo: nothing fits, or none of those that do.
    """
    found = finding.find(here.world, here.memory, reference, here.tokens)
    if not found.candidates:
        yield Found(found.phrase, ())
        sentence = f"I found nothing called “{found.phrase}”." if found.phrase else "I found nothing like that."
        raise CannotDo(sentence, Why.NOT_FOUND)
    chosen = list(found.chosen)
    if found.wanted == 1 and len(found.candidates) > 1:
        chosen = [(yield from _asked(found.candidates, found.phrase))]
    cells = frozenset().union(*(thing.cells for thing in chosen))
    yield Found(found.phrase, tuple(sorted(cells)))
    if len(chosen) < found.wanted:
        yield Say("There is only one." if len(chosen) == 1 else f"There are only {len(chosen)}.")
    if not any(thing.figure for thing in chosen):
        here.memory.mention(cells)
    return chosen


def _asked(candidates: Sequence[Thing], phrase: str) -> Generator[Act, int | None, Thing]:
    """The one that the worker says yes to."""
    for thing in candidates[:MOST_ASKED]:
        answer = yield Ask("This one?", YES_OR_NO, thing.low, thing.high)
        if answer == 0:
            return thing
    yield Found(phrase, ())
    raise CannotDo(f"I found nothing else that could be “{phrase}”.", Why.NOT_FOUND)


def place_meant(here: Situation, location: Form | None, default: Spot) -> Generator[Act, int | None, Spot]:
    """The place that a location means; `default` where there is none or it says nothing.

    Raises:
        CannotDo: what it is seen from is not there.
    """
    if not location:
        return default
    seen_from: Thing | None = None
    for name in ("reference_object", "reference_object_1", "reference_object_2"):
        reference = location.get(name)
        if not reference or "special_reference" in reference or not reference.get("filters"):
            continue
        if name == "reference_object" and _is_ground(here, reference):
            return default
        things = yield from meant(here, reference)
        if name == "reference_object":
            seen_from = things[0]
    # What was chosen is what was spoken of last: it comes first when the place is looked up.
    cell = places.place_of(here.world, here.memory, location, here.tokens, default.cell)
    direction = location.get("relative_direction")
    exactly = direction in _IN_PLACE and bool(location.get("reference_object"))
    low, high = (seen_from.low, seen_from.high) if seen_from else _figure_box(here, location)
    return Spot(cell, None if exactly or not direction else _away(low, high, cell), exactly, seen_from)


def _is_ground(here: Situation, reference: Form) -> bool:
    """Whether it is where everything stands anyway: "on the ground"."""
    return wanted(reference, here.tokens).name.removeprefix("the ").strip() in _GROUND


def _figure_box(here: Situation, location: Form) -> tuple[Place, Place]:
    """The cell of the person a place is seen from: the worker if none is named."""
    special = (location.get("reference_object") or {}).get("special_reference") or {}
    cell = here.world.agent_cell if special.get("fixed_value") == "AGENT" else here.world.player_cell
    return bounds([cell])


def _away(low: Place, high: Place, cell: Place) -> tuple[int, int] | None:
    """The side of a box on which a cell lies, as a step; None within it, above it, or far from it."""
    x = max(cell[0] - high[0], 0) - max(low[0] - cell[0], 0)
    z = max(cell[2] - high[2], 0) - max(low[2] - cell[2], 0)
    if x == z == 0 or max(abs(x), abs(z)) > _FAR:
        return None
    return ((x > 0) - (x < 0), 0) if abs(x) >= abs(z) else (0, (z > 0) - (z < 0))
