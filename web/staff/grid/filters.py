"""The filters above a list: their values in the address, and how the page draws them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from common.data.days import day_if_any

LONGEST = 200
"""The most characters of a text that is searched for."""
CHOICE, TEXT, DAY, NUMBER, FLAG = "choice", "text", "day", "number", "flag"


@dataclass(frozen=True)
class Filter:
    """A filter of a list. A value that is not understood does not filter.

    Attributes:
        name: The parameter in the address.
        value: What the address asks for; "" does not filter.
        label: Its words; of a text or a number also the hint in the empty field.
        every: Of a choice: the words of the option that does not filter.
    """

    name: str
    value: str
    label: str
    kind: str = TEXT
    every: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    least: int = 0
    most: int = 999_999

    def __bool__(self) -> bool:
        return bool(self.value)


def choice(request: HttpRequest, name: str, label: str, every: str, choices: Iterable[tuple[Any, Any]]) -> Filter:
    """A menu. The choices are pairs of a value and its words."""
    pairs = tuple((str(value), str(words)) for value, words in choices)
    value = request.GET.get(name, "")
    return Filter(name, value if value in dict(pairs) else "", label, CHOICE, every, pairs)


def text(request: HttpRequest, label: str, name: str = "q") -> Filter:
    """A text that is searched for."""
    return Filter(name, request.GET.get(name, "").replace("\0", "").strip()[:LONGEST], label)


def day(request: HttpRequest, name: str, label: str) -> Filter:
    """A day in UTC such as 2026-11-21."""
    found = day_if_any(request.GET.get(name, ""))
    return Filter(name, found.isoformat() if found else "", label, DAY)


def number(request: HttpRequest, name: str, label: str, *, least: int = 0, most: int = 999_999) -> Filter:
    """A number from `least` to `most`."""
    value = request.GET.get(name, "")
    try:
        is_number = least <= float(value) <= most
    except ValueError:
        is_number = False
    return Filter(name, value if is_number else "", label, NUMBER, least=least, most=most)


def flag(request: HttpRequest, name: str, label: str) -> Filter:
    """A box that is ticked or not."""
    return Filter(name, "1" if request.GET.get(name) == "1" else "", label, FLAG)
