"""Repetitions: how many times, or until when, to do an action."""

from collections.abc import Sequence
from dataclasses import dataclass

from builder.meaning.new_things import text_of
from builder.meaning.numbers import number_in
from lib.logical_form import Form

FOR_EVER = 50
"""How many times an action without an end is repeated; the worker can stop it."""
MOST_TIMES = 100


@dataclass(frozen=True)
class Repeats:
    """How many times to do an action.

    Attributes:
        until: Words for the block or thing at which the action ends, if any.
        sentence: A remark about it for the worker, to be said first.
    """

    times: int = 1
    until: str = ""
    sentence: str = ""


def repeats(condition: Form | None, tokens: Sequence[str]) -> Repeats:
    """The repetitions that a condition asks for.

    The agent has no clock and cannot measure most conditions. It then acts once and says so.
    """
    if not condition:
        return Repeats()
    counted = repeat_count(condition, tokens)
    if counted is not None:
        most = min(counted, MOST_TIMES)
        return Repeats(most, sentence="" if counted == most else f"That is a lot, so I do it {most} times.")
    match condition.get("condition_type"):
        case "NEVER":
            return Repeats(FOR_EVER, sentence="I go on until you stop me.")
        case "ADJACENT_TO_BLOCK_TYPE":
            return Repeats(until=text_of(condition.get("block_type"), tokens))
        case "TIME":
            return Repeats(sentence="I have no clock, so I do it once.")
    return Repeats(sentence="I cannot tell when that is, so I do it once.")


def repeat_count(condition: Form | None, tokens: Sequence[str]) -> int | None:
    """The number of times in a condition; None for any other condition."""
    if not condition or condition.get("condition_type") != "COMPARATOR":
        return None
    compared = condition.get("condition") or {}
    left, right = compared.get("input_left"), compared.get("input_right")
    filters = left.get("filters") if isinstance(left, dict) else None
    output = filters.get("output") if isinstance(filters, dict) else None
    if not isinstance(output, dict) or output.get("attribute") != "RUN_COUNT":
        return None
    value = right.get("value") if isinstance(right, dict) and "value" in right else right
    number = number_in(text_of(value, tokens))
    return None if number is None else max(number, 1)
