"""Parts of a decision tree in words, for the staff pages."""

from django import template

from routing.trees import saying
from routing.trees.drawing import ICONS, tone_of
from routing.trees.tree import KNOWN_OUTCOMES, Node, When

register = template.Library()
_BADGES = {"good": "good", "bad": "bad", "own": "accent", "nowhere": "warn"}


@register.filter
def shown(node: Node) -> str:
    """What stands beside a question."""
    return saying.SHOWN[node.show]


@register.filter
def condition(when: When) -> str:
    return saying.condition(when)


@register.filter
def meaning(outcome: str) -> str:
    return KNOWN_OUTCOMES.get(outcome, "an outcome of this tree’s own")


@register.filter
def tone(outcome: str) -> str:
    """The badge of an outcome."""
    return _BADGES[tone_of(outcome)]


@register.filter
def outcome_icon(outcome: str) -> str:
    return ICONS[tone_of(outcome)]
