"""How well a thing is what a description says: the clauses of a where_clause, held against one thing. Pure."""

from collections.abc import Sequence
from math import prod
from typing import Any

from annotation.logical_form import Form
from annotation.logical_form.phrases import dictionary
from annotation.voxels.table import AIR
from interaction.builder.counting import number_in
from interaction.builder.meanings import (
    SIZES,
    blocks_meant,
    colour_fit,
    colour_meant,
    is_anything,
    plain_words,
    singular,
    size_meant,
)
from interaction.builder.measures import Measures, Value
from interaction.builder.naming import noun_fit, size_of
from interaction.builder.things import Thing

LIKELY = 0.5
"""What fits a description less than this is not meant by it."""
_ABOUT = 0.7
"""A number that is one off."""
_MODIFIER = 0.8
"""A word before the noun of which nothing is known, "a tropical house"."""
_BY = {"agent": {"you", "your", "yours", "yourself"}, "worker": {"i", "me", "my", "mine", "myself"}}
_SHAPED = {
    **dict.fromkeys(("round", "circular", "spherical", "curved"), ("sphere", "circle", "dome")),
    "rectangular": ("rectangle", "rectanguloid"),
    "triangular": ("triangle",),
    "cubic": ("cube",),
    "square": ("square",),
    "pyramidal": ("pyramid",),
}
"""What things of a shape are."""


class Judge:
    """Holds clauses against things, for one command.

    Args:
        others: What there is: sizes are told beside them.
    """

    def __init__(self, measures: Measures, others: Sequence[Thing]) -> None:
        self.measures = measures
        self.others = others

    def fit(self, where: Any, thing: Thing, *, sizes: bool = True) -> float:
        """How well all clauses fit, 0 to 1; 1 where there are none.

        Args:
            sizes: Whether words for sizes count.
        """
        fits = [self._group(name, members, thing, sizes) for name, members in dictionary(where).items()]
        return prod(fits)

    def _group(self, operator: str, members: Any, thing: Thing, sizes: bool) -> float:
        clauses = [one for one in members if isinstance(one, dict)] if isinstance(members, list) else []
        if not clauses:
            return 1.0
        fits = [self._clause(one, thing, sizes) for one in clauses]
        match operator:
            case "OR":
                return max(fits)
            case "NOT":
                return 0.0 if max(fits) >= LIKELY else 1.0
            case _:
                return prod(fits)

    def _clause(self, clause: Form, thing: Thing, sizes: bool) -> float:
        if clause.keys() & {"AND", "OR", "NOT"}:
            return self.fit(clause, thing, sizes=sizes)
        if "comparison_type" in clause:
            return self._compared(clause, thing)
        words = self.measures.words(clause.get("obj_text"))
        return self.told(str(clause.get("pred_text")), words, thing, sizes=sizes) if words else 1.0

    # Properties --------------------------------------------------------------------------------------------------

    def told(self, name: str, words: Sequence[str], thing: Thing, *, sizes: bool = True) -> float:
        """How well a property (has_colour: red) is told of a thing; of what nobody can see, 1."""
        match name:
            case "has_name":
                return self._named(words, thing, sizes=sizes)
            case "has_colour":
                colour = colour_meant(words)
                return colour_fit(colour, thing.colours) if colour else self._tagged(words, thing, sizes=sizes)
            case "has_size":
                return self._sized(words, thing) if sizes else 1.0
            case "has_block_type":
                return self._made_of(words, thing)
            case "has_tag":
                return self._tagged(words, thing, sizes=sizes)
            case "has_shape":
                return self._shaped(words, thing)
            case "has_height" | "has_width" | "has_length" | "has_depth" | "has_thickness" | "has_radius":
                return self._long(name, words, thing)
        return 1.0

    def _named(self, words: Sequence[str], thing: Thing, *, sizes: bool = True) -> float:
        """A noun with whatever stands before it: "big red house"."""
        bare = plain_words(words)
        whole = " ".join(bare)
        if not bare or (whole in thing.names or whole in thing.tags):
            return 1.0
        fit = noun_fit(bare[-1], thing)
        if fit == 0 and len(bare) > 1:
            # "Cube one", "house thing": the last word says nothing.
            return self._named(bare[:-1], thing, sizes=sizes) if is_anything(bare[-1]) else 0.0
        return fit * prod(self._likened(word, thing, sizes=sizes) for word in bare[:-1])

    def _likened(self, word: str, thing: Thing, *, sizes: bool = True) -> float:
        """A word before the noun: a colour, a size, a material; or something else, which may be so."""
        if colour := colour_meant([word]):
            return max(colour_fit(colour, thing.colours), self._made_of([word], thing))
        if word in SIZES:
            return self._sized([word], thing) if sizes else 1.0
        if word in _SHAPED:
            return self._shaped([word], thing)
        if blocks_meant([word]):
            return self._made_of([word], thing)
        return 1.0 if word in thing.tags or is_anything(word) else _MODIFIER

    def _tagged(self, words: Sequence[str], thing: Thing, *, sizes: bool = True) -> float:
        """What somebody called it; or what can be seen of it, for people call that so too."""
        bare = plain_words(words)
        whole = " ".join(bare)
        if whole in thing.tags or whole in thing.names:
            return 1.0
        if thing.made_by and set(map(str.lower, words)) & _BY[thing.made_by]:
            return 1.0
        if bare and all(word in thing.tags for word in bare):
            return 0.9
        if not bare or self._is_invisible(bare):
            return 0.0
        if noun_fit(bare[-1], thing):
            return self._named(bare, thing, sizes=sizes)
        return prod(self._likened(word, thing, sizes=sizes) if self._is_look(word) else 0.0 for word in bare)

    def _is_invisible(self, bare: Sequence[str]) -> bool:
        """Whether none of these words tells what can be seen."""
        return not any(
            self._is_look(word) or any(noun_fit(word, one) for one in self.others if not is_anything(word))
            for word in bare
        )

    def _is_look(self, word: str) -> bool:
        return bool(colour_meant([word]) or word in SIZES or word in _SHAPED or blocks_meant([word]))

    def _made_of(self, words: Sequence[str], thing: Thing) -> float:
        if thing.count == 0 or not thing.materials:
            return 0.0
        wanted = blocks_meant(words)
        if not wanted:
            colour = colour_meant(words)
            return colour_fit(colour, thing.colours) if colour else 0.0
        share = sum(count for block, count in thing.materials.items() if block in wanted and block != AIR) / thing.count
        return 1.0 if share >= 0.5 else 0.7 if share >= 0.2 else 0.0

    def _sized(self, words: Sequence[str], thing: Thing) -> float:
        wanted = size_meant(words)
        if wanted is None:
            return 1.0
        said = size_of(thing, self.others)
        if SIZES.get(said, said) == wanted:
            return 1.0
        # "The big one" of two that are nearly alike is the bigger.
        sides = [max(one.box) for one in self.others if one.is_hole == thing.is_hole]
        if sides and min(sides) < max(sides) and wanted != "medium":
            return 0.6 if max(thing.box) == (max(sides) if wanted == "big" else min(sides)) else 0.0
        return 0.0

    def _shaped(self, words: Sequence[str], thing: Thing) -> float:
        kinds = [kind for word in plain_words(words) for kind in _SHAPED.get(word, (singular(word),))]
        return max((noun_fit(kind, thing) for kind in kinds), default=1.0)

    def _long(self, name: str, words: Sequence[str], thing: Thing) -> float:
        wanted = number_in(" ".join(words))
        if wanted is None:
            return self._sized(words, thing)
        width, height, depth = thing.box
        sides = {"has_height": (height,), "has_depth": (height, depth, width) if thing.is_hole else (depth, width)}
        sides |= {"has_thickness": (min(width, depth),), "has_radius": (max(width, depth) // 2,)}
        off = min(abs(side - wanted) for side in sides.get(name, (width, depth)))
        return 1.0 if off == 0 else _ABOUT if off == 1 and wanted > 3 else 0.0

    # Comparisons -------------------------------------------------------------------------------------------------

    def _compared(self, clause: Form, thing: Thing) -> float:
        left, right = (self._operand(clause.get(name), thing) for name in ("input_left", "input_right"))
        if left is None or right is None:
            return 0.0
        return float(compares(clause.get("comparison_type"), left, right))

    def _operand(self, value: Any, thing: Thing) -> Value:
        inside = dictionary(value)
        if "attribute" in inside:
            return self.measures.of(thing, inside["attribute"])
        if "filters" in inside:
            filters = dictionary(inside["filters"])
            attribute = dictionary(filters.get("output")).get("attribute")
            # Filters that describe nothing are about the thing itself.
            of = self.measures.look_up({"reference_object": {"filters": filters}}) if len(filters) > 1 else (thing,)
            return self.measures.of(of[0], attribute) if of else None
        words = " ".join(self.measures.words(inside.get("value", value)))
        number = number_in(words)
        return words or None if number is None else float(number)


def compares(kind: Any, left: float | str, right: float | str) -> bool:
    """Whether two values compare so; numbers with words never do."""
    if isinstance(left, str) or isinstance(right, str):
        same = isinstance(left, str) and isinstance(right, str) and left.lower() == right.lower()
        return same if kind == "EQUAL" else not same if kind == "NOT_EQUAL" else False
    match kind:
        case "EQUAL":
            return left == right
        case "NOT_EQUAL":
            return left != right
        case "GREATER_THAN":
            return left > right
        case "LESS_THAN":
            return left < right
        case "GREATER_THAN_EQUAL":
            return left >= right
        case "LESS_THAN_EQUAL":
            return left <= right
    return abs(left - right) <= max(1.0, 0.2 * abs(right))
