"""Filters that write parts of a decision tree in words."""

from django import template

from lib.trees import readout
from lib.trees.drawing import ICONS, Box, tone_of
from lib.trees.tree import KNOWN_OUTCOMES, Node, When

register = template.Library()
_BADGES = {"good": "good", "bad": "bad", "own": "accent", "nowhere": "warn"}


@register.filter
def shown(node: Node) -> str:
    """What a page shows beside a question."""
    return readout.SHOWN[node.show]


@register.filter
def condition(when: When) -> str:
    return readout.condition(when)


@register.filter
def meaning(outcome: str) -> str:
    return KNOWN_OUTCOMES.get(outcome, "an outcome of this tree’s own")


@register.filter
def tone(outcome: str) -> str:
    """The CSS class of an outcome's badge."""
    return _BADGES[tone_of(outcome)]


@register.filter
def outcome_icon(outcome: str) -> str:
    return ICONS[tone_of(outcome)]


@register.filter
def box_classes(box: Box) -> str:
    """The CSS classes of a box in the drawing of a tree."""
    states = {"is-lit": box.is_lit, "is-open": box.is_open, "is-faulty": box.is_faulty}
    tone = [f"tree-{box.tone}"] if box.tone else []
    return " ".join(["tree-box", f"tree-{box.kind}", *tone, *(name for name, holds in states.items() if holds)])


@register.filter
def text_anchor(box: Box) -> str:
    """The alignment of texts in a box: questions to the left, everything else in the middle."""
    return "start" if box.kind == "question" else "middle"
