"""The options of the scene generator."""

from dataclasses import dataclass

from lib.voxels.mask import Size
from lib.voxels.objects import HOLE, KINDS, forms_within
from lib.voxels.table import AIR, MOST_AXIS, MOST_BLOCKS, PALETTE

DIRT, GRASS = 9, 8
FIGURE = 2
"""The height of the agent and the player, in blocks."""
MATERIALS = (*range(47, 62), 66, 67)
"""All wool except white; gold and iron."""
MOST_SHAPES = MOST_HOLES = 8
MOST_PER_SCENE = 20
MOST_SEED = 2**32 - 1


class BadOption(ValueError):
    """The option `name` has a value that is not valid."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name


@dataclass(frozen=True)
class Options:
    """The options; the constructor checks them and raises BadOption.

    Attributes:
        size: Sides of the scene in blocks (x and z are the ground); the defaults are those of the paper's generator.
        ground_depth: Layers of ground: the top one is grass, the others are dirt.
        shapes: Least and greatest number of objects; all numbers are equally likely. There are fewer where there is no
            space.
        holes: Least and greatest number of holes in the ground.
        kinds: Shapes of objects.
        materials: Block ids of objects; all are equally likely.
        negatives: Share of examples whose phrase means no object of the scene.
        per_scene: Number of examples for each scene, all with different phrases; fewer where no phrases are left.
        gap: Free columns around each object; with 0 objects may touch. They never overlap.
    """

    size: Size = (17, 13, 17)
    ground_depth: int = 5
    shapes: tuple[int, int] = (1, 3)
    holes: tuple[int, int] = (0, 0)
    kinds: tuple[str, ...] = KINDS
    materials: tuple[int, ...] = MATERIALS
    negatives: float = 0.2
    per_scene: int = 1
    gap: int = 1

    def __post_init__(self) -> None:
        self._check_room()
        _check_range("shapes", self.shapes, least=1, most=MOST_SHAPES)
        _check_range("holes", self.holes, least=0, most=MOST_HOLES)
        if not self.kinds or set(self.kinds) - set(KINDS) or len(set(self.kinds)) < len(self.kinds):
            raise BadOption("kinds", f"Kinds are some of {', '.join(KINDS)}, each once.")
        buildable = set(PALETTE) - {AIR, DIRT, GRASS}
        if not self.materials or set(self.materials) - buildable or len(set(self.materials)) < len(self.materials):
            raise BadOption("materials", "Materials are ids of the palette, each once, but not dirt, grass or air.")
        if not 0 <= self.negatives <= 1:
            raise BadOption("negatives", "The share of negatives is from 0 to 1.")
        if not 1 <= self.per_scene <= MOST_PER_SCENE:
            raise BadOption("per_scene", f"A scene has 1 to {MOST_PER_SCENE} examples.")
        if not 0 <= self.gap <= MOST_AXIS:
            raise BadOption("gap", f"The gap is from 0 to {MOST_AXIS}.")
        if not any(forms_within(kind, **self.room) for kind in self.kinds):
            raise BadOption("size", "No object of these kinds has room above the ground.")

    @property
    def room(self) -> dict[str, int]:
        """The space above the ground: width, height and depth in blocks."""
        return {"width": self.size[0], "height": self.size[1] - self.ground_depth, "depth": self.size[2]}

    @property
    def spoken_shapes(self) -> tuple[str, ...]:
        """Kinds that a negative may name: all of them, so there is always one that is not in the scene."""
        return (*KINDS, HOLE) if self.holes[1] else KINDS

    @property
    def spoken_colours(self) -> tuple[str, ...]:
        """Colour words that a negative may name: those of the default materials and of `materials`."""
        return tuple(dict.fromkeys(PALETTE[material].word for material in (*MATERIALS, *self.materials)))

    def _check_room(self) -> None:
        if not all(1 <= side <= MOST_AXIS for side in self.size):
            raise BadOption("size", f"A side has 1 to {MOST_AXIS} blocks.")
        if self.size[0] * self.size[1] * self.size[2] > MOST_BLOCKS:
            raise BadOption("size", f"There is room for at most {MOST_BLOCKS} blocks.")
        if not 1 <= self.ground_depth <= self.size[1] - FIGURE:
            raise BadOption("ground_depth", f"The ground is 1 deep or more and leaves {FIGURE} blocks above it.")


def _check_range(name: str, value: tuple[int, int], *, least: int, most: int) -> None:
    low, high = value
    if not least <= low <= high <= most:
        raise BadOption(name, f"This is the least and the greatest number, from {least} to {most}.")


def range_of(name: str, text: str) -> tuple[int, int]:
    """Parse `1-3`, or `2` for exactly two.

    Raises:
        BadOption: the text has neither form.
    """
    low, dash, high = text.partition("-")
    if not _is_number(low) or (dash and not _is_number(high)):
        raise BadOption(name, "Write the least and the greatest number, such as 1-3.")
    return int(low), int(high if dash else low)


def size_of(text: str) -> Size:
    """Parse the sides `17,13,17`.

    Raises:
        BadOption: the text does not have this form.
    """
    sides = text.split(",")
    if len(sides) != 3 or not all(map(_is_number, sides)):
        raise BadOption("size", "Write the sides along x, y and z, such as 17,13,17.")
    x, y, z = map(int, sides)
    return x, y, z


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
