"""One list of the staff pages: its rows, columns, orders, filters and acts, and the page that an address asks for.

Every list page is made of this, so that sorting, choosing columns, pages both ways, saved views, files and acts on many
rows work alike on all of them. A page reads one page of rows by an index, wherever in the list it is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from web.http.keyset_pages import counted, window
from web.models import SavedView
from web.staff.grid.columns import NEWEST, Column, Order
from web.staff.grid.filters import Filter

M = TypeVar("M", bound=Model)
R = TypeVar("R")
ROWS = 50
"""The number of rows on one page."""
MOST_COUNTED = 10_000
"""Counting stops at this number: the exact number of more rows changes nothing for anyone."""
BATCH = 500
"""The number of rows that a file or an act reads at once."""
PLACES = ("after", "before", "page")
SORT, ORDER, COLUMN, DOWNLOAD = "sort", "order", "column", "download"
ASCENDING, DESCENDING = "asc", "desc"


class Given(NamedTuple):
    """The values that were typed and chosen for an act."""

    reason: str
    option: str


@dataclass(frozen=True)
class Act(Generic[M]):
    """Something that is done to chosen rows.

    Attributes:
        key: Its word in the form.
        label: The button.
        done: What is said of the rows to which it was done: "3 closed".
        do: Does it to one row. Returns False if the row was so already.
        options: Of an act that asks for a choice: the values with their words.
        needs_reason: Whether a reason must be given, once for all of them.
        takes_reason: Whether a given reason is kept. Where no act of a list keeps one, none is asked for.
        is_final: Whether it is asked once more before it is done.
        most: The most rows at once.
    """

    key: str
    label: str
    done: str
    do: Callable[[M, Given], object]
    options: Sequence[tuple[str, str]] = ()
    needs_reason: bool = False
    takes_reason: bool = True
    is_final: bool = False
    most: int = 1000


@dataclass(frozen=True)
class Listing(Generic[M, R]):
    """A list, for one account and one address.

    Attributes:
        name: The name of its files, and of its exports in the audit log.
        what, many: The noun for one row, and for several.
        rows: All rows that the account may see and that pass the filters, without an order.
        made: Makes of rows of the database, in their order, what columns and cells read, one for each.
        orders: The orders by their words in the address; a word that is a column's key sorts by its head. The first
            is the usual one.
        cells: The template with a block `{% cell "key" %}` for each column that shows more than its value.
        acts: What may be done to chosen rows by this account.
        pick: The value of a row's box, "" for a row that cannot be chosen; without it, boxes hold numbers of rows and
            are there if there are acts.
        pick_name: The name of the boxes.
        form: The id of the form to which the boxes belong; a page may have its own.
        names_workers: Whether a file of it has names of workers.
        page: The address of the list, where a refused form with an address of its own draws it too.
    """

    name: str
    what: str
    rows: "QuerySet[M]"
    columns: Sequence[Column[R]]
    made: Callable[[list[M]], Sequence[R]]
    many: str = ""
    orders: Mapping[str, Order] = field(default_factory=lambda: {"newest": NEWEST})
    filters: Sequence[Filter] = ()
    cells: str = ""
    acts: Sequence[Act[M]] = ()
    pick: Callable[[R], str] | None = None
    pick_name: str = "row"
    form: str = "grid-acts"
    names_workers: bool = False
    page: str = ""

    @property
    def plural(self) -> str:
        return self.many or f"{self.what}s"

    @property
    def has_boxes(self) -> bool:
        return bool(self.acts) or self.pick is not None

    @property
    def takes_reason(self) -> bool:
        return any(act.takes_reason for act in self.acts)

    def batches(self, request: HttpRequest) -> Iterator[list[M]]:
        """All rows in the order that the address asks for, in batches. 1 query a batch."""
        asked = order_asked(request, self.orders)
        for part in self.orders[asked.word].parts(self.rows, asked.is_descending):
            place = None
            while found := part.read(place, BATCH, backwards=False):
                yield found
                if len(found) < BATCH:
                    break
                place = part.understands(part.place_of(found[-1]))


class Asked(NamedTuple):
    """The order that an address asks for."""

    word: str
    is_descending: bool


class Head(NamedTuple):
    """The head of a column, with the address that sorts by it; "" if no index serves that."""

    column: Column[Any]
    address: str
    sorted: str


class Choice(NamedTuple):
    """A column in the menu of columns."""

    column: Column[Any]
    is_shown: bool


class GridRow(NamedTuple):
    """A row of the page, the value of the box that chooses it ("" if it has none), and the name of the row."""

    pick: str
    name: str
    row: Any


class Link(NamedTuple):
    words: str
    address: str


class Refusal(NamedTuple):
    """A form of acts that was refused: its error, and what was typed and chosen."""

    error: str = ""
    reason: str = ""
    picked: Sequence[str] = ()
    which: str = ""


class Shown(NamedTuple):
    """One page of a list, as `templates/staff/grid/` draws it."""

    listing: Listing[Any, Any]
    heads: Sequence[Head]
    choices: Sequence[Choice]
    rows: Sequence[GridRow]
    following: str
    preceding: str
    total: str
    is_narrowed: bool
    orders: Sequence[tuple[str, str, bool]]
    way: str
    """The direction that the address asks for; "" for the usual one."""
    kept: Sequence[tuple[str, str]]
    """The parameters of the address that the form of filters does not hold itself, without the place in the list."""
    queried: Sequence[tuple[str, str]]
    """All parameters of the address but columns and places."""
    views: Sequence[SavedView]
    query: str
    files: Sequence[Link]
    refusal: Refusal
    page: str
    """The address of the list."""
    at: str
    """The path of the list's addresses; "" on the list's own page."""

    @property
    def without_filters(self) -> str:
        """The address of the list without its filters, with its columns and what else is chosen."""
        return f"{self.at}?{urlencode(self.kept)}"


def order_asked(request: HttpRequest, orders: Mapping[str, Order]) -> Asked:
    """The order that the address asks for; the first one if it asks for none that there is."""
    word = request.GET.get(SORT, "")
    word = word if word in orders else next(iter(orders))
    way = request.GET.get(ORDER, "")
    falls = way == DESCENDING if way in (ASCENDING, DESCENDING) else orders[word].is_descending
    return Asked(word, falls)


def columns_asked(request: HttpRequest, columns: Sequence[Column[R]]) -> list[Column[R]]:
    """The columns that the address asks for, in the list's order; the usual ones if it names none that there is."""
    asked = set(request.GET.getlist(COLUMN)) & {column.key for column in columns}
    return [column for column in columns if column.is_fixed or (column.key in asked if asked else column.is_usual)]


def shown(request: HttpRequest, listing: Listing[M, R], refusal: Refusal = Refusal()) -> Shown:  # noqa: B008
    """The page of the list that the address asks for. 1 query for each part of its order, 1 for the count, 1 for the
    saved views, and what `listing.made` needs."""
    asked = order_asked(request, listing.orders)
    found = window(request, listing.orders[asked.word].parts(listing.rows, asked.is_descending), size=ROWS)
    columns = columns_asked(request, listing.columns)
    made = zip(found.rows, listing.made(found.rows), strict=True)
    rows = [GridRow(_pick(listing, one, row), _name(listing, row), row) for one, row in made]
    names = {one.name for one in listing.filters}
    page = listing.page or request.path
    at = "" if page == request.path else page
    queried = [pair for pair in _pairs(request) if pair[0] not in (*PLACES, COLUMN, DOWNLOAD)]
    return Shown(
        listing=listing,
        heads=[_head(request, column, listing.orders, asked, at) for column in columns],
        choices=[Choice(column, column in columns) for column in listing.columns],
        rows=rows,
        following=found.following,
        preceding=found.preceding,
        total=counted(listing.rows, most=MOST_COUNTED),
        is_narrowed=any(listing.filters),
        orders=_choices_of_orders(listing, asked),
        way=request.GET.get(ORDER, ""),
        kept=[pair for pair in _pairs(request) if pair[0] not in names | {*PLACES, DOWNLOAD, SORT, ORDER}],
        queried=queried,
        views=list(SavedView.objects.filter(account_id=request.user.pk, page=page)),
        query=urlencode([pair for pair in _pairs(request) if pair[0] not in (*PLACES, DOWNLOAD)]),
        files=[Link(words, at + _address(request, **{DOWNLOAD: kind})) for kind, words in FILES.items()],
        refusal=refusal,
        page=page,
        at=at,
    )


def _pick(listing: Listing[M, R], one: M, row: R) -> str:
    if listing.pick is not None:
        return listing.pick(row)
    return str(one.pk) if listing.acts else ""


def _name(listing: Listing[M, R], row: R) -> str:
    return next((str(column.value(row)) for column in listing.columns if column.is_fixed), "")


FILES = {"csv": "CSV", "jsonl": "JSONL", "parquet": "Parquet"}


def _pairs(request: HttpRequest) -> list[tuple[str, str]]:
    return [(name, value) for name, values in request.GET.lists() for value in values if value]


def _address(request: HttpRequest, **changes: str) -> str:
    """The address of the list with these changes, from its beginning."""
    taken = {*PLACES, DOWNLOAD, *changes}
    return "?" + urlencode([pair for pair in _pairs(request) if pair[0] not in taken] + list(changes.items()))


def _head(request: HttpRequest, column: Column[R], orders: Mapping[str, Order], asked: Asked, at: str) -> Head:
    order = orders.get(column.key)
    if order is None:
        return Head(column, "", "")
    is_here = asked.word == column.key
    falls = not asked.is_descending if is_here else order.is_descending
    address = _address(request, **{SORT: column.key, ORDER: DESCENDING if falls else ASCENDING})
    return Head(column, at + address, _way(asked) if is_here else "")


def _way(asked: Asked) -> str:
    return DESCENDING if asked.is_descending else ASCENDING


def _choices_of_orders(listing: Listing[M, R], asked: Asked) -> list[tuple[str, str, bool]]:
    """The orders with their words and whether each is the present one, for where no heads are drawn."""
    labels = {column.key: column.label for column in listing.columns}
    return [
        (word, f"by {labels[word].lower()}" if word in labels else word, word == asked.word) for word in listing.orders
    ]
