"""What the agent can build: each kind by name, in sizes from tiny to huge or in sizes that were asked for.

A plan says which block goes where, counted from the least corner of its box.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from annotation.voxels import shapes
from annotation.voxels.shapes import Plane, Voxels
from annotation.voxels.table import AIR
from interaction.builder.acts import CannotDo, Place, Why

Plan = Mapping[Place, int]
"""The block at each place; air where something must stay open."""
ROOF, PANE = 18, 68
_GRADE = {
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
    """How large something should be; what nobody said is None.

    `grade` is 0 (tiny) to 4 (huge), 2 where no word says it. Measures are in blocks; width goes across as the worker
    sees it, depth away from them.
    """

    grade: int = 2
    height: int | None = None
    width: int | None = None
    depth: int | None = None
    radius: int | None = None
    side: int | None = None

    def across(self, usual: int) -> int:
        """The width if one is known."""
        return self.width or self.side or (2 * self.radius + 1 if self.radius else None) or self.depth or usual

    def up(self, usual: int) -> int:
        return self.height or self.side or usual

    def along(self, usual: int) -> int:
        return self.depth or self.side or self.width or usual

    def around(self, usual: int) -> int:
        """The radius if one is known, or follows from how wide or high it is."""
        wide = self.width or self.side or self.depth or self.height
        return self.radius or (max(wide // 2, 1) if wide else usual)

    def within(self, most: int) -> "Sizes":
        """The same, no measure larger than `most`."""
        return self._with(lambda value: max(min(value, most), 1))

    def smaller(self) -> "Sizes":
        """A little smaller; itself where it cannot be."""
        less = self._with(lambda value: max(value * 4 // 5, 1))
        return less if less != self else replace(self, grade=max(self.grade - 1, 0))

    def _with(self, change: Callable[[int], int]) -> "Sizes":
        names = ("height", "width", "depth", "radius", "side")
        return replace(self, **{name: change(value) for name in names if (value := getattr(self, name)) is not None})


def grade_of(words: str) -> int | None:
    """How large a word like "big" is, 0 to 4; None if it is no word for a size."""
    words = words.lower().strip()
    return _GRADE[words] if words in _GRADE else next((_GRADE[one] for one in words.split() if one in _GRADE), None)


Maker = Callable[[Sizes, Plane], Voxels]


def _pick(sizes: Sizes, *usual: int) -> int:
    """The usual measure for the grade, of tiny to huge."""
    return usual[sizes.grade]


def _cube(s: Sizes, plane: Plane) -> Voxels:
    return shapes.cube(s.side or s.width or s.height or s.depth or _pick(s, 1, 2, 3, 5, 7))


def _box(s: Sizes, plane: Plane) -> Voxels:
    sides = (
        s.across(_pick(s, 2, 3, 4, 6, 9)),
        s.up(_pick(s, 1, 2, 3, 4, 6)),
        s.depth or s.side or _pick(s, 1, 2, 2, 4, 5),
    )
    return _turned(sides, plane)


def _turned(sides: tuple[int, int, int], plane: Plane) -> Voxels:
    """A box whose width goes across, as somebody sees it who looks at that plane."""
    width, height, depth = sides
    return shapes.rectanguloid(depth, height, width) if plane == "yz" else shapes.rectanguloid(width, height, depth)


def _sphere(s: Sizes, plane: Plane) -> Voxels:
    return shapes.sphere(s.around(_pick(s, 1, 2, 3, 4, 6)))


def _pyramid(s: Sizes, plane: Plane) -> Voxels:
    if s.height and not (s.width or s.radius):
        return shapes.pyramid(max(s.height - 1, 1))
    return shapes.pyramid(s.around(_pick(s, 1, 2, 3, 5, 7)))


def _square(s: Sizes, plane: Plane) -> Voxels:
    return shapes.square(s.side or s.width or s.height or s.depth or _pick(s, 2, 3, 4, 6, 9), plane)


def _rectangle(s: Sizes, plane: Plane) -> Voxels:
    return shapes.rectangle(s.across(_pick(s, 2, 3, 5, 7, 11)), s.up(_pick(s, 1, 2, 3, 4, 6)), plane)


def _circle(s: Sizes, plane: Plane) -> Voxels:
    return shapes.circle(s.around(_pick(s, 1, 2, 3, 5, 7)), plane)


def _triangle(s: Sizes, plane: Plane) -> Voxels:
    if s.height:
        return shapes.triangle(max(s.height - 1, 1), plane)
    return shapes.triangle(s.around(_pick(s, 1, 2, 3, 5, 7)), plane)


def _dome(s: Sizes, plane: Plane) -> Voxels:
    radius = s.radius or s.height or s.around(_pick(s, 2, 3, 4, 5, 7))
    return shapes.dome(radius, 2 if radius > 2 else 1)


def _arch(s: Sizes, plane: Plane) -> Voxels:
    span = (s.width or s.side or _pick(s, 5, 7, 7, 9, 11) + 2) - 2
    span = max(span | 1, 1)
    height = max((s.height or 0) - span // 2 - 1, 1) if s.height else _pick(s, 1, 2, 2, 3, 5)
    return shapes.arch(height, span, "yz" if plane == "yz" else "xy")


def _tower(s: Sizes, plane: Plane) -> Voxels:
    wide = s.across(_pick(s, 1, 1, 2, 3, 4)) if s.width or s.side or s.depth or s.radius else _pick(s, 1, 1, 2, 3, 4)
    return _turned((wide, s.height or _pick(s, 3, 5, 7, 10, 15), s.along(wide)), plane)


def _column(s: Sizes, plane: Plane) -> Voxels:
    return _turned((s.width or 1, s.height or s.depth or _pick(s, 2, 3, 5, 8, 12), s.width or 1), plane)


def _wall(s: Sizes, plane: Plane) -> Voxels:
    return _turned((s.width or s.side or _pick(s, 3, 4, 6, 9, 13), s.up(_pick(s, 2, 2, 3, 4, 6)), s.depth or 1), plane)


def _row(s: Sizes, plane: Plane) -> Voxels:
    return _turned((s.width or s.depth or s.side or _pick(s, 2, 3, 5, 8, 12), s.height or 1, 1), plane)


def _floor(s: Sizes, plane: Plane) -> Voxels:
    return _turned((s.across(_pick(s, 2, 3, 5, 7, 11)), s.height or 1, s.along(_pick(s, 2, 3, 5, 7, 11))), plane)


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
"""Everything the agent can build, by name."""
_SAME = {
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
    """The kind that somebody means; None if the agent can build no such thing.

    >>> kind_named("cubes"), kind_named("brick house"), kind_named("boxes"), kind_named("camel")
    ('cube', 'house', 'cube', None)
    """
    for word in reversed(words.lower().split()):
        for one in (word, word.removesuffix("s"), word.removesuffix("es")):
            kind = _SAME.get(one, one)
            if kind in KINDS:
                return kind
    return None


def plan_of(kind: str, sizes: Sizes, block: int, plane: Plane = "xy") -> Plan:
    """Which block goes where in a thing of this kind.

    Args:
        kind: One of KINDS.
        block: What it is made of.
        plane: As the worker sees it: flat things stand upright across x (xy) or z (yz), or lie on the ground (xz).

    Raises:
        CannotDo: there is no such kind.
    """
    if kind == HOUSE:
        return _house(sizes, block, plane)
    if kind not in _MAKERS:
        raise CannotDo(f"I do not know what {a(kind)} looks like.", Why.UNKNOWN_KIND)
    return dict.fromkeys(((x, y, z) for x, y, z in _MAKERS[kind](sizes, plane).tolist()), block)


def _house(sizes: Sizes, block: int, plane: Plane) -> Plan:
    """Four walls with a door towards the worker and two windows, a floor of the same, and a roof with a rim inside."""
    width = max(sizes.across(_pick(sizes, 4, 5, 6, 8, 11)), 3)
    depth = max(sizes.along(_pick(sizes, 4, 5, 5, 7, 9)), 3)
    walls = max(sizes.up(_pick(sizes, 3, 4, 4, 5, 7)) - 1, 2)
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


def a(word: str) -> str:
    """The word with its article: a cube, an arch."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"
