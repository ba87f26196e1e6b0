"""Pages of long lists by the place of their last row: page 1000 costs what page 1 costs.

An address names the row after which (or before which) the page begins, not how many to skip, so rows that come and go
shift nothing. Each part of a list must be served by an index that ends in its keys.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

M = TypeVar("M", bound=Model)
AFTER, BEFORE = "after", "before"


@dataclass(frozen=True)
class Part(Generic[M]):
    """Rows in one order, all ascending or all descending by these keys, which are never null and together unique.

    Attributes:
        prefix: Columns before the keys that are the same in all rows; they are only there for the index.
    """

    rows: "QuerySet[M]"
    keys: tuple[str, ...]
    is_descending: bool
    prefix: tuple[str, ...] = ()

    def read(self, place: list[Any] | None, limit: int, *, backwards: bool) -> list[M]:
        """Up to `limit` rows beyond a place, or from the edge; backwards: the last row first."""
        falls = self.is_descending != backwards
        sign = "-" if falls else ""
        rows = self.rows.order_by(*(f"{sign}{name}" for name in (*self.prefix, *self.keys)))
        if place is not None:
            rows = rows.filter(self._beyond(place, "lt" if falls else "gt"))
        return list(rows[:limit])

    def _beyond(self, place: list[Any], way: str) -> Q:
        key, *others = self.keys
        first, *rest = place
        if not others:
            return Q(**{f"{key}__{way}": first})
        # The first condition says nothing new, but an index understands it.
        deeper = Part(self.rows, tuple(others), self.is_descending)._beyond(rest, way)
        return Q(**{f"{key}__{way}e": first}) & (Q(**{f"{key}__{way}": first}) | Q(**{key: first}) & deeper)

    def place_of(self, row: M) -> list[Any]:
        return [_plain(getattr(row, name)) for name in self.keys]

    def understands(self, place: list[Any]) -> list[Any] | None:
        """The values of a place as the columns have them; None where it is none of this part."""
        if len(place) != len(self.keys):
            return None
        try:
            fields = [self.rows.model._meta.get_field(name) for name in self.keys]
            values = [field.to_python(value) for field, value in zip(fields, place, strict=True)]  # type: ignore[union-attr]
        except (FieldDoesNotExist, ValidationError, TypeError, ValueError, OverflowError):
            return None
        return None if None in values else values


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else value.isoformat()


@dataclass(frozen=True)
class Window(Generic[M]):
    """One page: its rows, and what `?after=` or `?before=` leads on and back; "" where there is nothing."""

    rows: list[M]
    following: str
    preceding: str


def window(request: HttpRequest, parts: Sequence[Part[M]], *, size: int) -> Window[M]:
    """The page that the address asks for, of a list made of parts one after another. At most 1 query a part.

    A place that cannot be understood is the beginning.
    """
    for name in (BEFORE, AFTER):
        place = _place(request.GET.get(name, ""), parts)
        if place is not None:
            return _read(parts, *place, size=size, backwards=name == BEFORE)
    return _read(parts, 0, None, size=size, backwards=False)


def _read(parts: Sequence[Part[M]], start: int, place: list[Any] | None, *, size: int, backwards: bool) -> Window[M]:
    found: list[tuple[int, M]] = []
    order = range(start, -1, -1) if backwards else range(start, len(parts))
    for number in order:
        begin = place if number == start else None
        wanted = size + 1 - len(found)
        if wanted > 0:
            found += [(number, row) for row in parts[number].read(begin, wanted, backwards=backwards)]
    has_more, found = len(found) > size, found[:size]
    if backwards:
        found.reverse()
    if not found:
        return Window([], "", "")
    first, last = _token(parts, *found[0]), _token(parts, *found[-1])
    rows = [row for _, row in found]
    if backwards:
        return Window(rows, following=last, preceding=first if has_more else "")
    return Window(rows, following=last if has_more else "", preceding=first if place is not None else "")


def _token(parts: Sequence[Part[M]], number: int, row: M) -> str:
    return json.dumps([number, *parts[number].place_of(row)], separators=(",", ":"))


def _place(token: str, parts: Sequence[Part[M]]) -> tuple[int, list[Any] | None] | None:
    try:
        number, *place = json.loads(token)
    except (ValueError, TypeError, RecursionError):
        return None
    if type(number) is not int or not 0 <= number < len(parts):
        return None
    values = parts[number].understands(place)
    return None if values is None else (number, values)


def counted(rows: "QuerySet[M]", *, most: int) -> str:
    """How many rows there are, in words; counting stops at `most`. 1 query."""
    number = rows.order_by()[: most + 1].count()
    return f"{number:,}" if number <= most else f"more than {most:,}"
