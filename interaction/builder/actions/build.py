"""Building: a thing of a kind that the agent knows, or a copy of something."""

from collections.abc import Generator

from annotation.logical_form import Form
from annotation.voxels.table import AIR
from interaction.builder.actions.dig import dig, is_hole
from interaction.builder.actions.spawn import creature_named, order_of
from interaction.builder.acts import Act, Acting, CannotDo, Say, Why
from interaction.builder.building import Order, fitted, hollowed, put_up, upright
from interaction.builder.materials import GAY, PLANK, STONE, block_of_colour, block_of_material, word_of
from interaction.builder.memory import Known, bounds
from interaction.builder.naming import name_of
from interaction.builder.references import THAT, meant
from interaction.builder.repeats import times
from interaction.builder.shapes_to_build import HOUSE, Plan, Sizes, a, kind_named
from interaction.builder.situation import Situation
from interaction.builder.wanted import Wanted, wanted
from interaction.builder.working import put

_COPIED = ("I copied it.", "I made {} copies.")
_OF_STONE = frozenset({"wall", "tower", "column", "row", "stairs", "floor"})


def build(here: Situation, action: Form) -> Acting:
    """Build what the schematic describes, or copy what the reference object means."""
    described = wanted(action.get("schematic"), here.tokens)
    described.must_be_some()
    count = described.count or times(action.get("terminate_condition"), here.tokens) or 1
    if is_hole(described.name):
        yield from dig(here, action)
        return
    location = action.get("location")
    original = action.get("reference_object")
    if isinstance(original, dict) and original:
        yield from _copy(here, original, count, location)
        return
    if (described.coreference or not described.name) and (again := _last_plan(here)) and not described.shape:
        yield from put_up(here, Order(again[0], again[1], count=count), location)
        return
    creature = creature_named(described.name)
    if creature is not None:
        yield from put_up(here, order_of(creature, count), location)
        return
    said = (described.name, described.shape, *described.tags)
    kind = next((one for words in said if (one := kind_named(words))), None)
    if kind is None:
        raise _not_known(described)
    block = yield from _block(here, described, kind)
    if kind == "wall" and location and location.get("relative_direction") == "AROUND":
        yield from _ring(here, location.get("reference_object") or THAT, block, described.sizes)
        return
    plan, was_cut = fitted(here.world, kind, described.sizes, block, described.plane(upright(here.world)))
    if was_cut:
        yield Say("That is too big for this world, so I make it smaller.")
    if described.is_hollow:
        plan = hollowed(plan)
    yield from put_up(here, Order(plan, kind, described.size or None, count), location)


def _not_known(described: Wanted) -> CannotDo:
    name = described.name or described.shape
    if not name:
        return CannotDo("I did not understand what I should build.", Why.NOT_UNDERSTOOD)
    one = name if name.endswith("ss") else name.removesuffix("s")
    return CannotDo(f"I do not know what {a(one)} looks like.", Why.UNKNOWN_KIND)


def _block(here: Situation, described: Wanted, kind: str) -> Generator[Act, int | None, int]:
    """The block to build from; what is not there is said, and something else taken."""
    for words, lookup in ((described.material, block_of_material), (described.colour, block_of_colour)):
        if words:
            found = lookup(words) or block_of_colour(words) or block_of_material(words)
            if found is not None:
                return found
            yield Say(f"I have no {words} blocks, so I take others.")
    if len(described.name.split()) > 1 and (found := block_of_material(described.name.rsplit(" ", 1)[0])):
        return found
    if kind == HOUSE:
        return PLANK
    return STONE if kind in _OF_STONE else here.chance.choice(GAY)


def _last_plan(here: Situation) -> tuple[Plan, str] | None:
    """The plan of what was built last, moved to the origin, and its name."""
    for thing in reversed(here.memory.known):
        if thing.plan and thing.name:
            low, _ = bounds(thing.plan)
            moved = {(x - low[0], y - low[1], z - low[2]): one for (x, y, z), one in thing.plan.items()}
            return moved, thing.name
    return None


def _copy(here: Situation, original: Form, count: int, location: Form | None) -> Acting:
    """The same blocks once more, of all that is meant."""
    things = yield from meant(here, original)
    if any(thing.figure or thing.is_hole for thing in things):
        raise CannotDo("I can only copy what is made of blocks.", Why.UNSUITABLE)
    cells = [place for thing in things for place in thing.cells if here.world.get(place) != AIR]
    low, _ = bounds(cells)
    plan = {(x - low[0], y - low[1], z - low[2]): here.world.get((x, y, z)) for x, y, z in cells}
    yield from put_up(here, Order(plan, name_of(things[0]), count=count, done=_COPIED), location)


def _ring(here: Situation, reference: Form, block: int, sizes: Sizes) -> Acting:
    """A wall all around what is meant, a cell left free within."""
    things = yield from meant(here, reference)
    low, high = bounds(place for thing in things for place in thing.cells)
    ring = [
        (x, z)
        for x in range(low[0] - 2, high[0] + 3)
        for z in range(low[2] - 2, high[2] + 3)
        if x in (low[0] - 2, high[0] + 2) or z in (low[2] - 2, high[2] + 2)
    ]
    height = sizes.height or (2, 2, 3, 4, 6)[sizes.grade]
    foot = here.world.ground_level
    plan = {
        (x, y, z): block
        for x, z in ring
        for y in range(foot, foot + height)
        if here.world.inside((x, y, z)) and here.world.get((x, y, z)) == AIR
    }
    if not plan:
        raise CannotDo("There is no room for it.", Why.NO_ROOM)
    wall = Known(frozenset(), "wall", word_of(block), by="agent", command=here.memory.number, plan=plan)
    here.memory.made(wall)
    yield from put(here, plan, wall)
    yield Say("I built it.")
