"""Which of several things are meant: the tallest, the second, two of them, all. Pure."""

from collections.abc import Sequence

from annotation.logical_form import Form
from annotation.logical_form.phrases import dictionary
from interaction.builder.counting import number_in, numbers_in, place_in_row
from interaction.builder.frames import step_of
from interaction.builder.meanings import is_plural
from interaction.builder.measures import Measures
from interaction.builder.things import Thing
from interaction.builder.world import World


def ranked(measures: Measures, things: Sequence[Thing], argval: Form) -> list[Thing]:
    """The most or the least of something first; what cannot be measured is left out."""
    attribute = dictionary(argval.get("quantity")).get("attribute", "SIZE")
    measured = [(value, one) for one in things if isinstance(value := measures.of(one, attribute), float)]
    sign = 1 if argval.get("polarity") == "MIN" else -1
    return [one for _, one in sorted(measured, key=lambda pair: sign * pair[0])]


def in_row(world: World, things: Sequence[Thing]) -> list[Thing]:
    """Those that were made in their order, then the others from left to right as the worker sees them."""
    x, _, z = step_of(world, "RIGHT", None)
    return sorted(things, key=lambda one: (not one.made_in, one.made_in, one.middle[0] * x + one.middle[2] * z))


def how_many(measures: Measures, filters: Form, there: int) -> tuple[int, int]:
    """How many things filters mean, and from which in the row on: 0 where no row is spoken of.

    Args:
        there: How many there are; so many are meant by "all" and by a plural.
    """
    selector = dictionary(filters.get("selector"))
    which = selector.get("return_quantity")
    said = " ".join(measures.words(selector.get("ordinal")))
    nth = place_in_row(said) or 0
    if which == "ALL":
        return max(there, 1), nth
    number = number_in(" ".join(measures.words(dictionary(which).get("random")))) or (None if nth else number_in(said))
    if number or nth or which == "RANDOM" or "argval" in dictionary(which):
        # "The two tallest": the number stands beside the ranking.
        return max(number or 1, 1), 0 if nth == 1 and "argval" in dictionary(which) else nth
    nouns = _nouns(measures, filters)
    if not nouns or not is_plural(nouns[-1]):
        return 1, nth
    counted = numbers_in(" ".join(nouns))
    return counted[0] if counted and counted[0] else max(there, 1), nth


def _nouns(measures: Measures, filters: Form) -> list[str]:
    """The words that name it; "those" where only that is said."""
    clauses = dictionary(filters.get("where_clause")).get("AND") or []
    names = [one for one in clauses if isinstance(one, dict) and one.get("pred_text") == "has_name"]
    if names:
        return [word for one in names for word in measures.words(one.get("obj_text"))]
    if filters.get("contains_coreference"):
        lowered = [word.lower().strip(".,?!") for word in measures.tokens]
        return [word for word in lowered if word in ("them", "those", "these", "they")][:1]
    return []
