"""JSON merge patches (RFC 7396)."""

from typing import Any


def merged(target: Any, patch: Any) -> Any:
    """The value after the patch: members of objects are merged, null removes a member, anything else replaces.

    Neither argument is changed.

    Source: RFC 7396, section 2.

    >>> merged({"a": {"b": 1, "c": 2}, "d": [1, 2]}, {"a": {"b": None, "e": 3}, "d": [3]})
    {'a': {'c': 2, 'e': 3}, 'd': [3]}
    >>> merged({"a": 1}, ["b"]), merged(["b"], {"a": {"c": None}})
    (['b'], {'a': {}})
    """
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), value)
    return found
