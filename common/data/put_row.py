"""Creating or replacing a row with the content of a PUT."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import Model

from lib.canonical_json import canonical

M = TypeVar("M", bound=Model)


def put_row(
    model: type[M], *, names: Mapping[str, Any], content: Mapping[str, Any], when_new: Mapping[str, Any]
) -> tuple[M, bool]:
    """Create or update the row that `names` identify, so that it has this `content`. Equal content writes nothing.

    Returns:
        The row, and whether it is new.

    Args:
        when_new: Further columns, written only to a new row.
    """
    row, is_new = model._default_manager.get_or_create(**names, defaults={**content, **when_new})
    if not is_new:
        replace_content(row, content)
    return row, is_new


def replace_content(row: Model, content: Mapping[str, Any]) -> list[str]:
    """Save the columns that differ; returns their names."""
    changed = [name for name, value in content.items() if not is_same(getattr(row, name), value)]
    for name in changed:
        setattr(row, name, content[name])
    if changed:
        row.save(update_fields=changed)
    return changed


def is_same(old: Any, new: Any) -> bool:
    """Whether two values of a column are equal. JSON values are compared as JSON, where 1 is not true."""
    return canonical(old) == canonical(new) if isinstance(new, dict | list) else bool(old == new)
