"""How often, or how long: what a condition says about the end of something."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.logical_form import Form
from interaction.builder.counting import number_in
from interaction.builder.wanted import words

FOR_EVER = 50
"""How often something is done that should never end; the worker may stop it before."""
MOST_TIMES = 100


@dataclass(frozen=True)
class Repeats:
    """How often to do something.

    Attributes:
        until: Words for the block or thing that ends it when it is reached, if any does.
        sentence: What to tell the worker about it beforehand, if anything.
    """

    times: int = 1
    until: str = ""
    sentence: str = ""


def repeats(condition: Form | None, tokens: Sequence[str]) -> Repeats:
    """What a condition comes to. The agent has no clock and cannot measure most things: then once, and it says so."""
    if not condition:
        return Repeats()
    counted = times(condition, tokens)
    if counted is not None:
        most = min(counted, MOST_TIMES)
        return Repeats(most, sentence="" if counted == most else f"That is a lot, so I do it {most} times.")
    match condition.get("condition_type"):
        case "NEVER":
            return Repeats(FOR_EVER, sentence="I go on until you stop me.")
        case "ADJACENT_TO_BLOCK_TYPE":
            return Repeats(until=words(condition.get("block_type"), tokens))
        case "TIME":
            return Repeats(sentence="I have no clock, so I do it once.")
    return Repeats(sentence="I cannot tell when that is, so I do it once.")


def times(condition: Form | None, tokens: Sequence[str]) -> int | None:
    """How often, where the condition is a number of times; None for any other."""
    if not condition or condition.get("condition_type") != "COMPARATOR":
        return None
    compared = condition.get("condition") or {}
    left, right = compared.get("input_left"), compared.get("input_right")
    filters = left.get("filters") if isinstance(left, dict) else None
    output = filters.get("output") if isinstance(filters, dict) else None
    if not isinstance(output, dict) or output.get("attribute") != "RUN_COUNT":
        return None
    value = right.get("value") if isinstance(right, dict) and "value" in right else right
    number = number_in(words(value, tokens))
    return None if number is None else max(number, 1)
