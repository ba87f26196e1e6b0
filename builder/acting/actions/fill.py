"""FILL: fill a hole with the surrounding block or the named one, or fill the empty cells of a thing's box."""

from collections import Counter
from collections.abc import Mapping

from builder.acting.acts import Acts, CannotDo, Found, Place, Reason, Say
from builder.acting.context import ActionContext
from builder.acting.routines import approach, place_blocks
from builder.meaning.materials import DIRT, block_of_colour, block_of_material
from builder.meaning.new_things import new_thing
from builder.meaning.references import things_meant
from builder.world.memory import bounds
from builder.world.things import Thing, things_in
from lib.logical_form import Form
from lib.voxels.table import AIR

_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))


def fill(context: ActionContext, action: Form) -> Acts:
    """Fill the described things; without a description, the nearest hole."""
    described = new_thing(action.get("schematic"), context.tokens)
    words = described.material or described.name or described.colour
    block = (block_of_material(words) or block_of_colour(words)) if words else None
    if words and block is None:
        raise CannotDo(f"I have no {words} to fill it with.", Reason.UNKNOWN_KIND)
    reference = action.get("reference_object")
    if isinstance(reference, dict) and reference:
        things = yield from things_meant(context, reference)
    else:
        things = [_nearest_hole(context)]
        yield Found("the hole", tuple(sorted(things[0].cells)))
    blocks: dict[Place, int] = {}
    for thing in things:
        if thing.figure:
            raise CannotDo("I cannot fill that.", Reason.UNSUITABLE)
        blocks |= _filling(context, thing, block)
    if not blocks:
        raise CannotDo("There is nothing to fill: it is full already.", Reason.NOTHING_TO_DO)
    yield from approach(context, *bounds(blocks))
    yield from place_blocks(context, blocks)
    yield Say("I filled it." if len(things) == 1 else f"I filled all {len(things)}.")


def _nearest_hole(context: ActionContext) -> Thing:
    x, _, z = context.world.player_cell
    holes = [thing for thing in things_in(context.world, context.memory) if thing.is_hole]
    if not holes:
        raise CannotDo("I see no hole to fill.", Reason.NOT_FOUND)
    return min(holes, key=lambda hole: abs(hole.middle[0] - x) + abs(hole.middle[2] - z))


def _filling(context: ActionContext, thing: Thing, block: int | None) -> Mapping[Place, int]:
    """The block for each empty cell: of a hole its own cells, of any other thing the cells of its box."""
    if thing.is_hole:
        empty = [place for place in thing.cells if context.world.inside(place) and context.world.get(place) == AIR]
        return {place: block or _surrounding_block(context, empty, place[1]) for place in empty}
    (x, y, z), (to_x, to_y, to_z) = thing.low, thing.high
    box = [(a, b, c) for a in range(x, to_x + 1) for b in range(y, to_y + 1) for c in range(z, to_z + 1)]
    inside = block or next(iter(thing.materials), DIRT)
    return {place: inside for place in box if context.world.get(place) == AIR}


def _surrounding_block(context: ActionContext, empty: list[Place], y: int) -> int:
    """The most frequent block around one layer of a hole."""
    layer = {(a, c) for a, b, c in empty if b == y}
    around = {(a + dx, c + dz) for a, c in layer for dx, dz in _AROUND} - layer
    found = Counter(one for a, c in sorted(around) if (one := context.world.get((a, y, c))) != AIR)
    return found.most_common(1)[0][0] if found else DIRT
