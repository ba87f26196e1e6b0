"""The pieces that forms are put together from."""

from typing import Any

from annotation.logical_form import Form
from interaction.builder.parser.phrase import Phrase

NOTHING: Form = {"dialogue_type": "NOOP"}
MOST_CLAUSES = 12
"""As many as the grammar takes in one list."""


def fixed(value: str) -> Form:
    return {"fixed_value": value}


def clause(predicate: str, what: Any) -> Form:
    """One thing that is told: “has_colour: red”. `what` is a span, a fixed value or filters."""
    return {"pred_text": predicate, "obj_text": what}


def all_of(clauses: list[Form]) -> Form:
    """The clauses as a where_clause; at least one."""
    return {"AND": clauses[:MOST_CLAUSES]}


def special(who: str) -> Form:
    """A reference to SPEAKER, AGENT or SPEAKER_LOOK."""
    return {"special_reference": fixed(who)}


def named_agent(tag: str) -> Form:
    """Filters for the assistant (SELF) or the person who speaks (SPEAKER)."""
    return {"where_clause": all_of([clause("has_tag", fixed(tag))])}


def command(*steps: Form) -> Form:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": list(steps)}


def times(count: Phrase) -> Form:
    """The condition that something was done as often as these words say."""
    done = {"filters": {"output": {"attribute": "RUN_COUNT"}, "special": fixed("THIS")}}
    compared = {"comparison_type": "EQUAL", "input_left": done, "input_right": {"value": count.span}}
    return {"condition_type": "COMPARATOR", "condition": compared}
