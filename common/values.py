"""Small values that many parts share: opaque ids, canonical JSON, money."""

import hashlib
import json
import secrets
import string
from decimal import Decimal
from typing import Any, TypedDict

SLUG = r"[a-z0-9][a-z0-9_-]{0,62}"
EXTERNAL_ID = r"[A-Za-z0-9._:-]{1,128}"
OPAQUE_ID = r"[A-Za-z0-9_-]{1,64}"


class MoneyDict(TypedDict):
    """Money as the API shows it: a decimal string and an ISO 4217 code."""

    amount: str
    currency: str


def opaque_id() -> str:
    """A fresh id that tells nothing: over 128 random bits, URL-safe, 23 characters, the first a letter.

    Random and not a counter, because a worker must not read order or kind of tasks from it. A letter goes first because
    spreadsheets run a cell that begins with a hyphen and command lines take one for an option.
    """
    return secrets.choice(string.ascii_letters) + secrets.token_urlsafe(16)


def escaped(name: object) -> str:
    """A name as it stands in a JSON pointer (RFC 6901).

    >>> escaped("a/b~c")
    'a~1b~0c'
    """
    return str(name).replace("~", "~0").replace("/", "~1")


def canonical(value: Any) -> str:
    """JSON text that is equal for equal values, whatever the order of keys.

    >>> canonical({"b": 1, "a": [1.0, None]})
    '{"a":[1.0,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def plain_json(value: Any) -> str:
    """JSON text that two values share if they are equal as JSON.

    The order of names does not matter, that of lists does. A number is its value, however it is written; true is not 1.

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


def money(amount: Decimal, currency: str) -> MoneyDict:
    """Money for the API, with at least two places.

    >>> money(Decimal("0.3"), "USD")
    {'amount': '0.30', 'currency': 'USD'}
    """
    places = max(2, -int(amount.normalize().as_tuple().exponent)) if amount else 2
    return {"amount": f"{amount:.{places}f}", "currency": currency}
