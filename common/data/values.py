"""Small values that many modules use: opaque ids and money."""

import secrets
import string
from decimal import Decimal
from typing import TypedDict


class MoneyDict(TypedDict):
    """Money as the API shows it: a decimal string and an ISO 4217 code."""

    amount: str
    currency: str


def opaque_id() -> str:
    """A new random id: more than 128 random bits, URL-safe, 23 characters, the first a letter.

    It is not a counter, because a worker must not read the order or kind of tasks from it. It begins with a letter,
    because a spreadsheet runs a cell that begins with a hyphen, and a command line reads such a word as an option.
    """
    return secrets.choice(string.ascii_letters) + secrets.token_urlsafe(16)


def money(amount: Decimal, currency: str) -> MoneyDict:
    """Money as the API shows it, with at least two decimal places.

    >>> money(Decimal("0.3"), "USD")
    {'amount': '0.30', 'currency': 'USD'}
    """
    places = max(2, -int(amount.normalize().as_tuple().exponent)) if amount else 2
    return {"amount": f"{amount:.{places}f}", "currency": currency}
