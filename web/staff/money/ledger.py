"""The ledger, for admins of the projects that pay: entries, marking them as paid, corrections, export."""

from collections.abc import Collection, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.models import Annotation, Approval
from annotation.pay import budget, hourly_rate
from annotation.pay.budget import correct_pay
from common.data.values import opaque_id
from lib.faults import CrosswalkError, Forbidden, Invalid, NotFound
from web.http.exports import exported
from web.staff.decorators import ROWS, staff_actor, staff_only
from web.staff.figure_files import file_asked
from web.staff.grid.downloads import download
from web.staff.grid.listing import DOWNLOAD, Listing, shown
from web.staff.money import ledger_filters
from web.staff.money.ledger_filters import Filters, ListedEntries
from workforce.ledger import FROM, OF_NO_ANSWER, move_on_record
from workforce.models import LedgerEntry, Worker

State, Kind = LedgerEntry.State, LedgerEntry.Kind
ACTS = {
    "sent": State.SENT,
    "confirmed": State.CONFIRMED,
    "failed": State.FAILED,
    "approved": State.APPROVED,
}


LONGEST_REASON = 2000


class Typed(NamedTuple):
    """A correction as it was typed."""

    project: str = ""
    worker: str = ""
    amount: str = ""
    why: str = ""
    key: str = ""


class Marks(NamedTuple):
    """The chosen entries and the reason, in a form that was refused."""

    which: str = "ticked"
    entries: Collection[str] = ()
    reason: str = ""


@staff_only
@require_safe
def ledger(request: HttpRequest) -> HttpResponseBase:
    """One page of entries, newest first."""
    _check_admin(request)
    return _page(request)


def _check_admin(request: HttpRequest) -> None:
    if not roles.may_somewhere(request.user, Role.ADMIN):
        raise Forbidden(roles.NEEDS[Role.ADMIN])


def _page(
    request: HttpRequest,
    *,
    error: str = "",
    refusal: str = "",
    typed: Typed | None = None,
    kept: ListedEntries | None = None,
    marks: Marks | None = None,
    status: int = 200,
) -> HttpResponseBase:
    """The page of entries.

    Args:
        kept: The entries that were listed on the page of a refused form. The form still confirms these, not newer ones.
    """
    filters = ledger_filters.filters_of(request)
    rows = ledger_filters.narrowed(request.user, filters)
    listing = Listing(
        name="ledger",
        what="entry",
        many="entries",
        rows=rows.select_related("worker"),
        columns=ledger_filters.columns_for(request.user),
        made=lambda found: found,
        filters=ledger_filters.drawn_filters(request, filters),
        cells="staff/money/_ledger_cells.html",
        pick=lambda entry: str(entry.pk),
        pick_name="entry",
        form="mark",
        names_workers=True,
    )
    if DOWNLOAD in request.GET:
        return download(request, listing)
    totals = ledger_filters.totals_of(rows)
    figures = ledger_filters.figures_of(rows, totals, at=timezone.now())
    if (file := file_asked(request, figures)) is not None:
        return file
    project = roles.projects_for(request.user).filter(slug=filters.project).first() if filters.project else None
    listed = kept or ledger_filters.listed_entries(rows, totals)
    ctx = {
        "section": "ledger",
        "project": project,
        "projects": ledger_filters.projects_for(request.user),
        "grid": shown(request, listing),
        "totals": totals,
        "listed_rows": listed,
        "n_listed": f"{listed.n:,}" if listed else "",
        "is_kept": kept is not None,
        "marks": marks or Marks(),
        "picked": marks.entries if marks else (),
        "hourly": hourly_rate.hourly_rate_of(project) if project else None,
        "figures": [(name, make()) for name, make in figures.items()],
        "error": error,
        "refusal": refusal,
        "typed": typed or Typed(project=filters.project, worker=filters.search, key=opaque_id()),
    }
    return render(request, "staff/money/ledger.html", ctx, status=status)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def ledger_csv(request: HttpRequest) -> HttpResponseBase:
    """The entries as CSV, one a line: all that match the filters, or for a POST all that the page listed.

    Raises:
        Invalid: the form does not say which entries the page listed.
    """
    _check_admin(request)
    if request.method == "POST":
        listed = ledger_filters.read_listed(request.POST.get("seen", ""))
        parts = listed.unchanged(ledger_filters.entries_for(request.user))
    else:
        parts = [ledger_filters.narrowed(request.user, ledger_filters.filters_of(request))]
    return exported(
        request,
        ledger_filters.as_csv(request.user, *parts),
        what="ledger",
        by=staff_actor(request),
        content_type="text/csv; charset=utf-8",
        filename="ledger.csv",
    )


@staff_only
@require_safe
def entry(request: HttpRequest, pk: int) -> HttpResponse:
    """One entry, with the data from which its amount was computed.

    Raises:
        NotFound: there is no such entry, or the account has no role in the project that pays.
        Forbidden: the account has a role there, but is no admin.
    """
    found = LedgerEntry.objects.select_related("worker").filter(pk=pk).first()
    if found is None:
        raise NotFound
    project = roles.projects_for(request.user).filter(slug=found.account).first()
    if project is not None:
        roles.check_in(request.user, project, Role.ADMIN)
    elif not roles.may_everywhere(request.user, Role.ADMIN):
        raise NotFound
    annotation = _annotation_of(found)
    ctx = {
        "section": "ledger",
        "entry": found,
        "project": project,
        "inputs": list(_flat(found.inputs)),
        "annotation": annotation,
        "approval": Approval.objects.filter(annotation=annotation).first() if annotation else None,
    }
    return render(request, "staff/money/ledger_entry.html", ctx)


def _annotation_of(found: LedgerEntry) -> Annotation | None:
    """The answer that an entry pays for; None if it pays for something else. At most 1 query."""
    known = found.inputs if isinstance(found.inputs, dict) else {}
    named = str(known.get("annotation", ""))
    for begin in (budget.BASE, budget.BONUS):
        if found.reason.startswith(begin):
            named = found.reason.removeprefix(begin)
    if not named:
        return None
    return Annotation.objects.filter(public_id=named, worker=found.worker_id).select_related("task", "project").first()


def _flat(value: Any, name: str = "") -> Iterable[tuple[str, str]]:
    """The values in a JSON object, each with the path that leads to it.

    >>> list(_flat({"score": 6.2, "weights": {"quantity": 1}, "days": [1, 2]}))
    [('score', '6.2'), ('weights quantity', '1'), ('days 1', '1'), ('days 2', '2')]
    """
    if value is None and not name:
        return
    pairs: Iterable[tuple[str, Any]]
    if isinstance(value, dict):
        pairs = ((str(key).replace("_", " "), part) for key, part in value.items())
    elif isinstance(value, list):
        pairs = ((str(number), part) for number, part in enumerate(value, start=1))
    else:
        yield name, {True: "yes", False: "no", None: "–"}.get(value, str(value)) if _is_plain(value) else str(value)
        return
    for key, part in pairs:
        yield from _flat(part, f"{name} {key}".strip())


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool)


# Marking ---------------------------------------------------------------------------------------------------------


@staff_only
@require_POST
def mark(request: HttpRequest) -> HttpResponseBase:
    """Mark entries as sent, arrived or failed, or reset failed ones so that they are paid again."""
    _check_admin(request)
    filters = ledger_filters.filters_of(request)
    listed = None
    try:
        # The list is read first, so that a form that is refused for another reason keeps it.
        listed = ledger_filters.read_listed(text) if (text := request.POST.get("seen", "")) else None
        to = ACTS.get(request.POST.get("act", ""))
        if to is None:
            raise Invalid("Entries can be marked as sent, confirmed, failed or approved.")
        n, parts = _chosen(request, to, listed)
        moved = move_on_record(
            *(_markable(rows, to) for rows in parts),
            to=to,
            by=staff_actor(request),
            at=timezone.now(),
            note=_plain(request, "reason")[:LONGEST_REASON] if to == State.FAILED else "",
            account=filters.project,
        )
    except CrosswalkError as error:
        marks = Marks(
            request.POST.get("which", ""), request.POST.getlist("entry"), _plain(request, "reason")[:LONGEST_REASON]
        )
        return _page(request, error=error.reason, kept=listed, marks=marks, status=error.status)
    stayed = f" {n - moved} stay as they are: they are not that far, or further." if n > moved else ""
    later = _later(request, filters, to) if _is_of_all(request) else ""
    messages.success(request, f"✓ {moved} {'is' if moved == 1 else 'are'} {to.value} now.{stayed}{later}")
    return redirect(f"{reverse('staff-ledger')}?{request.GET.urlencode()}")


def _is_of_all(request: HttpRequest) -> bool:
    return request.POST.get("which") == "listed"


def _plain(request: HttpRequest, name: str) -> str:
    """The typed text without NUL, which PostgreSQL does not store."""
    return request.POST.get(name, "").replace("\0", "")


def _chosen(
    request: HttpRequest, to: LedgerEntry.State, listed: ListedEntries | None
) -> tuple[int, "list[QuerySet[LedgerEntry]]"]:
    """The number of chosen entries, and those of them that may get this mark, in parts.

    Raises:
        Invalid: nothing is ticked; or all listed entries are meant, but the form does not say which these are.
    """
    mine = ledger_filters.entries_for(request.user)
    if _is_of_all(request):
        listed = listed or ledger_filters.read_listed("")
        return listed.n, listed.unchanged(mine, FROM[to])
    named = [int(pk) for pk in request.POST.getlist("entry") if pk.isascii() and pk.isdigit() and len(pk) < 19]
    if not named:
        raise Invalid("Nothing is chosen. Tick some entries first, or choose all that are listed.")
    ticked = mine.filter(pk__in=named[:ROWS])
    return ticked.count(), [ticked]


def _later(request: HttpRequest, filters: Filters, to: LedgerEntry.State) -> str:
    """The entries that could get this mark, but came after the page was loaded, so that nobody has seen them.

    1 query.
    """
    rows = _markable(ledger_filters.narrowed(request.user, filters), to)
    n = rows.filter(state__in=FROM[to]).count()
    words = " or ".join(state.value for state in State if state in FROM[to] and state != State.REJECTED)
    return f" {n} more became {words} meanwhile; {'it is' if n == 1 else 'they are'} not among these." if n else ""


def _markable(rows: "QuerySet[LedgerEntry]", to: LedgerEntry.State) -> "QuerySet[LedgerEntry]":
    """The entries that staff may mark here.

    Pay for an answer is decided on the approvals page, unless it has failed.
    """
    if to != State.APPROVED:
        return rows
    return rows.filter(Q(state=State.FAILED) | Q(state=State.OWED, kind__in=OF_NO_ANSWER))


# Correcting ------------------------------------------------------------------------------------------------------


@staff_only
@require_POST
def correct(request: HttpRequest) -> HttpResponseBase:
    """Add an amount to a worker's earnings in a project, or subtract it."""
    typed = Typed(*(_plain(request, name).strip() for name in Typed._fields))
    if not typed.project:
        _check_admin(request)
        return _page(request, refusal="Choose the project that pays.", typed=typed, status=422)
    project = roles.project_for(request.user, typed.project, Role.ADMIN)
    try:
        is_new = correct_pay(
            project=project,
            worker=_worker(request, typed.worker),
            amount=_amount(typed.amount),
            why=typed.why[:2000],
            by=staff_actor(request),
            at=timezone.now(),
            key=_key(typed.key),
        )
    except CrosswalkError as error:
        return _page(request, refusal=error.reason, typed=typed, status=error.status)
    said = f"✓ {typed.amount} {project.currency} entered." if is_new else "This correction had been entered before."
    messages.success(request, said)
    return redirect(reverse("staff-ledger", query={"project": project.slug, "kind": Kind.CORRECTION.value}))


def _worker(request: HttpRequest, text: str) -> Worker:
    """The one worker with this pseudonym, or with a name that the account may know.

    Raises:
        Invalid: there is none, or there are several.
    """
    if not text or len(text) > ledger_filters.LONGEST or "\0" in text:
        raise Invalid.at("#/worker", "Say which worker: the beginning of the pseudonym, or platform:name.")
    exact = Q(pseudonym=text)
    if ":" in text and roles.may_somewhere(request.user, Role.ADMIN):
        platform, _, name = text.partition(":")
        exact |= Q(platform=platform, external_id=name)
    mine = roles.workers_for(request.user, Role.ADMIN)
    found = list(mine.filter(exact)[:2]) or list(mine.filter(roles.found_by(request.user, text))[:2])
    if len(found) != 1:
        many = "Several workers are" if found else "No worker of your projects is"
        raise Invalid.at("#/worker", f"{many} called {text}. Give the whole pseudonym, or platform:name.")
    return found[0]


def _amount(text: str) -> Decimal:
    """The amount that was typed.

    Raises:
        Invalid: the text is no amount of money.
    """
    try:
        value = Decimal(text.replace("−", "-"))
    except InvalidOperation:
        raise Invalid.at("#/amount", "Write the amount as 1.50, or -1.50 to take back.") from None
    if not value.is_finite() or abs(value) >= budget.HELD or value != value.quantize(Decimal("0.0001")):
        raise Invalid.at("#/amount", "Write the amount as 1.50, with four places at most.")
    return value


def _key(text: str) -> str:
    if not text or len(text) > 64 or not text.isascii() or not text.isprintable():
        raise Invalid("Load the page again to make a correction.")
    return text
