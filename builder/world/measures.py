"""Measures of things: height, distance, age, number of blocks. Rankings, comparisons and answers use them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from builder.meaning.lexicon import blocks_meant, colour_meant
from builder.world.frames import LEVEL, between_middles, gap_between, step_of
from builder.world.memory import Memory
from builder.world.names import blocks_of, colour_of, name_of
from builder.world.things import Thing, figure_of
from builder.world.world import World
from lib.logical_form import Form
from lib.logical_form.english.phrases import dictionary
from lib.logical_form.spans import is_span, pieces_of
from lib.voxels.table import PALETTE

LookUp = Callable[[Form], Sequence[Thing]]
"""The things that an END of the grammar means, best first."""
Value = float | str | None
"""A measured number, a word, or None."""


class Measures:
    """Measures things for one command.

    Args:
        tokens: The words of the command.
        look_up: Finds the things that distances are measured from.
    """

    def __init__(self, world: World, memory: Memory, tokens: Sequence[str], look_up: LookUp) -> None:
        self.world = world
        self.memory = memory
        self.tokens = tokens
        self.look_up = look_up

    def of(self, thing: Thing, attribute: Any) -> Value:
        """An attribute of a thing, as the grammar defines attributes.

        Distances are in blocks. Ages are numbers of commands, 0 for things from before the session. SIZE is the number
        of cells of the box.

        Args:
            attribute: A word such as HEIGHT, or {"linear_extent": …} or {"num_blocks": …}.
        """
        inside = dictionary(attribute)
        if "linear_extent" in inside:
            return self._distance(thing, dictionary(inside["linear_extent"]))
        if "num_blocks" in inside:
            filters = dictionary(dictionary(inside["num_blocks"]).get("block_filters"))
            return float(self.blocks_like(thing, filters.get("where_clause")))
        width, height, depth = thing.box
        match attribute:
            case "HEIGHT":
                return float(height)
            case "WIDTH":
                return float(max(width, depth))
            case "SIZE":
                return float(width * height * depth)
            case "X" | "Y" | "Z":
                return thing.middle["XYZ".index(attribute)]
            case "BORN_TIME" | "MODIFY_TIME" | "FINISHED_TIME":
                return self._age(thing)
            case "COLOUR":
                return colour_of(thing)
            case "NAME" | "REF_TYPE":
                return name_of(thing)
            case "TAG":
                return ", ".join(sorted(thing.tags)) or None
            case "BLOCK_TYPE":
                return next(iter(blocks_of(thing)), None)
        return None

    def words(self, value: Any) -> list[str]:
        """The words of a span, or of a fixed value; none for anything else."""
        if is_span(value):
            return [word for first, last in pieces_of(value) for word in self.tokens[first : last + 1]]
        return str(dictionary(value).get("fixed_value", "")).lower().split()

    def blocks_like(self, thing: Thing, where: Any) -> int:
        """The number of a thing's blocks with the colour and the material of these clauses."""
        wanted = set(PALETTE)
        for clause in _clauses(where):
            words = self.words(clause.get("obj_text"))
            if clause.get("pred_text") == "has_colour":
                wanted &= {block for block, one in PALETTE.items() if one.word == colour_meant(words)}
            elif clause.get("pred_text") == "has_block_type":
                wanted &= blocks_meant(words)
        return sum(count for block, count in thing.materials.items() if block in wanted)

    def _age(self, thing: Thing) -> float:
        # Of two things of one command the one made later is newer.
        places = [place for place, one in enumerate(self.memory.known, 1) if one in thing.known and one.by]
        return thing.made_in + max(places, default=0) / 1000

    def _distance(self, thing: Thing, extent: Form) -> float | None:
        """The distance from the thing to the given end, or between both ends. The default end is the worker."""
        ends = [self.look_up(dictionary(extent[name])) for name in ("source", "destination") if name in extent]
        found = [end[0] for end in ends if end]
        if len(found) < len(ends):
            return None
        if len(found) == 2:
            return distance_between(found[0], found[1])
        of = found[0] if found else figure_of(self.world, "worker")
        direction = extent.get("relative_direction")
        if direction in (*LEVEL, "UP", "DOWN"):
            step = step_of(self.world, str(direction), of)
            return sum((there - here) * one for here, there, one in zip(of.middle, thing.middle, step, strict=True))
        return distance_between(thing, of)


def distance_between(thing: Thing, of: Thing) -> float:
    """The number of blocks between two things. A thousandth of the middles' distance decides between equal numbers."""
    return gap_between(thing, of) + between_middles(thing, of) / 1000


def _clauses(where: Any) -> Iterator[Form]:
    for members in dictionary(where).values():
        if isinstance(members, list):
            yield from (one for one in members if isinstance(one, dict))
