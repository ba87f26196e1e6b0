"""Pages of long lists by the place of a row: page 1000 costs as much as page 1.

The address names the row after which (or before which) the page begins, not a number of rows to skip, so rows that are
added or removed do not shift the page. An index that ends in the keys must serve each part of the list.
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
    """Rows in one order, either all ascending or all descending by the keys. Keys are never null, and unique together.

    Attributes:
        prefix: Columns before the keys that have the same value in all rows. They are named only so that the index is
            used.
    """

    rows: "QuerySet[M]"
    keys: tuple[str, ...]
    is_descending: bool
    prefix: tuple[str, ...] = ()

    def read(self, place: list[Any] | None, limit: int, *, backwards: bool) -> list[M]:
        """Up to `limit` rows after a place, or from the beginning. With `backwards`.

        Rows before it, the last one first.
        """
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
        # The first condition is redundant, but the database needs it to use the index.
        deeper = Part(self.rows, tuple(others), self.is_descending)._beyond(rest, way)
        return Q(**{f"{key}__{way}e": first}) & (Q(**{f"{key}__{way}": first}) | Q(**{key: first}) & deeper)

    def place_of(self, row: M) -> list[Any]:
        return [_plain(getattr(row, name)) for name in self.keys]

    def understands(self, place: list[Any]) -> list[Any] | None:
        """The values of a place converted for the columns; None if the place does not fit this part."""
        if len(place) != len(self.keys):
            return None
        try:
            values = [self._field(name).to_python(value) for name, value in zip(self.keys, place, strict=True)]
        except (FieldDoesNotExist, ValidationError, TypeError, ValueError, OverflowError):
            return None
        return None if None in values else values

    def _field(self, name: str) -> Any:
        """The column of this name, or what the rows are annotated with under it."""
        annotated = self.rows.query.annotations.get(name)
        return annotated.output_field if annotated is not None else self.rows.model._meta.get_field(name)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else value.isoformat()


@dataclass(frozen=True)
class Window(Generic[M]):
    """One page: its rows, and the values for `?after=` and `?before=` that lead to its neighbours.

    "" if there is none.
    """

    rows: list[M]
    following: str
    preceding: str


def window(request: HttpRequest, parts: Sequence[Part[M]], *, size: int) -> Window[M]:
    """The page that the address asks for. The list consists of the parts, one after another. At most 1 query a part.

    A place that cannot be read leads to the beginning of the list.
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
    """The number of rows as text. Counting stops at `most`. 1 query."""
    number = rows.order_by()[: most + 1].count()
    return f"{number:,}" if number <= most else f"more than {most:,}"
