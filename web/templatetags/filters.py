"""The menus of a list's filter."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from django import template

register = template.Library()


@register.inclusion_tag("staff/_parts/_choice.html")
def choice(
    name: str, label: str, every: str, choices: Iterable[Any], picked: Any, *, of: str = "", quiet: bool = False
) -> dict[str, Any]:
    """A menu that narrows a list.

    Args:
        name: The parameter in the address.
        every: The words of the first choice, which does not narrow.
        choices: Pairs of a value and its words, or objects.
        picked: The value that is chosen now.
        of: Of objects: the attributes that are the value and the words, for example "slug title"; one if both are the
            same; "." if the objects are the values.
        quiet: Only screen readers read the label.
    """
    if of == ".":
        choices = [(one, one) for one in choices]
    elif of:
        value, words = of.split() if " " in of else (of, of)
        choices = map(attrgetter(value, words), choices)
    return {"name": name, "label": label, "every": every, "choices": choices, "picked": picked, "quiet": quiet}
