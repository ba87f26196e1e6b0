"""Where things stand in a drawing by layers, top down: in which order within each layer, and how far to the right.

Every link leads from one layer to the next. Nothing overlaps, and what is linked stands as near to above one another
as that allows. The same items give the same drawing, always.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

PASSES = 12
"""How often things are moved towards what they are linked with; later ones change next to nothing."""


class Item(NamedTuple):
    """A thing to place. Those of one `group` in a layer stay together, in the order in which they are given."""

    name: str
    layer: int
    width: int
    group: str = ""


Links = Sequence[tuple[str, str]]
"""From an item to one of the next layer, by name."""


def placed(items: Sequence[Item], links: Links, *, gap: int) -> dict[str, int]:
    """The left edge of each item by its name; the leftmost of all is at 0.

    Args:
        gap: What stays free between two neighbours, at least.

    >>> placed([Item("a", 0, 10), Item("b", 1, 10), Item("c", 1, 10)], [("a", "b"), ("a", "c")], gap=4)
    {'a': 7, 'b': 0, 'c': 14}
    """
    above: dict[str, list[str]] = {item.name: [] for item in items}
    below: dict[str, list[str]] = {item.name: [] for item in items}
    for upper, lower in links:
        above[lower].append(upper)
        below[upper].append(lower)
    layers = ordered(items, above)
    centres = _apart(layers, above, below, gap)
    left = {item.name: round(centres[item.name] - item.width / 2) for layer in layers for item in layer}
    for layer in layers:
        # Rounding may have taken a pixel from between two.
        for one, other in pairwise(layer):
            left[other.name] = max(left[other.name], left[one.name] + one.width + gap)
    least = min(left.values(), default=0)
    return {item.name: left[item.name] - least for item in items}


def ordered(items: Sequence[Item], above: Mapping[str, Sequence[str]]) -> list[list[Item]]:
    """The layers from the top, each from left to right: things stand in the order of what leads to them."""
    count = max((item.layer for item in items), default=-1) + 1
    layers: list[list[Item]] = [[] for _ in range(count)]
    for item in items:
        layers[item.layer].append(item)
    share: dict[str, float] = {}
    for layer in layers:
        groups: dict[str, list[Item]] = {}
        for item in layer:
            groups.setdefault(item.group or f"\0{item.name}", []).append(item)
        # Sorting is stable, so what nothing leads to, and ties, keep the order in which they were given.
        in_place = sorted(groups.values(), key=lambda group: _mean([share[up] for up in above[group[0].name]], 1.0))
        layer[:] = [item for group in in_place for item in group]
        for number, item in enumerate(layer):
            share[item.name] = (number + 0.5) / len(layer)
    return layers


def _apart(
    layers: Sequence[Sequence[Item]], above: Mapping[str, list[str]], below: Mapping[str, list[str]], gap: int
) -> dict[str, float]:
    """The centre of each item: down and up again, each layer moves to below, then above, what it is linked with."""
    centres: dict[str, float] = {}
    for layer in layers:
        width = sum(item.width + gap for item in layer)
        at = -width / 2
        for item in layer:
            centres[item.name] = at + item.width / 2
            at += item.width + gap
    both = {name: above[name] + below[name] for name in above}
    for number in range(PASSES):
        ways = [(layers, above), (layers[::-1], below)] if number < PASSES // 2 else [(layers, both)]
        for sequence, linked in ways:
            for layer in sequence:
                wanted = [_mean([centres[name] for name in linked[item.name]], centres[item.name]) for item in layer]
                for item, centre in zip(layer, nearest(wanted, [i.width for i in layer], gap), strict=True):
                    centres[item.name] = centre
    return centres


def nearest(wanted: Sequence[float], widths: Sequence[int], gap: int) -> list[float]:
    """The centres in this order that are least far from where they are wanted (squares), without any overlap.

    What collides becomes one block, whose place is the mean of its members': isotonic regression.

    >>> nearest([0, 0, 100], [10, 10, 10], 2)
    [-6.0, 6.0, 100.0]
    """
    offsets, at = [], 0.0
    for number, width in enumerate(widths):
        at += (widths[number - 1] + width) / 2 + gap if number else 0.0
        offsets.append(at)
    blocks: list[tuple[float, int]] = []
    for centre, offset in zip(wanted, offsets, strict=True):
        total, count = centre - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before = blocks.pop()
            total, count = total + before[0], count + before[1]
        blocks.append((total, count))
    free = [total / count for total, count in blocks for _ in range(count)]
    return [place + offset for place, offset in zip(free, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
