"""The things and places that a command refers to. The agent asks the worker if several things fit."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from builder.acting.acts import Act, Ask, CannotDo, Found, Place, Reason, Say
from builder.acting.context import ActionContext
from builder.meaning import finder, places
from builder.meaning.new_things import new_thing
from builder.world.memory import bounds
from builder.world.things import Thing
from lib.logical_form import Form

MOST_ASKED = 5
"""How many things the agent points at with "This one?" before it gives up."""
THAT: Form = {"filters": {"contains_coreference": "yes"}}
"""The thing that was mentioned last, for a command that names none."""
YES_OR_NO = ("Yes", "No")
_IN_PLACE = frozenset({"UP", "DOWN", "INSIDE"})
_GROUND = frozenset({"ground", "floor", "grass", "land", "world", "map", "field"})
_FAR = 6
"""A place further than this from its reference point is on no particular side of it."""
Things = Generator[Act, int | None, list[Thing]]


class Spot(NamedTuple):
    """A place that a command means.

    Attributes:
        cell: The cell.
        along: The direction (x, z) in which a new thing should extend from there, if any.
        exactly: Whether the height counts too, and not only the column.
        thing: The thing that the place is relative to, if any.
    """

    cell: Place
    along: tuple[int, int] | None = None
    exactly: bool = False
    thing: Thing | None = None


def things_meant(context: ActionContext, reference: Form) -> Things:
    """The things that a reference object means, at least one. Asks the worker if more things fit than are wanted.

    Raises:
        CannotDo: No thing fits, or the worker accepts none of them.
    """
    found = finder.find(context.world, context.memory, reference, context.tokens)
    if not found.candidates:
        yield Found(found.phrase, ())
        sentence = f"I found nothing called “{found.phrase}”." if found.phrase else "I found nothing like that."
        raise CannotDo(sentence, Reason.NOT_FOUND)
    chosen = list(found.chosen)
    if found.wanted == 1 and len(found.candidates) > 1:
        chosen = [(yield from _ask_which(found.candidates, found.phrase))]
    cells = frozenset().union(*(thing.cells for thing in chosen))
    yield Found(found.phrase, tuple(sorted(cells)))
    if len(chosen) < found.wanted:
        yield Say("There is only one." if len(chosen) == 1 else f"There are only {len(chosen)}.")
    if not any(thing.figure for thing in chosen):
        context.memory.mention(cells)
    return chosen


def _ask_which(candidates: Sequence[Thing], phrase: str) -> Generator[Act, int | None, Thing]:
    """The thing that the worker answers yes to."""
    for thing in candidates[:MOST_ASKED]:
        answer = yield Ask("This one?", YES_OR_NO, thing.low, thing.high)
        if answer == 0:
            return thing
    yield Found(phrase, ())
    raise CannotDo(f"I found nothing else that could be “{phrase}”.", Reason.NOT_FOUND)


def place_meant(context: ActionContext, location: Form | None, default: Spot) -> Generator[Act, int | None, Spot]:
    """The place that a location means; `default` if the location is missing or says nothing.

    Raises:
        CannotDo: The thing that the place is relative to does not exist.
    """
    if not location:
        return default
    seen_from: Thing | None = None
    for name in ("reference_object", "reference_object_1", "reference_object_2"):
        reference = location.get(name)
        if not reference or "special_reference" in reference or not reference.get("filters"):
            continue
        if name == "reference_object" and _is_ground(context, reference):
            return default
        things = yield from things_meant(context, reference)
        if name == "reference_object":
            seen_from = things[0]
    # The chosen thing was mentioned last, so that `place_of` prefers it.
    cell = places.place_of(context.world, context.memory, location, context.tokens, default.cell)
    direction = location.get("relative_direction")
    exactly = direction in _IN_PLACE and bool(location.get("reference_object"))
    low, high = (seen_from.low, seen_from.high) if seen_from else _figure_box(context, location)
    return Spot(cell, None if exactly or not direction else _side_of(low, high, cell), exactly, seen_from)


def _is_ground(context: ActionContext, reference: Form) -> bool:
    """True if the reference is only the ground, as in "on the ground"."""
    return new_thing(reference, context.tokens).name.removeprefix("the ").strip() in _GROUND


def _figure_box(context: ActionContext, location: Form) -> tuple[Place, Place]:
    """The cell of the figure that a place is relative to: the worker if none is named."""
    special = (location.get("reference_object") or {}).get("special_reference") or {}
    cell = context.world.agent_cell if special.get("fixed_value") == "AGENT" else context.world.player_cell
    return bounds([cell])


def _side_of(low: Place, high: Place, cell: Place) -> tuple[int, int] | None:
    """The side of a box on which a cell lies, as a step; None if the cell is inside, above or far from it."""
    x = max(cell[0] - high[0], 0) - max(low[0] - cell[0], 0)
    z = max(cell[2] - high[2], 0) - max(low[2] - cell[2], 0)
    if x == z == 0 or max(abs(x), abs(z)) > _FAR:
        return None
    return ((x > 0) - (x < 0), 0) if abs(x) >= abs(z) else (0, (z > 0) - (z < 0))
