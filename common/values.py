"""Small values that many parts share: opaque ids, canonical JSON, money."""

import hashlib
import json
import secrets
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
    """A fresh id that tells nothing: 128 random bits, URL-safe, 22 characters.

    Random and not a counter, because a worker must not read order or kind of tasks from it.
    """
    return secrets.token_urlsafe(16)


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
