"""Actions that make or change things: BUILD and copies, DIG, FILL, SPAWN, FREEBUILD, MODIFY."""

from collections.abc import Mapping

from builder.parser import relations, vocabulary
from builder.parser.forms import all_of, clause
from builder.parser.phrase import Phrase, word_count
from builder.parser.places import filters_of, place, starts_place, thing
from builder.parser.things import description_of, without_articles
from builder.parser.verbs import BEGINNINGS, GERUNDS
from lib.logical_form import Form

POINTED_AT = relations.HERE | relations.THERE | vocabulary.LOOKED_AT
"""Places without a thing."""
_HOLES = frozenset({"hole", "holes", "pit", "pits", "dig", "ditch", "trench", "moat"})
_CHANGES: Mapping[str, str] = {
    **dict.fromkeys(("thicker", "fatter"), "THICKER"),
    "thinner": "THINNER",
    **dict.fromkeys(
        ("bigger", "larger", "smaller", "taller", "higher", "shorter", "wider", "longer", "narrower", "deeper"), "SCALE"
    ),
    "hollow": "HOLLOW",
}
_GONE = frozenset({"disappear", "vanish", "go away"})
_OF_WORK = frozenset(
    {"the construction of", "the building of", "construction of", "building of", "work on", "working on"}
)
_DEFINITE = vocabulary.ONLY_POINTING | vocabulary.POINTING | {"the", "my", "your"}


def build_action(_: Phrase, rest: Phrase) -> Form:
    """“Build …”. “Make …” can also mean a hole, an animal, or a change to an existing thing."""
    if changed := _modification(rest):
        return changed
    if rest[0] in BEGINNINGS or (len(rest) > 1 and rest[0] == "on"):
        rest = rest.cut(1)
    core = without_articles(rest)
    end = next((at for at in range(1, len(core)) if starts_place(core, at)), len(core))
    name = core.cut(0, end)[-1]
    if name in vocabulary.ANIMALS:
        return action_with_thing_and_place("SPAWN", rest)
    is_hole = name in _HOLES
    return _creation("DIG", "dig", rest) if is_hole else _creation("BUILD", "build", rest)


def dig_action(_: Phrase, rest: Phrase) -> Form:
    return _creation("DIG", "dig", rest)


def copy_action(_: Phrase, rest: Phrase) -> Form:
    """BUILD with the thing to copy. A place that the worker points at is where the copy goes."""
    found: Form = {"action_type": "BUILD"}
    at = next((at for at in range(1, len(rest)) if rest.longest(POINTED_AT, at)), len(rest))
    if what := thing(rest.cut(0, at)):
        found["reference_object"] = what
    if where := place(rest.cut(at)):
        found["location"] = where
    return found


def fill_action(_: Phrase, rest: Phrase) -> Form:
    joint = rest.find({"with", "using"})
    end = joint[0] if joint else len(rest)
    what, material = rest.cut(0, end), without_articles(rest.cut(end + 1))
    while what[0] in ("up", "in", "out"):
        what = what.cut(1)
    if what[-1] in ("up", "in"):
        what = what.cut(0, len(what) - 1)
    found = action_with_thing("FILL", what)
    if not len(material):
        return found
    told = description_of(material)
    coloured = any(one.get("pred_text") in ("has_colour", "has_block_type") for one in told.clauses)
    filters = told.filters() if coloured else {"where_clause": all_of([clause("has_block_type", material.span)])}
    return {**found, "schematic": {"filters": filters}}


def finish_action(_: Phrase, rest: Phrase) -> Form:
    if rest[0] in GERUNDS:
        rest = rest.cut(1)
    if work := rest.longest(_OF_WORK):
        rest = rest.cut(word_count(work))
    return action_with_thing("FREEBUILD", rest)


def action_with_thing(kind: str, rest: Phrase) -> Form:
    """An action with the described thing. A place belongs to the thing's description."""
    what = thing(rest)
    return {"action_type": kind, **({"reference_object": what} if what else {})}


def action_with_thing_and_place(kind: str, rest: Phrase) -> Form:
    """An action with a thing, and a place for the action."""
    where, what = _leading_place(rest)
    found = action_with_thing(kind, what)
    if "filters" in found.get("reference_object", {}):
        where = _take_place(found["reference_object"]["filters"]) or where
        if not found["reference_object"]["filters"]:
            del found["reference_object"]
    return {**found, "location": where} if where else found


def _creation(kind: str, sides: str, rest: Phrase) -> Form:
    """BUILD or DIG with the description of the new thing, and its place."""
    where, what = _leading_place(rest)
    filters = filters_of(what, sides=sides, same="ALLOWED")
    where = _take_place(filters) or where
    if kind == "DIG" and where.get("relative_direction") == "DOWN" and "steps" in where:
        # The distance down is the depth.
        depth = clause("has_depth", where.pop("steps"))
        where.pop("has_measure", None)
        filters["where_clause"] = all_of([depth, *filters.get("where_clause", {}).get("AND", [])])
    found: Form = {"action_type": kind}
    if filters:
        found["schematic"] = {"filters": filters}
    return {**found, "location": where} if where else found


def _modification(rest: Phrase) -> Form | None:
    """A change to an existing thing: “it bigger”, “the tower green”, “the wall disappear”."""
    for length in (2, 1):
        if rest[0] not in _DEFINITE or len(rest) <= length:
            continue
        what, how = rest.cut(0, len(rest) - length), rest.cut(len(rest) - length)
        if how.text in _CHANGES:
            change = {"modify_type": _CHANGES[how.text], "text_span": how.span}
            return {**action_with_thing("MODIFY", what), "modify_dict": change}
        if how.text in _GONE:
            return action_with_thing("DESTROY", what)
        if how.text in vocabulary.COLOURS:
            return action_with_thing("OTHERACTION", what)
    return None


def _leading_place(rest: Phrase) -> tuple[Form, Phrase]:
    """The place before the thing, as in “here a house”, and the other words."""
    for table in (relations.HERE, relations.THERE, relations.SIDED):
        lead = rest.longest(table)
        if lead and word_count(lead) < len(rest) and not starts_place(rest, word_count(lead)):
            return place(rest.cut(0, word_count(lead))), rest.cut(word_count(lead))
    return {}, rest


def _take_place(filters: Form) -> Form:
    """Remove the place from filters and return it: a new thing has no place yet, so it is the place of the action."""
    selector = filters.get("selector", {})
    found: Form = selector.pop("location", {})
    if not selector:
        filters.pop("selector", None)
    return found
