"""Filling: a hole with what is around it or what was asked for, or the empty room in a thing."""

from collections import Counter
from collections.abc import Mapping

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Found, Place, Say, Why
from interaction.builder.materials import DIRT, block_of_colour, block_of_material
from interaction.builder.memory import bounds
from interaction.builder.references import meant
from interaction.builder.situation import Situation
from interaction.builder.things import Thing, things_in
from interaction.builder.wanted import wanted
from interaction.builder.working import approach, put

_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))


def fill(here: Situation, action: Form) -> Acting:
    """Fill what is meant, the nearest hole where nothing is named."""
    described = wanted(action.get("schematic"), here.tokens)
    words = described.material or described.name or described.colour
    block = (block_of_material(words) or block_of_colour(words)) if words else None
    if words and block is None:
        raise CannotDo(f"I have no {words} to fill it with.", Why.UNKNOWN_KIND)
    reference = action.get("reference_object")
    if isinstance(reference, dict) and reference:
        things = yield from meant(here, reference)
    else:
        things = [_nearest_hole(here)]
        yield Found("the hole", tuple(sorted(things[0].cells)))
    blocks: dict[Place, int] = {}
    for thing in things:
        if thing.figure:
            raise CannotDo("I cannot fill that.", Why.UNSUITABLE)
        blocks |= _filling(here, thing, block)
    if not blocks:
        raise CannotDo("There is nothing to fill: it is full already.", Why.NOTHING_TO_DO)
    yield from approach(here, *bounds(blocks))
    yield from put(here, blocks)
    yield Say("I filled it." if len(things) == 1 else f"I filled all {len(things)}.")


def _nearest_hole(here: Situation) -> Thing:
    x, _, z = here.world.player_cell
    holes = [thing for thing in things_in(here.world, here.memory) if thing.is_hole]
    if not holes:
        raise CannotDo("I see no hole to fill.", Why.NOT_FOUND)
    return min(holes, key=lambda hole: abs(hole.middle[0] - x) + abs(hole.middle[2] - z))


def _filling(here: Situation, thing: Thing, block: int | None) -> Mapping[Place, int]:
    """The block for each cell that is empty: of a hole its cells, of a thing those of its box."""
    if thing.is_hole:
        empty = [place for place in thing.cells if here.world.inside(place) and here.world.get(place) == AIR]
        return {place: block or _beside(here, empty, place[1]) for place in empty}
    (x, y, z), (to_x, to_y, to_z) = thing.low, thing.high
    box = [(a, b, c) for a in range(x, to_x + 1) for b in range(y, to_y + 1) for c in range(z, to_z + 1)]
    inside = block or next(iter(thing.materials), DIRT)
    return {place: inside for place in box if here.world.get(place) == AIR}


def _beside(here: Situation, empty: list[Place], y: int) -> int:
    """What most of the blocks beside one layer of a hole are."""
    layer = {(a, c) for a, b, c in empty if b == y}
    around = {(a + dx, c + dz) for a, c in layer for dx, dz in _AROUND} - layer
    found = Counter(one for a, c in sorted(around) if (one := here.world.get((a, y, c))) != AIR)
    return found.most_common(1)[0][0] if found else DIRT
