"""Actions that make or change things: BUILD and copies, DIG, FILL, SPAWN, FREEBUILD, MODIFY."""

from collections.abc import Mapping

from annotation.logical_form import Form
from interaction.builder.parser import relations, vocabulary
from interaction.builder.parser.forms import all_of, clause
from interaction.builder.parser.phrase import Phrase, size_of
from interaction.builder.parser.places import filters_of, place, starts_place, thing
from interaction.builder.parser.things import described, without_articles
from interaction.builder.parser.verbs import BEGINNINGS, GERUNDS

POINTED_AT = relations.HERE | relations.THERE | vocabulary.LOOKED_AT
"""Places that no thing tells."""
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


def built(_: Phrase, rest: Phrase) -> Form:
    """“Build …”; “make …” may also ask for a hole, an animal, or a change of what is there."""
    if changed := _changed(rest):
        return changed
    if rest[0] in BEGINNINGS or (len(rest) > 1 and rest[0] == "on"):
        rest = rest.cut(1)
    core = without_articles(rest)
    end = next((at for at in range(1, len(core)) if starts_place(core, at)), len(core))
    name = core.cut(0, end)[-1]
    if name in vocabulary.ANIMALS:
        return with_thing_and_place("SPAWN", rest)
    is_hole = name in _HOLES
    return _made("DIG", "dig", rest) if is_hole else _made("BUILD", "build", rest)


def dug(_: Phrase, rest: Phrase) -> Form:
    return _made("DIG", "dig", rest)


def copied(_: Phrase, rest: Phrase) -> Form:
    """BUILD with what to copy; a place that is pointed at is where the copy goes."""
    found: Form = {"action_type": "BUILD"}
    at = next((at for at in range(1, len(rest)) if rest.longest(POINTED_AT, at)), len(rest))
    if what := thing(rest.cut(0, at)):
        found["reference_object"] = what
    if where := place(rest.cut(at)):
        found["location"] = where
    return found


def filled(_: Phrase, rest: Phrase) -> Form:
    joint = rest.find({"with", "using"})
    end = joint[0] if joint else len(rest)
    what, material = rest.cut(0, end), without_articles(rest.cut(end + 1))
    while what[0] in ("up", "in", "out"):
        what = what.cut(1)
    if what[-1] in ("up", "in"):
        what = what.cut(0, len(what) - 1)
    found = with_thing("FILL", what)
    if not len(material):
        return found
    told = described(material)
    coloured = any(one.get("pred_text") in ("has_colour", "has_block_type") for one in told.clauses)
    filters = told.filters() if coloured else {"where_clause": all_of([clause("has_block_type", material.span)])}
    return {**found, "schematic": {"filters": filters}}


def finished(_: Phrase, rest: Phrase) -> Form:
    if rest[0] in GERUNDS:
        rest = rest.cut(1)
    if work := rest.longest(_OF_WORK):
        rest = rest.cut(size_of(work))
    return with_thing("FREEBUILD", rest)


def with_thing(kind: str, rest: Phrase) -> Form:
    """An action with the thing that the words describe, its place being part of the description."""
    what = thing(rest)
    return {"action_type": kind, **({"reference_object": what} if what else {})}


def with_thing_and_place(kind: str, rest: Phrase) -> Form:
    """An action with a thing, and a place of its own."""
    where, what = _place_first(rest)
    found = with_thing(kind, what)
    if "filters" in found.get("reference_object", {}):
        where = _taken_place(found["reference_object"]["filters"]) or where
        if not found["reference_object"]["filters"]:
            del found["reference_object"]
    return {**found, "location": where} if where else found


def _made(kind: str, sides: str, rest: Phrase) -> Form:
    """BUILD and DIG: what it should be, and where."""
    where, what = _place_first(rest)
    filters = filters_of(what, sides=sides, same="ALLOWED")
    where = _taken_place(filters) or where
    if kind == "DIG" and where.get("relative_direction") == "DOWN" and "steps" in where:
        # How far down is how deep.
        depth = clause("has_depth", where.pop("steps"))
        where.pop("has_measure", None)
        filters["where_clause"] = all_of([depth, *filters.get("where_clause", {}).get("AND", [])])
    found: Form = {"action_type": kind}
    if filters:
        found["schematic"] = {"filters": filters}
    return {**found, "location": where} if where else found


def _changed(rest: Phrase) -> Form | None:
    """“It bigger”, “the tower green”, “the wall disappear”: what is there is to be changed."""
    for length in (2, 1):
        if rest[0] not in _DEFINITE or len(rest) <= length:
            continue
        what, how = rest.cut(0, len(rest) - length), rest.cut(len(rest) - length)
        if how.text in _CHANGES:
            change = {"modify_type": _CHANGES[how.text], "text_span": how.span}
            return {**with_thing("MODIFY", what), "modify_dict": change}
        if how.text in _GONE:
            return with_thing("DESTROY", what)
        if how.text in vocabulary.COLOURS:
            return with_thing("OTHERACTION", what)
    return None


def _place_first(rest: Phrase) -> tuple[Form, Phrase]:
    """“Here a house”: the place that stands before the thing, and the rest."""
    for table in (relations.HERE, relations.THERE, relations.SIDED):
        lead = rest.longest(table)
        if lead and size_of(lead) < len(rest) and not starts_place(rest, size_of(lead)):
            return place(rest.cut(0, size_of(lead))), rest.cut(size_of(lead))
    return {}, rest


def _taken_place(filters: Form) -> Form:
    """Takes the place out of filters: what is made has none yet, it says where to make it."""
    selector = filters.get("selector", {})
    found: Form = selector.pop("location", {})
    if not selector:
        filters.pop("selector", None)
    return found
