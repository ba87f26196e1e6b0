"""Destroying: everything that is meant, from the top down."""

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Say, Why
from interaction.builder.memory import bounds
from interaction.builder.references import THAT, meant
from interaction.builder.situation import Situation
from interaction.builder.working import approach, take_away


def destroy(here: Situation, action: Form) -> Acting:
    """Destroy what is meant; what was spoken of last where nothing is named."""
    things = yield from meant(here, action.get("reference_object") or THAT)
    if any(thing.figure for thing in things):
        raise CannotDo("I can only destroy blocks.", Why.UNSUITABLE)
    if all(thing.is_hole for thing in things):
        raise CannotDo("I cannot destroy a hole, but I can fill it.", Why.UNSUITABLE)
    things = [thing for thing in things if not thing.is_hole]
    for thing in things:
        cells = [place for place in thing.cells if here.world.get(place) != AIR]
        if cells:
            yield from approach(here, *bounds(cells))
            yield from take_away(here, cells)
    yield Say("I destroyed it." if len(things) == 1 else f"I destroyed all {len(things)}.")
