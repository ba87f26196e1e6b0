"""The fit between a thing and the clauses of a where_clause, as a number from 0 to 1."""

from collections.abc import Sequence
from math import prod
from typing import Any

from builder.meaning.lexicon import (
    SIZES,
    blocks_meant,
    colour_fit,
    colour_meant,
    is_anything,
    plain_words,
    singular,
    size_meant,
)
from builder.meaning.numbers import number_in
from builder.world.measures import Measures, Value
from builder.world.names import noun_fit, size_of
from builder.world.things import Thing
from lib.logical_form import Form
from lib.logical_form.english.phrases import dictionary
from lib.voxels.table import AIR

LIKELY = 0.5
"""The least fit at which a description can mean a thing."""
_ABOUT = 0.7
"""The fit of a number that differs by one."""
_MODIFIER = 0.8
"""The fit of an unknown word before the noun, as in "a tropical house"."""
_MAKER_WORDS = {"agent": {"you", "your", "yours", "yourself"}, "worker": {"i", "me", "my", "mine", "myself"}}
_SHAPE_WORDS = {
    **dict.fromkeys(("round", "circular", "spherical", "curved"), ("sphere", "circle", "dome")),
    "rectangular": ("rectangle", "rectanguloid"),
    "triangular": ("triangle",),
    "cubic": ("cube",),
    "square": ("square",),
    "pyramidal": ("pyramid",),
}
"""The kinds of thing that each adjective of shape describes."""


class ClauseMatcher:
    """Compares clauses with things, for one command.

    Args:
        others: All things of the world. Words such as "big" are relative to them.
    """

    def __init__(self, measures: Measures, others: Sequence[Thing]) -> None:
        self.measures = measures
        self.others = others

    def fit(self, where: Any, thing: Thing, *, sizes: bool = True) -> float:
        """The product of the fits of all clauses, 0 to 1; 1 if there are none.

        Args:
            sizes: Whether words for sizes count.
        """
        fits = [self._group_fit(name, members, thing, sizes) for name, members in dictionary(where).items()]
        return prod(fits)

    def _group_fit(self, operator: str, members: Any, thing: Thing, sizes: bool) -> float:
        clauses = [one for one in members if isinstance(one, dict)] if isinstance(members, list) else []
        if not clauses:
            return 1.0
        fits = [self._clause_fit(one, thing, sizes) for one in clauses]
        match operator:
            case "OR":
                return max(fits)
            case "NOT":
                return 0.0 if max(fits) >= LIKELY else 1.0
            case _:
                return prod(fits)

    def _clause_fit(self, clause: Form, thing: Thing, sizes: bool) -> float:
        if clause.keys() & {"AND", "OR", "NOT"}:
            return self.fit(clause, thing, sizes=sizes)
        if "comparison_type" in clause:
            return self._comparison_fit(clause, thing)
        words = self.measures.words(clause.get("obj_text"))
        return self.property_fit(str(clause.get("pred_text")), words, thing, sizes=sizes) if words else 1.0

    # Properties --------------------------------------------------------------------------------------------------

    def property_fit(self, name: str, words: Sequence[str], thing: Thing, *, sizes: bool = True) -> float:
        """The fit of one property such as has_colour: red; 1 for a property that cannot be seen."""
        match name:
            case "has_name":
                return self._name_fit(words, thing, sizes=sizes)
            case "has_colour":
                colour = colour_meant(words)
                return colour_fit(colour, thing.colours) if colour else self._tag_fit(words, thing, sizes=sizes)
            case "has_size":
                return self._size_fit(words, thing) if sizes else 1.0
            case "has_block_type":
                return self._material_fit(words, thing)
            case "has_tag":
                return self._tag_fit(words, thing, sizes=sizes)
            case "has_shape":
                return self._shape_fit(words, thing)
            case "has_height" | "has_width" | "has_length" | "has_depth" | "has_thickness" | "has_radius":
                return self._measure_fit(name, words, thing)
        return 1.0

    def _name_fit(self, words: Sequence[str], thing: Thing, *, sizes: bool = True) -> float:
        """The fit of a noun and the words before it: "big red house"."""
        bare = plain_words(words)
        whole = " ".join(bare)
        if not bare or (whole in thing.names or whole in thing.tags):
            return 1.0
        fit = noun_fit(bare[-1], thing)
        if fit == 0 and len(bare) > 1:
            # In "cube one" and "house thing" the last word adds nothing.
            return self._name_fit(bare[:-1], thing, sizes=sizes) if is_anything(bare[-1]) else 0.0
        return fit * prod(self._modifier_fit(word, thing, sizes=sizes) for word in bare[:-1])

    def _modifier_fit(self, word: str, thing: Thing, *, sizes: bool = True) -> float:
        """The fit of a word before the noun: a colour, a size, a material, a shape, or an unknown word."""
        if colour := colour_meant([word]):
            return max(colour_fit(colour, thing.colours), self._material_fit([word], thing))
        if word in SIZES:
            return self._size_fit([word], thing) if sizes else 1.0
        if word in _SHAPE_WORDS:
            return self._shape_fit([word], thing)
        if blocks_meant([word]):
            return self._material_fit([word], thing)
        return 1.0 if word in thing.tags or is_anything(word) else _MODIFIER

    def _tag_fit(self, words: Sequence[str], thing: Thing, *, sizes: bool = True) -> float:
        """The fit of a tag. Visible properties count too, because people use them as tags."""
        bare = plain_words(words)
        whole = " ".join(bare)
        if whole in thing.tags or whole in thing.names:
            return 1.0
        if thing.made_by and set(map(str.lower, words)) & _MAKER_WORDS[thing.made_by]:
            return 1.0
        if bare and all(word in thing.tags for word in bare):
            return 0.9
        if not bare or self._is_invisible(bare):
            return 0.0
        if noun_fit(bare[-1], thing):
            return self._name_fit(bare, thing, sizes=sizes)
        return prod(self._modifier_fit(word, thing, sizes=sizes) if self._is_look(word) else 0.0 for word in bare)

    def _is_invisible(self, bare: Sequence[str]) -> bool:
        """True if none of these words describes a visible property."""
        return not any(
            self._is_look(word) or any(noun_fit(word, one) for one in self.others if not is_anything(word))
            for word in bare
        )

    def _is_look(self, word: str) -> bool:
        return bool(colour_meant([word]) or word in SIZES or word in _SHAPE_WORDS or blocks_meant([word]))

    def _material_fit(self, words: Sequence[str], thing: Thing) -> float:
        if thing.count == 0 or not thing.materials:
            return 0.0
        wanted = blocks_meant(words)
        if not wanted:
            colour = colour_meant(words)
            return colour_fit(colour, thing.colours) if colour else 0.0
        share = sum(count for block, count in thing.materials.items() if block in wanted and block != AIR) / thing.count
        return 1.0 if share >= 0.5 else 0.7 if share >= 0.2 else 0.0

    def _size_fit(self, words: Sequence[str], thing: Thing) -> float:
        wanted = size_meant(words)
        if wanted is None:
            return 1.0
        said = size_of(thing, self.others)
        if SIZES.get(said, said) == wanted:
            return 1.0
        # Of two things of nearly the same size, "the big one" is the bigger.
        sides = [max(one.box) for one in self.others if one.is_hole == thing.is_hole]
        if sides and min(sides) < max(sides) and wanted != "medium":
            return 0.6 if max(thing.box) == (max(sides) if wanted == "big" else min(sides)) else 0.0
        return 0.0

    def _shape_fit(self, words: Sequence[str], thing: Thing) -> float:
        kinds = [kind for word in plain_words(words) for kind in _SHAPE_WORDS.get(word, (singular(word),))]
        return max((noun_fit(kind, thing) for kind in kinds), default=1.0)

    def _measure_fit(self, name: str, words: Sequence[str], thing: Thing) -> float:
        wanted = number_in(" ".join(words))
        if wanted is None:
            return self._size_fit(words, thing)
        width, height, depth = thing.box
        sides = {"has_height": (height,), "has_depth": (height, depth, width) if thing.is_hole else (depth, width)}
        sides |= {"has_thickness": (min(width, depth),), "has_radius": (max(width, depth) // 2,)}
        off = min(abs(side - wanted) for side in sides.get(name, (width, depth)))
        return 1.0 if off == 0 else _ABOUT if off == 1 and wanted > 3 else 0.0

    # Comparisons -------------------------------------------------------------------------------------------------

    def _comparison_fit(self, clause: Form, thing: Thing) -> float:
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
            # Filters without a description refer to the thing itself.
            of = self.measures.look_up({"reference_object": {"filters": filters}}) if len(filters) > 1 else (thing,)
            return self.measures.of(of[0], attribute) if of else None
        words = " ".join(self.measures.words(inside.get("value", value)))
        number = number_in(words)
        return words or None if number is None else float(number)


def compares(kind: Any, left: float | str, right: float | str) -> bool:
    """True if the comparison of two values holds. A number and a word are never equal."""
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
