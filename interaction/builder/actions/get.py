"""Getting: a thing is taken away where it is and put down at whom it is for."""

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Why
from interaction.builder.building import MOST_BLOCKS, Order, has_room, put_up
from interaction.builder.memory import bounds
from interaction.builder.naming import name_of
from interaction.builder.references import THAT, meant
from interaction.builder.situation import Situation
from interaction.builder.working import approach, take_away

_TO_ME: Form = {"relative_direction": "NEAR", "reference_object": {"special_reference": {"fixed_value": "SPEAKER"}}}

_BROUGHT = ("I brought it.", "I brought all {}.")


def get(here: Situation, action: Form) -> Acting:
    """Bring what is meant to the receiver: the worker where none is named."""
    things = yield from meant(here, action.get("reference_object") or THAT)
    if any(thing.figure or thing.is_hole for thing in things):
        raise CannotDo("I can only bring what is made of blocks.", Why.UNSUITABLE)
    receiver = action.get("receiver") or {}
    location = receiver.get("location") or _TO_ME
    if receiver.get("reference_object"):
        location = {"relative_direction": "NEAR", "reference_object": receiver["reference_object"]}
    for thing in things:
        cells = [place for place in thing.cells if here.world.get(place) != AIR]
        if not cells:
            continue
        low, high = bounds(cells)
        plan = {(x - low[0], y - low[1], z - low[2]): here.world.get((x, y, z)) for x, y, z in cells}
        if len(plan) > MOST_BLOCKS or not has_room(here.world, plan):
            raise CannotDo("That is too large to carry.", Why.WRONG_SIZE)
        known = here.memory.at(cells)
        name, size = (known.name if known else None) or name_of(thing), known.size if known else None
        yield from approach(here, low, high)
        yield from take_away(here, cells)
        order = Order(plan, name, size, is_creature=bool(known and known.is_creature), done=_BROUGHT)
        yield from put_up(here, order, location)
        if known:
            here.memory.tag(here.memory.mentioned, known.tags)
