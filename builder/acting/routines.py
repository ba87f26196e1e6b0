"""Series of acts that several actions use: walk to a thing, place blocks and remove them in small batches."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from builder.acting.acts import Act, Acts, Edit, Go, Place, Say
from builder.acting.context import ActionContext
from builder.world.memory import KnownThing, bounds
from builder.world.paths import pose_facing, walk, way_near, way_to
from lib.voxels.table import AIR

AT_ONCE = 16
"""Blocks of one act. A house takes some seconds, so that the worker can watch and stop it."""
_FASTEST = 64
_MANY = 640
T = TypeVar("T")
_Block = tuple[Place, int]


def approach(context: ActionContext, low: Place, high: Place) -> Acts:
    """Walk as near as possible to the side of a box, and look at it.

    Does not end inside the box's columns if the agent can leave them.
    """
    yield from walk(context.world, way_near(context.world, low, high))
    yield from look_at(context, low, high)


def look_at(context: ActionContext, low: Place, high: Place) -> Acts:
    """Turn to the middle of a box."""
    pose = pose_facing(context.world, low, high)
    if pose != context.world.agent:
        yield Go(pose)


def go_to(context: ActionContext, cell: Place, *, turning: bool = True) -> Acts:
    """Walk to a cell, or as near as possible, and say which of the two."""
    way = way_to(context.world, cell)
    yield from walk(context.world, way, turning=turning)
    yield Say("Here I am." if way.arrives else "I cannot get any closer.")


def place_blocks(context: ActionContext, blocks: Mapping[Place, int], thing: KnownThing | None = None) -> Acts:
    """Place these blocks from the bottom up. Cells in which a figure stands are left until the end and tried again.

    Args:
        thing: The remembered thing that these blocks belong to.
    """
    left = [(place, block) for place, block in blocks.items() if context.world.get(place) != block]
    left.sort(key=lambda item: (item[0][1], item[0][0], item[0][2]))
    size = _FASTEST if len(left) > _MANY else AT_ONCE
    put_off: list[_Block] = []
    for some in _batches(left, size):
        put_off += yield from _place_batch(context, some, thing)
    if not put_off:
        return
    low, high = bounds(place for place, _ in put_off)
    yield from approach(context, low, high)
    still = 0
    for some in _batches(put_off, size):
        still += len((yield from _place_batch(context, some, thing)))
    if still:
        yield Say(f"I left out {still} {'block' if still == 1 else 'blocks'}: somebody stands there.")


def remove_blocks(context: ActionContext, places: Iterable[Place]) -> Acts:
    """Remove these blocks from the top down."""
    left = [place for place in places if context.world.inside(place) and context.world.get(place) != AIR]
    left.sort(key=lambda place: (-place[1], place[0], place[2]))
    size = _FASTEST if len(left) > _MANY else AT_ONCE
    for some in _batches(left, size):
        yield Edit(tuple((*place, AIR) for place in some))


def _place_batch(
    context: ActionContext, some: Sequence[_Block], thing: KnownThing | None
) -> Generator[Act, int | None, list[_Block]]:
    """Places a few blocks. Returns those that cannot be placed because a figure stands there."""
    taken = context.world.figures()
    free = [(place, block) for place, block in some if place not in taken or block == AIR]
    if free:
        if thing is not None:
            context.memory.grow(thing, [place for place, block in free if block != AIR])
        yield Edit(tuple((*place, block) for place, block in free))
    return [(place, block) for place, block in some if place in taken and block != AIR]


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
