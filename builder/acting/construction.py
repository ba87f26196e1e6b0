"""Building things from a plan: choose the place, walk there, place the blocks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from builder.acting.acts import Acts, CannotDo, Place, Reason, Say
from builder.acting.context import ActionContext
from builder.acting.routines import approach, place_blocks
from builder.acting.shapes import Plan, Sizes, plan_of
from builder.acting.sites import box_at, site_for
from builder.meaning.materials import colour_word
from builder.meaning.references import Spot, place_meant
from builder.world.memory import KnownThing, bounds
from builder.world.world import World, ahead_of, left_of
from lib.logical_form import Form
from lib.voxels.shapes import Plane
from lib.voxels.table import AIR

MOST_BLOCKS = 4096
"""The most blocks of one thing."""
MOST_AT_ONCE = 20
"""The most things that one action builds."""
_MOST_SIDE = 40
_BEFORE = 3
"""Number of cells between the worker and a new thing where the command names no place."""
_FACES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


@dataclass(frozen=True)
class Order:
    """A request to build: a plan, the thing's name, and how many of it."""

    plan: Plan
    name: str
    size: str | None = None
    count: int = 1
    is_creature: bool = False
    done: tuple[str, str] = ("I built it.", "I built all {}.")
    """The sentences for one thing and for several."""

    @property
    def colour(self) -> str | None:
        """The colour word of most of its blocks."""
        blocks = [block for block in self.plan.values() if block != AIR]
        return colour_word(max(blocks, key=blocks.count)) if blocks else None


def construct(context: ActionContext, order: Order, location: Form | None) -> Acts:
    """Build an order at a location, or in front of the worker.

    Raises:
        CannotDo: There is no room, or the location refers to a thing that does not exist.
    """
    count = min(order.count, MOST_AT_ONCE)
    if order.count > count:
        yield Say(f"That is more than I can do at once, so I make {count}.")
    spot = yield from place_meant(context, location, spot_before_worker(context.world))
    made: list[KnownThing] = []
    for number in range(count):
        at = _corner_for(context.world, order.plan, spot)
        if at is None:
            break
        box = box_at(order.plan, at)
        yield from approach(context, *box)
        if not _still_free(context.world, order.plan, at):
            at = _corner_for(context.world, order.plan, spot)
            if at is None:
                break
        thing = _remember_thing(context, order, at)
        made.append(thing)
        yield from place_blocks(context, thing.plan, thing)
        if number + 1 < count:
            spot = next_spot(context, *box_at(order.plan, at))
    if not made:
        raise CannotDo("There is no room for it.", Reason.NO_ROOM)
    context.memory.mention(frozenset().union(*(thing.voxels for thing in made)))
    if len(made) < count:
        yield Say(f"There was room for only {len(made)}.")
    else:
        yield Say(order.done[0] if count == 1 else order.done[1].format(count))


def _remember_thing(context: ActionContext, order: Order, at: Place) -> KnownThing:
    """Adds the thing to the memory before its first block is placed."""
    plan = {(x + at[0], y + at[1], z + at[2]): block for (x, y, z), block in order.plan.items()}
    thing = KnownThing(
        frozenset(),
        name=order.name,
        colour=order.colour,
        size=order.size,
        by="agent",
        command=context.memory.number,
        is_creature=order.is_creature,
        plan=plan,
    )
    context.memory.add_thing(thing)
    return thing


def spot_before_worker(world: World) -> Spot:
    """The place a few cells in front of the worker."""
    x, y, z = world.player_cell
    ahead = ahead_of(world.player)
    return Spot((x + _BEFORE * ahead[0], y, z + _BEFORE * ahead[1]), along=ahead)


def _corner_for(world: World, plan: Iterable[Place], spot: Spot) -> Place | None:
    cells = list(plan)
    found = site_for(world, cells, spot.cell, along=spot.along, exactly_there=spot.exactly)
    if found is None and spot.exactly:
        found = site_for(world, cells, spot.cell, along=spot.along)
    return found


def _still_free(world: World, plan: Iterable[Place], at: Place) -> bool:
    """True if the cells are still empty and the worker does not stand in them."""
    x, y, z = at
    cells = {(a + x, b + y, c + z) for a, b, c in plan}
    px, py, pz = world.player_cell
    return not {(px, py, pz), (px, py + 1, pz)} & cells and all(world.get(cell) == AIR for cell in cells)


def next_spot(context: ActionContext, low: Place, high: Place) -> Spot:
    """The place of the next thing: beside the last one with one cell between them, or on top of it."""
    if context.next_direction == "UP":
        return Spot(((low[0] + high[0]) // 2, high[1] + 1, (low[2] + high[2]) // 2), exactly=True)
    ahead = ahead_of(context.world.player)
    left = left_of(ahead)
    x, z = {"LEFT": left, "FRONT": ahead, "BACK": (-ahead[0], -ahead[1])}.get(
        context.next_direction, (-left[0], -left[1])
    )
    middle_x, middle_z = (low[0] + high[0]) // 2, (low[2] + high[2]) // 2
    beside = (
        middle_x if not x else high[0] + 2 if x > 0 else low[0] - 2,
        low[1],
        middle_z if not z else high[2] + 2 if z > 0 else low[2] - 2,
    )
    return Spot(beside, along=(x, z))


def upright_plane(world: World) -> Plane:
    """The vertical plane that faces the worker."""
    return "yz" if ahead_of(world.player)[0] else "xy"


def fitted_plan(world: World, kind: str, sizes: Sizes, block: int, plane: Plane) -> tuple[Plan, bool]:
    """The plan of a kind with its front towards the worker, reduced to fit the world, and whether it was reduced."""
    x, y, z = world.size
    room = (max(x - 2, 1), max(y - world.ground_level, 1), max(z - 2, 1))
    wanted, sizes = sizes, sizes.limited_to(min(max(room), _MOST_SIDE))
    while True:
        plan = plan_of(kind, sizes, block, plane)
        smaller = sizes.smaller()
        if (len(plan) <= MOST_BLOCKS and _fits(plan, room)) or smaller == sizes:
            break
        sizes = smaller
    return _facing_worker(world, plan), sizes != wanted


def _fits(plan: Plan, room: Place) -> bool:
    low, high = bounds(plan)
    return all(last - first < most for first, last, most in zip(low, high, room, strict=True))


def _facing_worker(world: World, plan: Plan) -> Plan:
    """The plan with its front, the side of least depth, towards the worker."""
    ahead = ahead_of(world.player)
    low, high = bounds(plan)
    if sum(ahead) > 0:
        return plan
    axis = 0 if ahead[0] else 2
    both = low[axis] + high[axis]
    return {(both - x if axis == 0 else x, y, both - z if axis == 2 else z): block for (x, y, z), block in plan.items()}


def hollow_plan(plan: Plan) -> Mapping[Place, int]:
    """A plan without the blocks that have other blocks on all six sides."""
    return {
        (x, y, z): block
        for (x, y, z), block in plan.items()
        if not all((x + dx, y + dy, z + dz) in plan for dx, dy, dz in _FACES)
    }


def has_room(world: World, plan: Plan) -> bool:
    """True if a plan fits somewhere on the ground."""
    return site_for(world, plan, world.player_cell) is not None
