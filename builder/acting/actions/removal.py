"""DIG and DESTROY: dig a hole, dig out a thing, destroy a thing."""

from collections.abc import Iterator

from builder.acting.acts import Acts, CannotDo, Place, Reason, Say
from builder.acting.construction import MOST_AT_ONCE, next_spot, spot_before_worker
from builder.acting.context import ActionContext
from builder.acting.routines import approach, remove_blocks
from builder.acting.sites import box_at, site_for
from builder.meaning.materials import block_of_colour, block_of_material
from builder.meaning.new_things import SIDE, NewThing, new_thing
from builder.meaning.references import THAT, place_meant, things_meant
from builder.meaning.repeats import repeat_count, repeats
from builder.world.memory import KnownThing, bounds
from lib.logical_form import Form
from lib.voxels.table import AIR

HOLES = frozenset(
    {"hole", "holes", "pit", "pits", "ditch", "trench", "tunnel", "cave", "pool", "pond", "well", "moat", "crater"}
)
_LONG = frozenset({"trench", "ditch", "tunnel", "moat"})
_USUAL = ((1, 1, 1), (2, 2, 1), (3, 3, 2), (5, 5, 3), (7, 7, 5))
"""Width, length and depth of a hole, from tiny to huge."""
_WIDEST = 20
_AROUND = ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0))


def destroy(context: ActionContext, action: Form) -> Acts:
    """Destroy the described things; without a description, the thing that was mentioned last."""
    things = yield from things_meant(context, action.get("reference_object") or THAT)
    if any(thing.figure for thing in things):
        raise CannotDo("I can only destroy blocks.", Reason.UNSUITABLE)
    if all(thing.is_hole for thing in things):
        raise CannotDo("I cannot destroy a hole, but I can fill it.", Reason.UNSUITABLE)
    things = [thing for thing in things if not thing.is_hole]
    for thing in things:
        cells = [place for place in thing.cells if context.world.get(place) != AIR]
        if cells:
            yield from approach(context, *bounds(cells))
            yield from remove_blocks(context, cells)
    yield Say("I destroyed it." if len(things) == 1 else f"I destroyed all {len(things)}.")


def is_hole(name: str) -> bool:
    """True if this is a name for a hole."""
    return bool(HOLES & set(name.split()))


def dig(context: ActionContext, action: Form) -> Acts:
    """Dig the hole that the schematic describes, or dig out the reference object."""
    thing = action.get("reference_object")
    if isinstance(thing, dict) and thing:
        yield from _dig_out(context, thing)
        return
    described = new_thing(action.get("schematic"), context.tokens)
    described.check_not_empty()
    condition = action.get("terminate_condition")
    until = repeats(condition, context.tokens).until or context.until
    count = min(described.count or repeat_count(condition, context.tokens) or 1, MOST_AT_ONCE)
    width, length, depth = _hole_sides(described)
    spot = yield from place_meant(context, action.get("location"), spot_before_worker(context.world))
    made: list[KnownThing] = []
    for number in range(count):
        # A flat plan on even ground finds a place for the hole with no figure and no block on it.
        sheet = [(x, 0, z) for x in range(width) for z in range(length)]
        at = site_for(context.world, sheet, spot.cell, along=spot.along)
        if at is None or at[1] == 0:
            break
        deepest = max(at[1] - 1, 1)
        if (depth > deepest or until) and not number:
            depth = deepest if until else min(depth, deepest)
            if not until:
                yield Say(f"The ground is not deep enough, so I dig {deepest} deep.")
        yield from approach(context, *box_at(sheet, at))
        hole = KnownThing(frozenset(), name="hole", size=described.size or None, by="agent", is_hole=True)
        hole.command = context.memory.number
        context.memory.add_thing(hole)
        made.append(hole)
        for layer in _layers(context, at, (width, length, depth)):
            context.memory.grow(hole, layer)
            yield from remove_blocks(context, layer)
            if until and _touches(context, layer, until):
                break
        if number + 1 < count:
            spot = next_spot(context, *box_at(sheet, at))
    if not made:
        raise CannotDo("There is no room for a hole.", Reason.NO_ROOM)
    context.memory.mention(frozenset().union(*(hole.voxels for hole in made)))
    if len(made) < count:
        yield Say(f"There was room for only {len(made)}.")
    else:
        yield Say("I dug it." if count == 1 else f"I dug all {count}.")


def _hole_sides(described: NewThing) -> Place:
    """Width, length and depth of the described hole."""
    known = described.measures
    width, length, depth = _USUAL[described.sizes.grade]
    if _LONG & set(described.name.split()):
        width, length = 1, 2 * length
    width = (
        known.get("has_width") or known.get(SIDE) or 2 * known.get("has_radius", 0) or known.get("has_length") or width
    )
    length = known.get("has_length") or known.get("has_width") or known.get(SIDE) or length
    depth = known.get("has_depth") or known.get("has_height") or known.get(SIDE) or depth
    return max(min(width, _WIDEST), 1), max(min(length, _WIDEST), 1), max(depth, 1)


def _layers(context: ActionContext, at: Place, sides: Place) -> Iterator[list[Place]]:
    """The cells of each layer, top layer first. Cells that are already air belong to the hole too."""
    width, length, depth = sides
    for down in range(1, depth + 1):
        if at[1] - down < 0:
            return
        yield [(at[0] + x, at[1] - down, at[2] + z) for x in range(width) for z in range(length)]


def _touches(context: ActionContext, layer: list[Place], until: str) -> bool:
    """True if the named block lies beside or below a layer."""
    block = block_of_material(until) or block_of_colour(until)
    return block is not None and any(
        context.world.get((x + dx, y + dy, z + dz)) == block for x, y, z in layer for dx, dy, dz in _AROUND
    )


def _dig_out(context: ActionContext, reference: Form) -> Acts:
    things = yield from things_meant(context, reference)
    cells = [place for thing in things for place in thing.cells if context.world.get(place) != AIR]
    if not cells:
        raise CannotDo("There is nothing to dig out.", Reason.NOTHING_TO_DO)
    yield from approach(context, *bounds(cells))
    yield from remove_blocks(context, cells)
    yield Say("I dug it out.")
