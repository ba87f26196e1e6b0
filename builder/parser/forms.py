"""Pieces of forms."""

from typing import Any

from builder.parser.phrase import Phrase
from lib.logical_form import Form

NOTHING: Form = {"dialogue_type": "NOOP"}
MOST_CLAUSES = 12
"""The grammar's limit for one list."""


def fixed(value: str) -> Form:
    return {"fixed_value": value}


def clause(predicate: str, what: Any) -> Form:
    """One property such as “has_colour: red”. `what` is a span, a fixed value or filters."""
    return {"pred_text": predicate, "obj_text": what}


def all_of(clauses: list[Form]) -> Form:
    """The clauses as a where_clause; at least one."""
    return {"AND": clauses[:MOST_CLAUSES]}


def special(who: str) -> Form:
    """A reference to SPEAKER, AGENT or SPEAKER_LOOK."""
    return {"special_reference": fixed(who)}


def named_agent(tag: str) -> Form:
    """Filters for the agent (SELF) or the worker (SPEAKER)."""
    return {"where_clause": all_of([clause("has_tag", fixed(tag))])}


def command_form(*steps: Form) -> Form:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": list(steps)}


def count_condition(count: Phrase) -> Form:
    """The condition that an action was done this many times."""
    done = {"filters": {"output": {"attribute": "RUN_COUNT"}, "special": fixed("THIS")}}
    compared = {"comparison_type": "EQUAL", "input_left": done, "input_right": {"value": count.span}}
    return {"condition_type": "COMPARATOR", "condition": compared}
