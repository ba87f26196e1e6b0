"""Taking a person's names out of stored JSON: free text that went into answers, and its copies."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Model

from common.redaction import Mentions

BATCH = 500


def clean(rows: Iterable[Model], field: str, mentions: Mentions) -> int:
    """Take the names out of this column of the rows; return the number of changed rows."""
    changed = 0
    for row in list(rows):
        before = getattr(row, field)
        after = without(before, mentions)
        if after != before:
            type(row)._default_manager.filter(pk=row.pk).update(**{field: after})
            changed += 1
    return changed


def without(value: Any, mentions: Mentions) -> Any:
    """JSON with the names taken out of all its texts except those of a command itself, which other people wrote.

    >>> without({"text": "ask ann", "record": {"#": {"value": "ann", "at": [1]}}}, Mentions(["ann"]))
    {'text': 'ask ann', 'record': {'#': {'value': '[removed]', 'at': [1]}}}
    """
    if isinstance(value, dict):
        is_payload = "record" in value
        return {
            name: part if is_payload and name != "record" else without(part, mentions) for name, part in value.items()
        }
    if isinstance(value, list):
        return [without(item, mentions) for item in value]
    return mentions.without(value) if isinstance(value, str) else value
