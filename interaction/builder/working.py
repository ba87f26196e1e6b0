"""How the agent works: it walks near, and changes blocks a few at a time, so that building is seen to grow."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from annotation.voxels.table import AIR
from interaction.builder.acts import Act, Acting, Edit, Go, Place, Say
from interaction.builder.memory import Known, bounds
from interaction.builder.situation import Situation
from interaction.builder.walking import facing, walked, way_near, way_to

AT_ONCE = 16
"""Blocks of one act: a house takes some seconds, and may be stopped midway."""
_FASTEST = 64
_MANY = 640
T = TypeVar("T")
_Block = tuple[Place, int]


def approach(here: Situation, low: Place, high: Place) -> Acting:
    """Walk to the side of a box, as near as can be, and look at it.

    Never ends within its columns if there is a way out.
    """
    yield from walked(here.world, way_near(here.world, low, high))
    yield from look_at(here, low, high)


def look_at(here: Situation, low: Place, high: Place) -> Acting:
    """Turn to the middle of a box."""
    pose = facing(here.world, low, high)
    if pose != here.world.agent:
        yield Go(pose)


def go_to(here: Situation, cell: Place, *, turning: bool = True) -> Acting:
    """Walk to a cell, or as near to it as can be, and say which."""
    way = way_to(here.world, cell)
    yield from walked(here.world, way, turning=turning)
    yield Say("Here I am." if way.arrives else "I cannot get any closer.")


def put(here: Situation, blocks: Mapping[Place, int], thing: Known | None = None) -> Acting:
    """Put these blocks, bottom up. Where a figure stands nothing is put: it is tried again at the end.

    Args:
        thing: What they become: it grows with them.
    """
    left = [(place, block) for place, block in blocks.items() if here.world.get(place) != block]
    left.sort(key=lambda item: (item[0][1], item[0][0], item[0][2]))
    size = _FASTEST if len(left) > _MANY else AT_ONCE
    put_off: list[_Block] = []
    for some in _batches(left, size):
        put_off += yield from _changed(here, some, thing)
    if not put_off:
        return
    low, high = bounds(place for place, _ in put_off)
    yield from approach(here, low, high)
    still = 0
    for some in _batches(put_off, size):
        still += len((yield from _changed(here, some, thing)))
    if still:
        yield Say(f"I left out {still} {'block' if still == 1 else 'blocks'}: somebody stands there.")


def take_away(here: Situation, places: Iterable[Place]) -> Acting:
    """Take these blocks away, from the top down."""
    left = [place for place in places if here.world.inside(place) and here.world.get(place) != AIR]
    left.sort(key=lambda place: (-place[1], place[0], place[2]))
    size = _FASTEST if len(left) > _MANY else AT_ONCE
    for some in _batches(left, size):
        yield Edit(tuple((*place, AIR) for place in some))


def _changed(here: Situation, some: Sequence[_Block], thing: Known | None) -> Generator[Act, int | None, list[_Block]]:
    """Put a few blocks; returns those that had to wait for somebody to go away."""
    taken = here.world.figures()
    free = [(place, block) for place, block in some if place not in taken or block == AIR]
    if free:
        if thing is not None:
            here.memory.grow(thing, [place for place, block in free if block != AIR])
        yield Edit(tuple((*place, block) for place, block in free))
    return [(place, block) for place, block in some if place in taken and block != AIR]


def _batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
