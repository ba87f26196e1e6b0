"""Moving: to a place, to a thing, or after somebody; and looking for something."""

from annotation.logical_form import Form
from interaction.builder.acts import Acting, Go, Place, Say, Show
from interaction.builder.memory import bounds
from interaction.builder.references import THAT, Spot, meant, place_meant
from interaction.builder.situation import Situation
from interaction.builder.things import Thing
from interaction.builder.walking import facing, walked, way_down, way_near, way_to
from interaction.builder.working import approach, go_to, look_at

_PATIENCE = 40
"""How many moments the agent waits beside somebody who stands still, before it takes following for done."""
_AROUND = ("AROUND", "CLOCKWISE", "ANTICLOCKWISE")
_FARTHEST = 2000
_STRIDE = 4
"""Steps before it looks again where the one that it follows has gone."""
_TO_ME: Form = {"reference_object": {"special_reference": {"fixed_value": "SPEAKER"}}}


def move(here: Situation, action: Form) -> Acting:
    """Go to a place: beside a thing or a person, if only they are named."""
    location = action.get("location") or _TO_ME
    reference = location.get("reference_object")
    if (action.get("terminate_condition") or {}).get("condition_type") == "NEVER" and reference:
        yield from _follow(here, reference)
        return
    if (
        reference
        and set(location) <= {"reference_object", "text_span", "contains_coreference"}
        and _is_there(reference)
    ):
        things = yield from meant(here, reference)
        yield from _to(here, things[0])
        return
    direction = location.get("relative_direction")
    if direction == "DOWN" and here.world.agent_cell[1] > here.world.ground_level and not _is_of_a_thing(location):
        yield from walked(here.world, way_down(here.world))
        yield Say("Here I am.")
        return
    spot = yield from place_meant(here, location, Spot(here.world.agent_cell))
    if direction in _AROUND and spot.thing is not None:
        yield from _around(here, spot.thing)
        return
    if spot.thing is not None and spot.cell in spot.thing.cells and not spot.thing.is_hole:
        yield from _to(here, spot.thing)
        return
    yield from go_to(here, _standing(here, spot, direction), turning=direction != "BACK")


def _is_of_a_thing(location: Form) -> bool:
    return bool((location.get("reference_object") or {}).get("filters"))


def _is_there(reference: Form) -> bool:
    """Whether it is a person or a thing, not a place that somebody looks at or numbers."""
    special = reference.get("special_reference")
    return not isinstance(special, dict) or special.get("fixed_value") in ("SPEAKER", "AGENT")


def _to(here: Situation, thing: Thing) -> Acting:
    """Beside it, or down into it if it is a hole."""
    if thing.figure == "agent":
        yield Say("I am here.")
        return
    way = way_near(here.world, thing.low, thing.high, most=2)
    yield from walked(here.world, way)
    yield from look_at(here, thing.low, thing.high)
    yield Say("Here I am." if way.arrives else "I cannot get any closer.")


def _around(here: Situation, thing: Thing) -> Acting:
    """Once around a thing, from corner to corner."""
    (x, _, z), (to_x, _, to_z) = thing.low, thing.high
    corners = [(x - 1, z - 1), (x - 1, to_z + 1), (to_x + 1, to_z + 1), (to_x + 1, z - 1)]
    for a, b in [*corners, corners[0]]:
        way = way_to(here.world, (a, here.world.surface(a, b), b))
        if way.arrives:
            yield from walked(here.world, way)
    yield Say("Here I am.")


def _standing(here: Situation, spot: Spot, direction: str | None) -> Place:
    """The cell to stand in at a place: on the ground there, not up on things that only are in the way."""
    x, y, z = spot.cell
    if spot.exactly or not here.world.inside((x, 0, z)):
        return spot.cell
    if not here.world.can_stand(x, y, z):
        below = next((one for one in range(y, -1, -1) if here.world.can_stand(x, one, z)), None)
        y = here.world.surface(x, z) if below is None else below
    is_up = y - max(here.world.agent_cell[1], here.world.ground_level) > 1
    return (x, here.world.ground_level, z) if direction and is_up else (x, y, z)


def _follow(here: Situation, reference: Form) -> Acting:
    """After the worker until they stand still for a while, or to a thing, which does not move."""
    things = yield from meant(here, reference)
    thing = things[0]
    if thing.figure != "worker":
        yield from _to(here, thing)
        return
    yield Say("I follow you. Stop me, or stand still for a while.")
    waited = steps = 0
    while waited < _PATIENCE and steps < _FARTHEST:
        low, high = bounds([here.world.player_cell])
        way = way_near(here.world, low, high, most=2)
        if way.cells:
            waited = 0
            steps += _STRIDE
            before = here.world.agent_cell
            yield from walked(here.world, way._replace(cells=way.cells[:_STRIDE]))
            if here.world.agent_cell != before:
                continue
        waited += 1
        yield Go(facing(here.world, low, high))
    yield Say("I am with you.")


def scout(here: Situation, action: Form) -> Acting:
    """Look for something, go there, and point at it."""
    things = yield from meant(here, action.get("reference_object") or THAT)
    thing = things[0]
    yield from approach(here, thing.low, thing.high)
    yield Show(thing.low, thing.high)
    yield Say("Here it is.")
