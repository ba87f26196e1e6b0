"""Replacing a row by what a PUT says."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import Model

from common.values import canonical

M = TypeVar("M", bound=Model)


def put_row(
    model: type[M], *, names: Mapping[str, Any], content: Mapping[str, Any], when_new: Mapping[str, Any]
) -> tuple[M, bool]:
    """The row called `names` with this `content`; whether it is new. Equal content writes nothing.

    Args:
        when_new: Further columns of a row that is not there yet.
    """
    row, is_new = model._default_manager.get_or_create(**names, defaults={**content, **when_new})
    if not is_new:
        replace_content(row, content)
    return row, is_new


def replace_content(row: Model, content: Mapping[str, Any]) -> list[str]:
    """Save what differs; the names of those columns."""
    changed = [name for name, value in content.items() if not is_same(getattr(row, name), value)]
    for name in changed:
        setattr(row, name, content[name])
    if changed:
        row.save(update_fields=changed)
    return changed


def is_same(old: Any, new: Any) -> bool:
    """Equality as JSON has it where JSON is kept: there 1 is not true."""
    return canonical(old) == canonical(new) if isinstance(new, dict | list) else bool(old == new)
