"""Plans of everything that the agent can build, for each kind in sizes from tiny to huge or in given measures.

A plan gives the block for each place, counted from the least corner of its box.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from builder.acting.acts import CannotDo, Place, Reason
from builder.world.names import with_article
from lib.voxels import shapes
from lib.voxels.shapes import Plane, Voxels
from lib.voxels.table import AIR

Plan = Mapping[Place, int]
"""The block at each place; air where the place must stay empty."""
ROOF, PANE = 18, 68
_GRADES = {
    **dict.fromkeys(("tiny", "mini", "miniature", "teeny", "very small", "really small", "very tiny"), 0),
    **dict.fromkeys(("small", "little", "short", "low", "narrow", "thin", "shallow"), 1),
    **dict.fromkeys(("medium", "average", "medium-sized", "medium sized", "normal"), 2),
    **dict.fromkeys(("big", "large", "tall", "high", "wide", "long", "great", "thick", "deep"), 3),
    **dict.fromkeys(("huge", "giant", "gigantic", "enormous", "massive", "vast"), 4),
    **{
        f"{how} {big}": 4
        for how in ("very", "really", "super", "extremely")
        for big in ("big", "large", "tall", "high")
    },
}


@dataclass(frozen=True)
class Sizes:
    """How large a thing should be; a measure that is not known is None.

    `grade` is 0 (tiny) to 4 (huge), 2 where no word says it. Measures are in blocks. Width runs from left to right as
    the worker sees the thing, depth away from the worker.
    """

    grade: int = 2
    height: int | None = None
    width: int | None = None
    depth: int | None = None
    radius: int | None = None
    side: int | None = None

    def width_or(self, usual: int) -> int:
        """The width, derived from other measures if necessary; `usual` where none is known."""
        return self.width or self.side or (2 * self.radius + 1 if self.radius else None) or self.depth or usual

    def height_or(self, usual: int) -> int:
        return self.height or self.side or usual

    def depth_or(self, usual: int) -> int:
        return self.depth or self.side or self.width or usual

    def radius_or(self, usual: int) -> int:
        """The radius, derived from other measures if necessary; `usual` where none is known."""
        wide = self.width or self.side or self.depth or self.height
        return self.radius or (max(wide // 2, 1) if wide else usual)

    def limited_to(self, most: int) -> "Sizes":
        """The same sizes, with no measure above `most`."""
        return self._with(lambda value: max(min(value, most), 1))

    def smaller(self) -> "Sizes":
        """Slightly smaller sizes; the same where that is not possible."""
        less = self._with(lambda value: max(value * 4 // 5, 1))
        return less if less != self else replace(self, grade=max(self.grade - 1, 0))

    def _with(self, change: Callable[[int], int]) -> "Sizes":
        names = ("height", "width", "depth", "radius", "side")
        return replace(self, **{name: change(value) for name in names if (value := getattr(self, name)) is not None})


def grade_of(words: str) -> int | None:
    """The grade, 0 to 4, of a word such as "big"; None if it is no word for a size."""
    words = words.lower().strip()
    return _GRADES[words] if words in _GRADES else next((_GRADES[one] for one in words.split() if one in _GRADES), None)


Maker = Callable[[Sizes, Plane], Voxels]


def _pick(sizes: Sizes, *usual: int) -> int:
    """The usual measure for the grade, from tiny to huge."""
    return usual[sizes.grade]


def _cube(s: Sizes, plane: Plane) -> Voxels:
    return shapes.cube(s.side or s.width or s.height or s.depth or _pick(s, 1, 2, 3, 5, 7))


def _box(s: Sizes, plane: Plane) -> Voxels:
    sides = (
        s.width_or(_pick(s, 2, 3, 4, 6, 9)),
        s.height_or(_pick(s, 1, 2, 3, 4, 6)),
        s.depth or s.side or _pick(s, 1, 2, 2, 4, 5),
    )
    return _oriented_box(sides, plane)


def _oriented_box(sides: tuple[int, int, int], plane: Plane) -> Voxels:
    """A box whose width lies in the given plane."""
    width, height, depth = sides
    return shapes.rectanguloid(depth, height, width) if plane == "yz" else shapes.rectanguloid(width, height, depth)


def _sphere(s: Sizes, plane: Plane) -> Voxels:
    return shapes.sphere(s.radius_or(_pick(s, 1, 2, 3, 4, 6)))


def _pyramid(s: Sizes, plane: Plane) -> Voxels:
    if s.height and not (s.width or s.radius):
        return shapes.pyramid(max(s.height - 1, 1))
    return shapes.pyramid(s.radius_or(_pick(s, 1, 2, 3, 5, 7)))


def _square(s: Sizes, plane: Plane) -> Voxels:
    return shapes.square(s.side or s.width or s.height or s.depth or _pick(s, 2, 3, 4, 6, 9), plane)


def _rectangle(s: Sizes, plane: Plane) -> Voxels:
    return shapes.rectangle(s.width_or(_pick(s, 2, 3, 5, 7, 11)), s.height_or(_pick(s, 1, 2, 3, 4, 6)), plane)


def _circle(s: Sizes, plane: Plane) -> Voxels:
    return shapes.circle(s.radius_or(_pick(s, 1, 2, 3, 5, 7)), plane)


def _triangle(s: Sizes, plane: Plane) -> Voxels:
    if s.height:
        return shapes.triangle(max(s.height - 1, 1), plane)
    return shapes.triangle(s.radius_or(_pick(s, 1, 2, 3, 5, 7)), plane)


def _dome(s: Sizes, plane: Plane) -> Voxels:
    radius = s.radius or s.height or s.radius_or(_pick(s, 2, 3, 4, 5, 7))
    return shapes.dome(radius, 2 if radius > 2 else 1)


def _arch(s: Sizes, plane: Plane) -> Voxels:
    span = (s.width or s.side or _pick(s, 5, 7, 7, 9, 11) + 2) - 2
    span = max(span | 1, 1)
    height = max((s.height or 0) - span // 2 - 1, 1) if s.height else _pick(s, 1, 2, 2, 3, 5)
    return shapes.arch(height, span, "yz" if plane == "yz" else "xy")


def _tower(s: Sizes, plane: Plane) -> Voxels:
    wide = s.width_or(_pick(s, 1, 1, 2, 3, 4)) if s.width or s.side or s.depth or s.radius else _pick(s, 1, 1, 2, 3, 4)
    return _oriented_box((wide, s.height or _pick(s, 3, 5, 7, 10, 15), s.depth_or(wide)), plane)


def _column(s: Sizes, plane: Plane) -> Voxels:
    return _oriented_box((s.width or 1, s.height or s.depth or _pick(s, 2, 3, 5, 8, 12), s.width or 1), plane)


def _wall(s: Sizes, plane: Plane) -> Voxels:
    return _oriented_box(
        (s.width or s.side or _pick(s, 3, 4, 6, 9, 13), s.height_or(_pick(s, 2, 2, 3, 4, 6)), s.depth or 1), plane
    )


def _row(s: Sizes, plane: Plane) -> Voxels:
    return _oriented_box((s.width or s.depth or s.side or _pick(s, 2, 3, 5, 8, 12), s.height or 1, 1), plane)


def _floor(s: Sizes, plane: Plane) -> Voxels:
    return _oriented_box(
        (s.width_or(_pick(s, 2, 3, 5, 7, 11)), s.height or 1, s.depth_or(_pick(s, 2, 3, 5, 7, 11))), plane
    )


def _stairs(s: Sizes, plane: Plane) -> Voxels:
    steps, wide = s.height or s.depth or _pick(s, 2, 3, 4, 6, 9), s.width or 2
    box = shapes.rectanguloid(wide, steps, steps)
    rising: Voxels = box[box[:, 1] <= box[:, 2]]
    return rising[:, [2, 1, 0]] if plane == "yz" else rising


def _block(s: Sizes, plane: Plane) -> Voxels:
    return shapes.cube(1)


_MAKERS: dict[str, Maker] = {
    "cube": _cube,
    "rectanguloid": _box,
    "sphere": _sphere,
    "pyramid": _pyramid,
    "square": _square,
    "rectangle": _rectangle,
    "circle": _circle,
    "triangle": _triangle,
    "dome": _dome,
    "arch": _arch,
    "tower": _tower,
    "wall": _wall,
    "column": _column,
    "row": _row,
    "floor": _floor,
    "stairs": _stairs,
    "block": _block,
}
HOUSE = "house"
KINDS = (*_MAKERS, HOUSE)
"""The names of everything that the agent can build."""
_SYNONYMS = {
    "box": "cube",
    "dice": "cube",
    "die": "cube",
    "cuboid": "rectanguloid",
    "prism": "rectanguloid",
    "brick": "rectanguloid",
    "ball": "sphere",
    "globe": "sphere",
    "orb": "sphere",
    "ring": "circle",
    "pillar": "column",
    "pole": "column",
    "post": "column",
    "stack": "column",
    "skyscraper": "tower",
    "fence": "wall",
    "barrier": "wall",
    "line": "row",
    "road": "row",
    "path": "row",
    "platform": "floor",
    "stair": "stairs",
    "staircase": "stairs",
    "home": "house",
    "hut": "house",
    "shack": "house",
    "shelter": "house",
    "cabin": "house",
    "cottage": "house",
    "building": "house",
    "archway": "arch",
    "gate": "arch",
    "round": "circle",
    "circular": "circle",
    "triangular": "triangle",
    "rectangular": "rectangle",
}


def kind_named(words: str) -> str | None:
    """The kind that these words name; None if the agent cannot build it.

    >>> kind_named("cubes"), kind_named("brick house"), kind_named("boxes"), kind_named("camel")
    ('cube', 'house', 'cube', None)
    """
    for word in reversed(words.lower().split()):
        for one in (word, word.removesuffix("s"), word.removesuffix("es")):
            kind = _SYNONYMS.get(one, one)
            if kind in KINDS:
                return kind
    return None


def plan_of(kind: str, sizes: Sizes, block: int, plane: Plane = "xy") -> Plan:
    """The plan of a thing of this kind.

    Args:
        kind: One of KINDS.
        block: The block id to build it from.
        plane: The plane of a flat thing: upright along x (xy), upright along z (yz), or on the ground (xz).

    Raises:
        CannotDo: The kind is unknown.
    """
    if kind == HOUSE:
        return _house(sizes, block, plane)
    if kind not in _MAKERS:
        raise CannotDo(f"I do not know what {with_article(kind)} looks like.", Reason.UNKNOWN_KIND)
    return dict.fromkeys(((x, y, z) for x, y, z in _MAKERS[kind](sizes, plane).tolist()), block)


def _house(sizes: Sizes, block: int, plane: Plane) -> Plan:
    """Four walls with a door towards the worker and two windows, and a roof with a second layer inside its rim."""
    width = max(sizes.width_or(_pick(sizes, 4, 5, 6, 8, 11)), 3)
    depth = max(sizes.depth_or(_pick(sizes, 4, 5, 5, 7, 9)), 3)
    walls = max(sizes.height_or(_pick(sizes, 3, 4, 4, 5, 7)) - 1, 2)
    found: dict[Place, int] = {}
    for x in range(width):
        for z in range(depth):
            rim = x in (0, width - 1) or z in (0, depth - 1)
            for y in range(walls):
                if rim:
                    found[x, y, z] = block
            found[x, walls, z] = ROOF
            if not rim and width > 4 and depth > 4:
                found[x, walls + 1, z] = ROOF
    door, middle = width // 2, depth // 2
    for y in (0, 1):
        found[door, y, 0] = AIR
    if walls > 2:
        found[0, 1, middle] = found[width - 1, 1, middle] = PANE
    return {(z, y, x): one for (x, y, z), one in found.items()} if plane == "yz" else found
