"""Selecting among several fitting things: the tallest, the second, two of them, all."""

from collections.abc import Sequence

from builder.meaning.lexicon import is_plural
from builder.meaning.numbers import number_in, numbers_in, ordinal_in
from builder.world.frames import step_of
from builder.world.measures import Measures
from builder.world.things import Thing
from builder.world.world import World
from lib.logical_form import Form
from lib.logical_form.english.phrases import dictionary


def ranked(measures: Measures, things: Sequence[Thing], argval: Form) -> list[Thing]:
    """The things in order of a quantity, the most or the least first. Things that cannot be measured are left out."""
    attribute = dictionary(argval.get("quantity")).get("attribute", "SIZE")
    measured = [(value, one) for one in things if isinstance(value := measures.of(one, attribute), float)]
    sign = 1 if argval.get("polarity") == "MIN" else -1
    return [one for _, one in sorted(measured, key=lambda pair: sign * pair[0])]


def in_row(world: World, things: Sequence[Thing]) -> list[Thing]:
    """Things made in this session in order of making, then the others from the worker's left to right."""
    x, _, z = step_of(world, "RIGHT", None)
    return sorted(things, key=lambda one: (not one.made_in, one.made_in, one.middle[0] * x + one.middle[2] * z))


def how_many_meant(measures: Measures, filters: Form, there: int) -> tuple[int, int]:
    """How many things the filters mean, and the position in the row of the first; position 0 if no row is mentioned.

    Args:
        there: The number of fitting things. "All" and a plural mean this many.
    """
    selector = dictionary(filters.get("selector"))
    which = selector.get("return_quantity")
    said = " ".join(measures.words(selector.get("ordinal")))
    nth = ordinal_in(said) or 0
    if which == "ALL":
        return max(there, 1), nth
    number = number_in(" ".join(measures.words(dictionary(which).get("random")))) or (None if nth else number_in(said))
    if number or nth or which == "RANDOM" or "argval" in dictionary(which):
        # "The two tallest" has both a number and a ranking.
        return max(number or 1, 1), 0 if nth == 1 and "argval" in dictionary(which) else nth
    nouns = _nouns(measures, filters)
    if not nouns or not is_plural(nouns[-1]):
        return 1, nth
    counted = numbers_in(" ".join(nouns))
    return counted[0] if counted and counted[0] else max(there, 1), nth


def _nouns(measures: Measures, filters: Form) -> list[str]:
    """The words that name the things; "those" if the command has only such a word."""
    clauses = dictionary(filters.get("where_clause")).get("AND") or []
    names = [one for one in clauses if isinstance(one, dict) and one.get("pred_text") == "has_name"]
    if names:
        return [word for one in names for word in measures.words(one.get("obj_text"))]
    if filters.get("contains_coreference"):
        lowered = [word.lower().strip(".,?!") for word in measures.tokens]
        return [word for word in lowered if word in ("them", "those", "these", "they")][:1]
    return []
