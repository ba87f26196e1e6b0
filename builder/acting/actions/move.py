"""MOVE, SCOUT and GET: go to a place or after the worker, look for a thing, bring a thing."""

from builder.acting.acts import Acts, CannotDo, Go, Place, Reason, Say, Show
from builder.acting.construction import MOST_BLOCKS, Order, construct, has_room
from builder.acting.context import ActionContext
from builder.acting.routines import approach, go_to, look_at, remove_blocks
from builder.meaning.references import THAT, Spot, place_meant, things_meant
from builder.world.memory import bounds
from builder.world.names import name_of
from builder.world.paths import pose_facing, walk, way_down, way_near, way_to
from builder.world.things import Thing
from lib.logical_form import Form
from lib.voxels.table import AIR

_PATIENCE = 40
"""How many steps the agent waits beside a worker who stands still before it stops following."""
_AROUND = ("AROUND", "CLOCKWISE", "ANTICLOCKWISE")
_FARTHEST = 2000
_STRIDE = 4
"""The agent looks for the worker's new position after this many steps."""
_TO_ME: Form = {"reference_object": {"special_reference": {"fixed_value": "SPEAKER"}}}
_NEAR_ME: Form = {"relative_direction": "NEAR", "reference_object": {"special_reference": {"fixed_value": "SPEAKER"}}}
_BROUGHT = ("I brought it.", "I brought all {}.")


def move(context: ActionContext, action: Form) -> Acts:
    """Go to a place, or beside the named thing or person."""
    location = action.get("location") or _TO_ME
    reference = location.get("reference_object")
    if (action.get("terminate_condition") or {}).get("condition_type") == "NEVER" and reference:
        yield from _follow(context, reference)
        return
    if (
        reference
        and set(location) <= {"reference_object", "text_span", "contains_coreference"}
        and _is_thing(reference)
    ):
        things = yield from things_meant(context, reference)
        yield from _go_beside(context, things[0])
        return
    direction = location.get("relative_direction")
    if (
        direction == "DOWN"
        and context.world.agent_cell[1] > context.world.ground_level
        and not _is_of_a_thing(location)
    ):
        yield from walk(context.world, way_down(context.world))
        yield Say("Here I am.")
        return
    spot = yield from place_meant(context, location, Spot(context.world.agent_cell))
    if direction in _AROUND and spot.thing is not None:
        yield from _walk_around(context, spot.thing)
        return
    if spot.thing is not None and spot.cell in spot.thing.cells and not spot.thing.is_hole:
        yield from _go_beside(context, spot.thing)
        return
    yield from go_to(context, _standing_cell(context, spot, direction), turning=direction != "BACK")


def _is_of_a_thing(location: Form) -> bool:
    return bool((location.get("reference_object") or {}).get("filters"))


def _is_thing(reference: Form) -> bool:
    """True if the reference is a person or a thing, and not coordinates or the point that the worker looks at."""
    special = reference.get("special_reference")
    return not isinstance(special, dict) or special.get("fixed_value") in ("SPEAKER", "AGENT")


def _go_beside(context: ActionContext, thing: Thing) -> Acts:
    """Goes beside a thing, or down into it if it is a hole."""
    if thing.figure == "agent":
        yield Say("I am here.")
        return
    way = way_near(context.world, thing.low, thing.high, most=2)
    yield from walk(context.world, way)
    yield from look_at(context, thing.low, thing.high)
    yield Say("Here I am." if way.arrives else "I cannot get any closer.")


def _walk_around(context: ActionContext, thing: Thing) -> Acts:
    """Walks once around a thing, from corner to corner."""
    (x, _, z), (to_x, _, to_z) = thing.low, thing.high
    corners = [(x - 1, z - 1), (x - 1, to_z + 1), (to_x + 1, to_z + 1), (to_x + 1, z - 1)]
    for a, b in [*corners, corners[0]]:
        way = way_to(context.world, (a, context.world.surface(a, b), b))
        if way.arrives:
            yield from walk(context.world, way)
    yield Say("Here I am.")


def _standing_cell(context: ActionContext, spot: Spot, direction: str | None) -> Place:
    """The cell at a place in which the agent can stand: on the ground, and not on top of things that are in the way."""
    x, y, z = spot.cell
    if spot.exactly or not context.world.inside((x, 0, z)):
        return spot.cell
    if not context.world.can_stand(x, y, z):
        below = next((one for one in range(y, -1, -1) if context.world.can_stand(x, one, z)), None)
        y = context.world.surface(x, z) if below is None else below
    is_up = y - max(context.world.agent_cell[1], context.world.ground_level) > 1
    return (x, context.world.ground_level, z) if direction and is_up else (x, y, z)


def _follow(context: ActionContext, reference: Form) -> Acts:
    """Follows the worker until they stand still for a while. A thing does not move: the agent goes beside it."""
    things = yield from things_meant(context, reference)
    thing = things[0]
    if thing.figure != "worker":
        yield from _go_beside(context, thing)
        return
    yield Say("I follow you. Stop me, or stand still for a while.")
    waited = steps = 0
    while waited < _PATIENCE and steps < _FARTHEST:
        low, high = bounds([context.world.player_cell])
        way = way_near(context.world, low, high, most=2)
        if way.cells:
            waited = 0
            steps += _STRIDE
            before = context.world.agent_cell
            yield from walk(context.world, way._replace(cells=way.cells[:_STRIDE]))
            if context.world.agent_cell != before:
                continue
        waited += 1
        yield Go(pose_facing(context.world, low, high))
    yield Say("I am with you.")


def scout(context: ActionContext, action: Form) -> Acts:
    """Find a thing, go there, and point at it."""
    things = yield from things_meant(context, action.get("reference_object") or THAT)
    thing = things[0]
    yield from approach(context, thing.low, thing.high)
    yield Show(thing.low, thing.high)
    yield Say("Here it is.")


def get(context: ActionContext, action: Form) -> Acts:
    """Bring the described things to the receiver, or to the worker if none is named."""
    things = yield from things_meant(context, action.get("reference_object") or THAT)
    if any(thing.figure or thing.is_hole for thing in things):
        raise CannotDo("I can only bring what is made of blocks.", Reason.UNSUITABLE)
    receiver = action.get("receiver") or {}
    location = receiver.get("location") or _NEAR_ME
    if receiver.get("reference_object"):
        location = {"relative_direction": "NEAR", "reference_object": receiver["reference_object"]}
    for thing in things:
        cells = [place for place in thing.cells if context.world.get(place) != AIR]
        if not cells:
            continue
        low, high = bounds(cells)
        plan = {(x - low[0], y - low[1], z - low[2]): context.world.get((x, y, z)) for x, y, z in cells}
        if len(plan) > MOST_BLOCKS or not has_room(context.world, plan):
            raise CannotDo("That is too large to carry.", Reason.WRONG_SIZE)
        known = context.memory.thing_at(cells)
        name, size = (known.name if known else None) or name_of(thing), known.size if known else None
        yield from approach(context, low, high)
        yield from remove_blocks(context, cells)
        order = Order(plan, name, size, is_creature=bool(known and known.is_creature), done=_BROUGHT)
        yield from construct(context, order, location)
        if known:
            context.memory.tag(context.memory.mentioned, known.tags)
