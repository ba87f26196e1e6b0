"""BUILD: a thing of a known kind, or a copy of an existing thing."""

from collections.abc import Generator

from builder.acting.actions.removal import dig, is_hole
from builder.acting.actions.spawn import creature_named, creature_order
from builder.acting.acts import Act, Acts, CannotDo, Reason, Say
from builder.acting.construction import Order, construct, fitted_plan, hollow_plan, upright_plane
from builder.acting.context import ActionContext
from builder.acting.routines import place_blocks
from builder.acting.shapes import HOUSE, Plan, Sizes, kind_named
from builder.meaning.materials import BRIGHT_WOOL, PLANK, STONE, block_of_colour, block_of_material, colour_word
from builder.meaning.new_things import NewThing, new_thing
from builder.meaning.references import THAT, things_meant
from builder.meaning.repeats import repeat_count
from builder.world.memory import KnownThing, bounds
from builder.world.names import name_of, with_article
from lib.logical_form import Form
from lib.voxels.table import AIR

_COPIED = ("I copied it.", "I made {} copies.")
_OF_STONE = frozenset({"wall", "tower", "column", "row", "stairs", "floor"})


def build(context: ActionContext, action: Form) -> Acts:
    """Build the thing that the schematic describes, or copy the reference object."""
    described = new_thing(action.get("schematic"), context.tokens)
    described.check_not_empty()
    count = described.count or repeat_count(action.get("terminate_condition"), context.tokens) or 1
    if is_hole(described.name):
        yield from dig(context, action)
        return
    location = action.get("location")
    original = action.get("reference_object")
    if isinstance(original, dict) and original:
        yield from _copy(context, original, count, location)
        return
    if (described.coreference or not described.name) and (again := _last_plan(context)) and not described.shape:
        yield from construct(context, Order(again[0], again[1], count=count), location)
        return
    creature = creature_named(described.name)
    if creature is not None:
        yield from construct(context, creature_order(creature, count), location)
        return
    said = (described.name, described.shape, *described.tags)
    kind = next((one for words in said if (one := kind_named(words))), None)
    if kind is None:
        raise _unknown_kind(described)
    block = yield from _chosen_block(context, described, kind)
    if kind == "wall" and location and location.get("relative_direction") == "AROUND":
        yield from _ring(context, location.get("reference_object") or THAT, block, described.sizes)
        return
    plan, was_cut = fitted_plan(
        context.world, kind, described.sizes, block, described.plane(upright_plane(context.world))
    )
    if was_cut:
        yield Say("That is too big for this world, so I make it smaller.")
    if described.is_hollow:
        plan = hollow_plan(plan)
    yield from construct(context, Order(plan, kind, described.size or None, count), location)


def _unknown_kind(described: NewThing) -> CannotDo:
    name = described.name or described.shape
    if not name:
        return CannotDo("I did not understand what I should build.", Reason.NOT_UNDERSTOOD)
    one = name if name.endswith("ss") else name.removesuffix("s")
    return CannotDo(f"I do not know what {with_article(one)} looks like.", Reason.UNKNOWN_KIND)


def _chosen_block(context: ActionContext, described: NewThing, kind: str) -> Generator[Act, int | None, int]:
    """The block to build from. If there is no such block, the agent says so and takes another one."""
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
    return STONE if kind in _OF_STONE else context.chance.choice(BRIGHT_WOOL)


def _last_plan(context: ActionContext) -> tuple[Plan, str] | None:
    """The plan of the thing that was built last, moved to the origin, and its name."""
    for thing in reversed(context.memory.known):
        if thing.plan and thing.name:
            low, _ = bounds(thing.plan)
            moved = {(x - low[0], y - low[1], z - low[2]): one for (x, y, z), one in thing.plan.items()}
            return moved, thing.name
    return None


def _copy(context: ActionContext, original: Form, count: int, location: Form | None) -> Acts:
    """Builds the blocks of the described things a second time."""
    things = yield from things_meant(context, original)
    if any(thing.figure or thing.is_hole for thing in things):
        raise CannotDo("I can only copy what is made of blocks.", Reason.UNSUITABLE)
    cells = [place for thing in things for place in thing.cells if context.world.get(place) != AIR]
    low, _ = bounds(cells)
    plan = {(x - low[0], y - low[1], z - low[2]): context.world.get((x, y, z)) for x, y, z in cells}
    yield from construct(context, Order(plan, name_of(things[0]), count=count, done=_COPIED), location)


def _ring(context: ActionContext, reference: Form, block: int, sizes: Sizes) -> Acts:
    """Builds a wall around the described things, with one free cell between."""
    things = yield from things_meant(context, reference)
    low, high = bounds(place for thing in things for place in thing.cells)
    ring = [
        (x, z)
        for x in range(low[0] - 2, high[0] + 3)
        for z in range(low[2] - 2, high[2] + 3)
        if x in (low[0] - 2, high[0] + 2) or z in (low[2] - 2, high[2] + 2)
    ]
    height = sizes.height or (2, 2, 3, 4, 6)[sizes.grade]
    foot = context.world.ground_level
    plan = {
        (x, y, z): block
        for x, z in ring
        for y in range(foot, foot + height)
        if context.world.inside((x, y, z)) and context.world.get((x, y, z)) == AIR
    }
    if not plan:
        raise CannotDo("There is no room for it.", Reason.NO_ROOM)
    wall = KnownThing(frozenset(), "wall", colour_word(block), by="agent", command=context.memory.number, plan=plan)
    context.memory.add_thing(wall)
    yield from place_blocks(context, plan, wall)
    yield Say("I built it.")
