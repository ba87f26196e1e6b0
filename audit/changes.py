"""Old and new values of what an act changed, as the detail of an audit event holds them."""

import re
from collections.abc import Mapping
from typing import Any

from lib.canonical_json import canonical, digest, plain_json

LONGEST = 2000
"""Characters of JSON. Of a longer value the event holds the digest: texts of that length are kept in versions."""
LONGEST_KEPT = 100_000
"""Of values of which only the event holds the earlier one, so that it can be put back."""
_SECRET = re.compile(r"password|secret|token|digest", re.IGNORECASE)
HIDDEN = "[hidden]"


def changes(before: Mapping[str, Any], after: Mapping[str, Any], *, longest: int = LONGEST) -> dict[str, Any]:
    """The differing names with their values as `before` and `after`; a name that one side lacks is left out there.

    Empty where nothing differs. A value with more than `longest` characters as JSON is replaced by its digest; name
    more for values that are kept nowhere else. Values of names that speak of secrets are hidden. Do not pass what
    identifies a worker.

    >>> changes({"title": "A", "lease_s": 60}, {"title": "B", "lease_s": 60, "rate": 1})
    {'before': {'title': 'A'}, 'after': {'title': 'B', 'rate': 1}}
    """
    differing = [
        name
        for name in dict.fromkeys((*before, *after))
        if name not in before or name not in after or plain_json(before[name]) != plain_json(after[name])
    ]
    if not differing:
        return {}
    return {
        "before": {name: _shown(name, before[name], longest) for name in differing if name in before},
        "after": {name: _shown(name, after[name], longest) for name in differing if name in after},
    }


def _shown(name: str, value: Any, longest: int) -> Any:
    if _SECRET.search(name):
        return HIDDEN
    if isinstance(value, dict):
        value = {str(key): _shown(str(key), part, longest) for key, part in value.items()}
    text = canonical(value)
    if len(text) > longest:
        return {"characters": len(text), "sha256": digest(value)}
    # Decimals and times become text, as JSON has it.
    return value if isinstance(value, str | int | float | bool | dict | list | None) else str(value)
