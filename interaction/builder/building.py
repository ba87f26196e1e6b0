"""Putting up one or more things of a plan: choosing the place, walking there, building."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.logical_form import Form
from annotation.voxels.shapes import Plane
from annotation.voxels.table import AIR
from interaction.builder.acts import Acting, CannotDo, Place, Say, Why
from interaction.builder.materials import word_of
from interaction.builder.memory import Known, bounds
from interaction.builder.placing import box_at, spot_for
from interaction.builder.references import Spot, place_meant
from interaction.builder.shapes_to_build import Plan, Sizes, plan_of
from interaction.builder.situation import Situation
from interaction.builder.working import approach, put
from interaction.builder.world import World, ahead_of, left_of

MOST_BLOCKS = 4096
"""Of one thing."""
MOST_AT_ONCE = 20
"""Things that one action builds."""
_MOST_SIDE = 40
_BEFORE = 3
"""How many cells before the worker something is built where no place is named."""
_FACES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


@dataclass(frozen=True)
class Order:
    """What to build: a plan, what it is called, how many of it."""

    plan: Plan
    name: str
    size: str | None = None
    count: int = 1
    is_creature: bool = False
    done: tuple[str, str] = ("I built it.", "I built all {}.")
    """What to say of one, and of several."""

    @property
    def colour(self) -> str | None:
        """What people call most of its blocks."""
        blocks = [block for block in self.plan.values() if block != AIR]
        return word_of(max(blocks, key=blocks.count)) if blocks else None


def put_up(here: Situation, order: Order, location: Form | None) -> Acting:
    """Build what is ordered at a place, or before the worker.

    Raises:
        CannotDo: there is no room, or the place is not there.
    """
    count = min(order.count, MOST_AT_ONCE)
    if order.count > count:
        yield Say(f"That is more than I can do at once, so I make {count}.")
    spot = yield from place_meant(here, location, before_worker(here.world))
    made: list[Known] = []
    for number in range(count):
        at = _place(here.world, order.plan, spot)
        if at is None:
            break
        box = box_at(order.plan, at)
        yield from approach(here, *box)
        if not _still_free(here.world, order.plan, at):
            at = _place(here.world, order.plan, spot)
            if at is None:
                break
        thing = _known(here, order, at)
        made.append(thing)
        yield from put(here, thing.plan, thing)
        if number + 1 < count:
            spot = next_spot(here, *box_at(order.plan, at))
    if not made:
        raise CannotDo("There is no room for it.", Why.NO_ROOM)
    here.memory.mention(frozenset().union(*(thing.voxels for thing in made)))
    if len(made) < count:
        yield Say(f"There was room for only {len(made)}.")
    else:
        yield Say(order.done[0] if count == 1 else order.done[1].format(count))


def _known(here: Situation, order: Order, at: Place) -> Known:
    """The thing that is begun, remembered."""
    plan = {(x + at[0], y + at[1], z + at[2]): block for (x, y, z), block in order.plan.items()}
    thing = Known(
        frozenset(),
        name=order.name,
        colour=order.colour,
        size=order.size,
        by="agent",
        command=here.memory.number,
        is_creature=order.is_creature,
        plan=plan,
    )
    here.memory.made(thing)
    return thing


def before_worker(world: World) -> Spot:
    """A few cells before the worker."""
    x, y, z = world.player_cell
    ahead = ahead_of(world.player)
    return Spot((x + _BEFORE * ahead[0], y, z + _BEFORE * ahead[1]), along=ahead)


def _place(world: World, plan: Iterable[Place], spot: Spot) -> Place | None:
    cells = list(plan)
    found = spot_for(world, cells, spot.cell, along=spot.along, exactly_there=spot.exactly)
    if found is None and spot.exactly:
        found = spot_for(world, cells, spot.cell, along=spot.along)
    return found


def _still_free(world: World, plan: Iterable[Place], at: Place) -> bool:
    """Whether the worker has kept away meanwhile."""
    x, y, z = at
    cells = {(a + x, b + y, c + z) for a, b, c in plan}
    px, py, pz = world.player_cell
    return not {(px, py, pz), (px, py + 1, pz)} & cells and all(world.get(cell) == AIR for cell in cells)


def next_spot(here: Situation, low: Place, high: Place) -> Spot:
    """Where the next one goes: beside the last one, a cell between them, or on top of it."""
    if here.next_goes == "UP":
        return Spot(((low[0] + high[0]) // 2, high[1] + 1, (low[2] + high[2]) // 2), exactly=True)
    ahead = ahead_of(here.world.player)
    left = left_of(ahead)
    x, z = {
        "LEFT": left,
        "FRONT": ahead,
        "BACK": (-ahead[0], -ahead[1]),
    }.get(here.next_goes, (-left[0], -left[1]))
    middle_x, middle_z = (low[0] + high[0]) // 2, (low[2] + high[2]) // 2
    beside = (
        middle_x if not x else high[0] + 2 if x > 0 else low[0] - 2,
        low[1],
        middle_z if not z else high[2] + 2 if z > 0 else low[2] - 2,
    )
    return Spot(beside, along=(x, z))


def upright(world: World) -> Plane:
    """The plane of a flat thing that the worker sees the face of."""
    return "yz" if ahead_of(world.player)[0] else "xy"


def fitted(world: World, kind: str, sizes: Sizes, block: int, plane: Plane) -> tuple[Plan, bool]:
    """The plan of a kind, seen by the worker from its front, small enough for the world; whether it had to be cut."""
    x, y, z = world.size
    room = (max(x - 2, 1), max(y - world.ground_level, 1), max(z - 2, 1))
    wanted, sizes = sizes, sizes.within(min(max(room), _MOST_SIDE))
    while True:
        plan = plan_of(kind, sizes, block, plane)
        smaller = sizes.smaller()
        if (len(plan) <= MOST_BLOCKS and _fits(plan, room)) or smaller == sizes:
            break
        sizes = smaller
    return _turned_to(world, plan), sizes != wanted


def _fits(plan: Plan, room: Place) -> bool:
    low, high = bounds(plan)
    return all(last - first < most for first, last, most in zip(low, high, room, strict=True))


def _turned_to(world: World, plan: Plan) -> Plan:
    """The plan with its front (the side of least depth) towards the worker."""
    ahead = ahead_of(world.player)
    low, high = bounds(plan)
    if sum(ahead) > 0:
        return plan
    axis = 0 if ahead[0] else 2
    both = low[axis] + high[axis]
    return {(both - x if axis == 0 else x, y, both - z if axis == 2 else z): block for (x, y, z), block in plan.items()}


def hollowed(plan: Plan) -> Mapping[Place, int]:
    """A plan without the blocks that have others on all six sides."""
    return {
        (x, y, z): block
        for (x, y, z), block in plan.items()
        if not all((x + dx, y + dy, z + dz) in plan for dx, dy, dz in _FACES)
    }


def has_room(world: World, plan: Plan) -> bool:
    """Whether a plan fits anywhere on the ground."""
    return spot_for(world, plan, world.player_cell) is not None
