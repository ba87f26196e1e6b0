"""The columns of a list, and the orders in which an index serves its rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet

from web.http.keyset_pages import Part

R = TypeVar("R")
NUMBER, WIDE = "num", "wide"
"""Kinds of columns: a number stands on the right, a wide one takes the width that is left."""


@dataclass(frozen=True)
class Column(Generic[R]):
    """One column of a list.

    Attributes:
        key: Its word in addresses and files, and the name of its block in the template of the cells.
        label: Its head on the page.
        value: Its value in a row, as files have it. A column without a block in the template shows it too.
        kind: How its cells are set: "", `NUMBER` or `WIDE`.
        is_usual: Whether the page shows it unless columns are chosen.
        is_fixed: Whether it cannot be hidden: it names the row.
    """

    key: str
    label: str
    value: Callable[[R], object]
    kind: str = ""
    is_usual: bool = True
    is_fixed: bool = False


@dataclass(frozen=True)
class Order:
    """An order in which an index serves the rows. Only such orders are offered: a page never sorts a whole table.

    Attributes:
        parts: Makes the parts of the list, for ascending (False) or descending (True).
        is_descending: The direction unless another is asked for.
    """

    parts: Callable[[QuerySet[Any], bool], Sequence[Part[Any]]]
    is_descending: bool = True


def by(*keys: str, is_descending: bool = True, prefix: tuple[str, ...] = (), can_lack: bool = False) -> Order:
    """The order by these columns, which together are unique.

    Args:
        prefix: As for `Part`.
        can_lack: Whether the first of the keys may be null; such rows come last either way, by the other keys.
    """

    def parts(rows: QuerySet[Any], falls: bool) -> Sequence[Part[Any]]:
        if not can_lack:
            return [Part(rows, keys, falls, prefix)]
        first, *others = keys
        return [
            Part(rows.filter(**{f"{first}__isnull": False}), keys, falls, prefix),
            Part(rows.filter(**{f"{first}__isnull": True}), tuple(others), falls, (*prefix, first)),
        ]

    return Order(parts, is_descending)


NEWEST = by("id")
"""The newest rows first, or the oldest."""
