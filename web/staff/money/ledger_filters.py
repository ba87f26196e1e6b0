"""The entries of the ledger that an account may see: filters, lists that a form carries, sums, CSV, plots."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial, reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Project
from common.data.days import day_in, midnight
from common.tables.csv import csv_lines
from lib.faults import Invalid
from lib.plots.charts import bar_plot
from web.staff.decorators import chosen
from web.staff.figure_files import Figure
from web.staff.grid.columns import NUMBER, WIDE, Column
from web.staff.grid.filters import Filter, choice, day
from web.staff.money.listed_rows import packed, unpacked
from web.staff.projects.figures import Figures
from workforce.ledger import PAYABLE
from workforce.models import LedgerEntry, Worker

State, Kind = LedgerEntry.State, LedgerEntry.Kind
LONGEST = 128
MOST_LISTED = 100_000
"""The most entries that a page can mark or export at once."""
BATCH = 1000
"""The most entries that one query names."""
DAYS = 30
PLACES = Decimal("0.0001")
COLUMNS = (
    "entry",
    "at",
    "project",
    "worker",
    "kind",
    "amount",
    "currency",
    "state",
    "state_at",
    "for",
    "note",
)


class Total(NamedTuple):
    """The sum and number of entries in one state and currency, and the newest time at which one got this state."""

    state: str
    currency: str
    n: int
    amount: Decimal
    newest: datetime | None


@dataclass(frozen=True)
class Filters:
    """The filters in an address; "" and None do not filter. Days are in UTC, both ends included."""

    project: str = ""
    state: str = ""
    kind: str = ""
    search: str = ""
    since: date | None = None
    until: date | None = None


def filters_of(request: HttpRequest) -> Filters:
    """The filters in the address.

    Raises:
        Invalid: a day is not valid, or a search text is longer than any worker's name.
    """
    search = request.GET.get("q", "").strip()
    if "\0" in search or len(search) > LONGEST:
        raise Invalid(f"Use at most {LONGEST} characters for a worker, none of them NUL.")
    return Filters(
        project=chosen(request, "project", [project.slug for project in projects_for(request.user)]),
        state=chosen(request, "state", State.values),
        kind=chosen(request, "kind", Kind.values),
        search=search,
        since=day_in(request.GET.get("since", "")),
        until=day_in(request.GET.get("until", "")),
    )


def projects_for(user: Account) -> "QuerySet[Project]":
    """The projects whose entries the account may see and mark: those of which it is an admin."""
    return roles.projects_for(user, Role.ADMIN).only("slug", "title", "currency").order_by("title", "pk")


def entries_for(user: Account) -> "QuerySet[LedgerEntry]":
    """The entries that the account may see and mark. Entries of no project are shown only to admins of all projects."""
    rows = LedgerEntry.objects.all()
    if roles.may_everywhere(user, Role.ADMIN):
        return rows
    return rows.filter(account__in=roles.projects_for(user, Role.ADMIN).values("slug"))


def narrowed(user: Account, filters: Filters) -> "QuerySet[LedgerEntry]":
    """The entries that match the filters, without an order."""
    rows = entries_for(user)
    wanted = {"account": filters.project, "state": filters.state, "kind": filters.kind}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value})
    if filters.search:
        rows = rows.filter(worker__in=Worker.objects.filter(roles.found_by(user, filters.search)).values("pk"))
    if since := midnight(filters.since):
        rows = rows.filter(at__gte=since)
    if until := midnight(filters.until, days_later=1):
        rows = rows.filter(at__lt=until)
    return rows


def totals_of(rows: "QuerySet[LedgerEntry]") -> list[Total]:
    """Totals by state, in the order in which an entry passes through them, and by currency. 1 query."""
    groups = rows.order_by().values_list("state", "currency")
    found = groups.annotate(n=Count("pk"), total=Sum("amount"), newest=Max("state_at"))
    order = list(State)
    totals = [Total(state, currency, n, total.quantize(PLACES), newest) for state, currency, n, total, newest in found]
    return sorted(totals, key=lambda one: (one.currency, order.index(State(one.state))))


def drawn_filters(request: HttpRequest, asked: Filters) -> list[Filter]:
    """The filters as the page draws them."""
    projects = [(project.slug, project.title) for project in projects_for(request.user)]
    return [
        choice(request, "project", "Project", "Every project", projects),
        choice(request, "state", "State", "Every state", State.choices),
        choice(request, "kind", "Kind", "Every kind", Kind.choices),
        Filter("q", asked.search, "Worker"),
        day(request, "since", "From (UTC)"),
        day(request, "until", "To (UTC)"),
    ]


def columns_for(user: Account) -> list[Column[LedgerEntry]]:
    """The columns of the list; a worker has the name that the account may know."""

    def name(entry: LedgerEntry) -> str:
        return entry.worker.identity if roles.knows(user, entry.worker) else entry.worker.pseudonym

    return [
        Column("entry", "Entry", lambda entry: entry.pk, NUMBER, is_fixed=True),
        Column("newest", "Earned", lambda entry: entry.at),
        Column("worker", "Worker", name),
        Column("kind", "Kind", lambda entry: entry.kind),
        Column("amount", "Amount", lambda entry: entry.amount.quantize(PLACES), NUMBER),
        Column("currency", "Currency", lambda entry: entry.currency, is_usual=False),
        Column("state", "State", lambda entry: entry.state, WIDE),
        Column("state_at", "State since", lambda entry: entry.state_at, is_usual=False),
        Column("project", "Project", lambda entry: entry.account),
        Column("for", "For", lambda entry: entry.reason, is_usual=False),
        Column("note", "Note", lambda entry: entry.note, is_usual=False),
    ]


# What a page listed ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListedEntries:
    """The entries that a page listed, by their state at that time.

    Attributes:
        until: The newest time at which one of them got its state. An entry that returned to its state later was marked
            in between, so it is left out.
    """

    entries: Mapping[LedgerEntry.State, Sequence[int]]
    until: datetime | None

    @property
    def n(self) -> int:
        return sum(len(ids) for ids in self.entries.values())

    def __str__(self) -> str:
        until = [f"until={self.until.isoformat()}"] if self.until else []
        return " ".join([*(f"{state.value}={packed(ids)}" for state, ids in self.entries.items()), *until])

    def unchanged(
        self, rows: "QuerySet[LedgerEntry]", states: Collection[LedgerEntry.State] = ()
    ) -> "list[QuerySet[LedgerEntry]]":
        """Those of the rows that are still in the state in which they were listed, oldest first, in parts."""
        unmoved = Q(state_at=None) if self.until is None else Q(state_at=None) | Q(state_at__lte=self.until)
        wanted = [state for state in self.entries if not states or state in states]
        ids = sorted((pk, state) for state in wanted for pk in self.entries[state])
        parts = []
        for start in range(0, len(ids), BATCH):
            named = [
                Q(state=state, pk__in=[pk for pk, its in ids[start : start + BATCH] if its == state])
                for state in wanted
            ]
            parts.append(rows.filter(unmoved, reduce(or_, named)))
        return parts


def listed_entries(rows: "QuerySet[LedgerEntry]", totals: list[Total]) -> ListedEntries | None:
    """The entries that a page with these totals lists; None if there are too many to mark at once. At most 1 query."""
    if sum(one.n for one in totals) > MOST_LISTED:
        return None
    until = max((one.newest for one in totals if one.newest), default=None)
    entries: dict[LedgerEntry.State, list[int]] = {State(one.state): [] for one in totals}
    known = rows.filter(Q(state_at=None) if until is None else Q(state_at=None) | Q(state_at__lte=until))
    for state, pk in known.order_by("pk").values_list("state", "pk")[:MOST_LISTED]:
        entries.setdefault(State(state), []).append(pk)
    return ListedEntries(entries, until)


def read_listed(text: str) -> ListedEntries:
    """The entries that a form says its page listed.

    Raises:
        Invalid: the form's text is missing or broken.
    """
    given = dict(part.partition("=")[::2] for part in text.split())
    try:
        until = datetime.fromisoformat(given.pop("until")) if "until" in given else None
        entries = {State(state): unpacked(ids, most=MOST_LISTED) for state, ids in given.items()}
    except ValueError:
        raise Invalid("What the page listed cannot be read. Load it again.") from None
    if not given or (until is not None and until.tzinfo is None):
        raise Invalid(f"Load the page again; of more than {MOST_LISTED:,} entries, narrow the list first.")
    return ListedEntries(entries, until)


# As a file -------------------------------------------------------------------------------------------------------


def as_csv(user: Account, *parts: "QuerySet[LedgerEntry]") -> Iterator[bytes]:
    """One line for each entry, oldest first, streamed.

    Workers have the name that the account may know, or their whole pseudonym.
    """
    ordered = (rows.select_related("worker").order_by("pk").iterator(chunk_size=1000) for rows in parts)
    return csv_lines(COLUMNS, (_cells(user, entry) for entry in chain.from_iterable(ordered)))


def _cells(user: Account, entry: LedgerEntry) -> Sequence[object]:
    return (
        entry.pk,
        entry.at.isoformat(),
        entry.account,
        entry.worker.identity if roles.knows(user, entry.worker) else entry.worker.pseudonym,
        entry.kind,
        # The amount is a number, so a minus sign does not make it a formula.
        entry.amount.quantize(PLACES),
        entry.currency,
        entry.state,
        entry.state_at.isoformat() if entry.state_at else None,
        entry.reason,
        entry.note,
    )


# Plots -----------------------------------------------------------------------------------------------------------


def figures_of(rows: "QuerySet[LedgerEntry]", totals: list[Total], *, at: datetime) -> Figures:
    """The spending by day and by state, in the most frequent currency. Each plot is computed when it is called.

    1 query.
    """
    currency = max(totals, key=lambda one: one.n).currency if totals else ""
    alike = rows.filter(currency=currency)
    return {
        "spending": partial(_spending, alike, currency, at=at),
        "states": partial(_states, totals, currency),
    }


def _spending(rows: "QuerySet[LedgerEntry]", currency: str, *, at: datetime) -> Figure:
    first = (at - timedelta(days=DAYS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    dated = rows.filter(at__gte=first).order_by().annotate(day=TruncDate("at")).values_list("day", "state")
    found = {(day, state): total.quantize(PLACES) for day, state, total in dated.annotate(total=Sum("amount"))}
    days = [(first + timedelta(days=number)).date() for number in range(DAYS)]
    spent = [sum((found.get((day, state), Decimal(0)) for state in PAYABLE), Decimal(0)) for day in days]
    return Figure(
        "Spending a day",
        f"In {currency or 'no currency'}, the last {DAYS} days in UTC, by when it was earned; what was rejected is not "
        "in it. The file has each state by itself.",
        bar_plot([(f"{day:%d %b}", max(float(total), 0.0)) for day, total in zip(days, spent, strict=True)]),
        ["day", "state", "amount", "currency"],
        [[day.isoformat(), state, str(found[day, state]), currency] for day, state in sorted(found)],
    )


def _states(totals: list[Total], currency: str) -> Figure:
    alike = [one for one in totals if one.currency == currency]
    return Figure(
        "How far it is paid",
        f"In {currency or 'no currency'}, of all that is listed.",
        bar_plot([(one.state, max(float(one.amount), 0.0)) for one in alike]),
        ["state", "entries", "amount", "currency"],
        [[one.state, one.n, str(one.amount), one.currency] for one in alike],
    )
