"""Digging: holes in the ground, and digging things out."""

from collections.abc import Iterator

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Place, Say, Why
from interaction.builder.building import MOST_AT_ONCE, before_worker, next_spot
from interaction.builder.materials import block_of_colour, block_of_material
from interaction.builder.memory import Known, bounds
from interaction.builder.placing import box_at, spot_for
from interaction.builder.references import meant, place_meant
from interaction.builder.repeats import repeats, times
from interaction.builder.situation import Situation
from interaction.builder.wanted import SIDE, Wanted, wanted
from interaction.builder.working import approach, take_away

HOLES = frozenset(
    {"hole", "holes", "pit", "pits", "ditch", "trench", "tunnel", "cave", "pool", "pond", "well", "moat", "crater"}
)
_LONG = frozenset({"trench", "ditch", "tunnel", "moat"})
_USUAL = ((1, 1, 1), (2, 2, 1), (3, 3, 2), (5, 5, 3), (7, 7, 5))
"""Width, length and depth of a hole that is tiny … huge."""
_WIDEST = 20
_AROUND = ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0))


def is_hole(name: str) -> bool:
    """Whether somebody calls a hole so."""
    return bool(HOLES & set(name.split()))


def dig(here: Situation, action: Form) -> Acting:
    """Dig the hole that is described, or dig out what the reference object means."""
    thing = action.get("reference_object")
    if isinstance(thing, dict) and thing:
        yield from _dig_out(here, thing)
        return
    described = wanted(action.get("schematic"), here.tokens)
    described.must_be_some()
    condition = action.get("terminate_condition")
    until = repeats(condition, here.tokens).until or here.until
    count = min(described.count or times(condition, here.tokens) or 1, MOST_AT_ONCE)
    width, length, depth = _sides(described)
    spot = yield from place_meant(here, action.get("location"), before_worker(here.world))
    made: list[Known] = []
    for number in range(count):
        # A sheet that lies free on even ground is where a hole can be: nobody stands there, and nothing.
        sheet = [(x, 0, z) for x in range(width) for z in range(length)]
        at = spot_for(here.world, sheet, spot.cell, along=spot.along)
        if at is None or at[1] == 0:
            break
        deepest = max(at[1] - 1, 1)
        if (depth > deepest or until) and not number:
            depth = deepest if until else min(depth, deepest)
            if not until:
                yield Say(f"The ground is not deep enough, so I dig {deepest} deep.")
        yield from approach(here, *box_at(sheet, at))
        hole = Known(frozenset(), name="hole", size=described.size or None, by="agent", is_hole=True)
        hole.command = here.memory.number
        here.memory.made(hole)
        made.append(hole)
        for layer in _layers(here, at, (width, length, depth)):
            here.memory.grow(hole, layer)
            yield from take_away(here, layer)
            if until and _touches(here, layer, until):
                break
        if number + 1 < count:
            spot = next_spot(here, *box_at(sheet, at))
    if not made:
        raise CannotDo("There is no room for a hole.", Why.NO_ROOM)
    here.memory.mention(frozenset().union(*(hole.voxels for hole in made)))
    if len(made) < count:
        yield Say(f"There was room for only {len(made)}.")
    else:
        yield Say("I dug it." if count == 1 else f"I dug all {count}.")


def _sides(described: Wanted) -> Place:
    """Width, length and depth."""
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


def _layers(here: Situation, at: Place, sides: Place) -> Iterator[list[Place]]:
    """The blocks of each layer, the upper ones first; what is air already counts to the hole."""
    width, length, depth = sides
    for down in range(1, depth + 1):
        if at[1] - down < 0:
            return
        yield [(at[0] + x, at[1] - down, at[2] + z) for x in range(width) for z in range(length)]


def _touches(here: Situation, layer: list[Place], until: str) -> bool:
    """Whether the block that was named lies beside or below a layer."""
    block = block_of_material(until) or block_of_colour(until)
    return block is not None and any(
        here.world.get((x + dx, y + dy, z + dz)) == block for x, y, z in layer for dx, dy, dz in _AROUND
    )


def _dig_out(here: Situation, reference: Form) -> Acting:
    things = yield from meant(here, reference)
    cells = [place for thing in things for place in thing.cells if here.world.get(place) != AIR]
    if not cells:
        raise CannotDo("There is nothing to dig out.", Why.NOTHING_TO_DO)
    yield from approach(here, *bounds(cells))
    yield from take_away(here, cells)
    yield Say("I dug it out.")
