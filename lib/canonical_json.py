"""Canonical JSON text (equal for equal values), its digest, and names in JSON pointers."""

import hashlib
import json
from typing import Any


def escaped(name: object) -> str:
    """A name as a JSON pointer writes it (RFC 6901).

    >>> escaped("a/b~c")
    'a~1b~0c'
    """
    return str(name).replace("~", "~0").replace("/", "~1")


# Made once: `json.dumps` makes one for each value.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def canonical(value: Any) -> str:
    """JSON text that is equal for equal values in any order of keys.

    >>> canonical({"b": 1, "a": [1.0, None]})
    '{"a":[1.0,null],"b":1}'
    """
    return _ENCODER.encode(value)


def plain_json(value: Any) -> str:
    """JSON text that is equal for values that are equal as JSON.

    The order of names does not matter, the order of list items does. 1 and 1.0 are equal; true is not 1.

    >>> plain_json({"b": 1.0, "a": [2]}) == plain_json({"a": [2.0], "b": 1})
    True
    >>> plain_json(True) == plain_json(1), plain_json("1") == plain_json(1)
    (False, False)
    """
    return canonical(_with_plain_numbers(value))


def _with_plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_plain_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_plain_numbers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def digest(value: Any) -> str:
    """SHA-256 (hex) of the canonical JSON of `value`."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
