"""Remembering what things are called or like."""

from annotation.logical_form import Form
from interaction.builder.acts import Acting, CannotDo, Say, Why
from interaction.builder.references import THAT, meant
from interaction.builder.situation import Situation
from interaction.builder.wanted import words


def remember(here: Situation, form: Form) -> Acting:
    """Keep what is said of a thing, or take praise and blame."""
    data = (form.get("upsert") or {}).get("memory_data") or {}
    if data.get("memory_type") == "REWARD":
        yield Say("Thank you!" if data.get("reward_value") == "POSITIVE" else "I am sorry.")
        return
    told = [
        (str(triple.get("pred_text")), said)
        for triple in data.get("triples") or ()
        if (said := words(triple.get("obj_text"), here.tokens))
    ]
    if not told:
        raise CannotDo("I did not understand what I should remember.", Why.NOT_UNDERSTOOD)
    filters = form.get("filters")
    things = yield from meant(here, {"filters": filters} if filters else THAT)
    if any(thing.figure for thing in things):
        raise CannotDo("I can only give names to things.", Why.UNSUITABLE)
    for thing in things:
        known = here.memory.tag(thing.cells, [said for _, said in told])
        known.is_hole = known.is_hole or thing.is_hole
        for property_, said in told:
            if property_ == "has_name" and known.name is None:
                known.name = said
            elif property_ == "has_colour":
                known.colour = said
            elif property_ == "has_size":
                known.size = said
    yield Say(f"I remember: this is {told[0][1]}.")
