"""SAY and PUT_MEMORY: say the given words, remember names and properties, answer praise and blame."""

from builder.acting.acts import Acts, CannotDo, Reason, Say
from builder.acting.context import ActionContext
from builder.meaning.new_things import text_of
from builder.meaning.references import THAT, things_meant
from lib.logical_form import Form
from lib.logical_form.spans import is_span, words_of

_MOST = 1000


def say(context: ActionContext, action: Form) -> Acts:
    """Say the given words."""
    span = action.get("say_span")
    said = words_of(span, list(context.tokens)) if is_span(span) else ""
    if not said:
        raise CannotDo("I did not understand what to say.", Reason.NOT_UNDERSTOOD)
    yield Say(said[:_MOST])


def remember(context: ActionContext, form: Form) -> Acts:
    """Remember names and properties of things, or answer praise and blame."""
    data = (form.get("upsert") or {}).get("memory_data") or {}
    if data.get("memory_type") == "REWARD":
        yield Say("Thank you!" if data.get("reward_value") == "POSITIVE" else "I am sorry.")
        return
    told = [
        (str(triple.get("pred_text")), said)
        for triple in data.get("triples") or ()
        if (said := text_of(triple.get("obj_text"), context.tokens))
    ]
    if not told:
        raise CannotDo("I did not understand what I should remember.", Reason.NOT_UNDERSTOOD)
    filters = form.get("filters")
    things = yield from things_meant(context, {"filters": filters} if filters else THAT)
    if any(thing.figure for thing in things):
        raise CannotDo("I can only give names to things.", Reason.UNSUITABLE)
    for thing in things:
        known = context.memory.tag(thing.cells, [said for _, said in told])
        known.is_hole = known.is_hole or thing.is_hole
        for property_, said in told:
            if property_ == "has_name" and known.name is None:
                known.name = said
            elif property_ == "has_colour":
                known.colour = said
            elif property_ == "has_size":
                known.size = said
    yield Say(f"I remember: this is {told[0][1]}.")
