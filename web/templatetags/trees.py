"""Filters that write parts of a decision tree in words."""

from django import template

from lib.trees import readout
from lib.trees.boxes import QuestionBox
from lib.trees.tree import KNOWN_OUTCOMES, OK, Node, When

register = template.Library()
_ICONS = {"good": "✓", "bad": "✕", "accent": "●", "warn": "?"}
_SHOWN_SHORT = {"parse": "▤ shows what it understood", "object": "◎ shows what it found"}


@register.filter
def shown(node: Node) -> str:
    """The label of the thing that a page shows beside a question."""
    return readout.SHOWN[node.show]


@register.filter
def condition(when: When) -> str:
    return readout.condition(when)


@register.filter
def meaning(outcome: str) -> str:
    return KNOWN_OUTCOMES.get(outcome, "an outcome of this tree’s own")


@register.filter
def shown_short(node: Node) -> str:
    """The same label, short, for a small box; empty if the page shows nothing."""
    return _SHOWN_SHORT[node.show] if node.show else ""


@register.filter
def box_states(box: QuestionBox) -> str:
    """The CSS classes of a question's states in the drawing, each after a space."""
    states = {"is-lit": box.is_lit, "is-open": box.is_open, "is-faulty": box.is_faulty}
    return "".join(f" {name}" for name, holds in states.items() if holds)


@register.filter
def tone(outcome: str) -> str:
    """The colour of an outcome, as the last part of a CSS class."""
    if not outcome:
        return "warn"
    if outcome == OK:
        return "good"
    return "bad" if outcome in KNOWN_OUTCOMES else "accent"


@register.filter
def outcome_icon(outcome: str) -> str:
    return _ICONS[tone(outcome)]
