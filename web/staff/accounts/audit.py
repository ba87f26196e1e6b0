"""The audit log: actors, actions, subjects, times and reasons; with filters and exports."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.datasets.annotations import as_lines
from audit import chain, search
from audit.models import AuditEvent
from audit.search import Filters
from common.data.days import day_in
from jobs.outbox import enqueue
from lib.faults import Forbidden, Invalid
from web.http.exports import exported
from web.staff.decorators import staff_actor, staff_only
from web.staff.grid.columns import NUMBER, WIDE, Column, by
from web.staff.grid.filters import CHOICE, DAY, Filter
from web.staff.grid.listing import Listing, Shown
from web.staff.grid.page import respond

LONGEST = 200


class Changed(NamedTuple):
    """One changed value; empty on the side that did not have it."""

    name: str
    before: str
    after: str


class Detail(NamedTuple):
    """An event's detail as the page shows it: what changed, and the other facts, each with its name in words."""

    changed: list[Changed]
    facts: list[tuple[str, str]]


class Row(NamedTuple):
    event: AuditEvent
    detail: Detail


COLUMNS: tuple[Column[Row], ...] = (
    Column("newest", "At (UTC)", lambda row: row.event.at, is_fixed=True),
    Column("verb", "What", lambda row: row.event.verb),
    Column("actor", "By", lambda row: row.event.actor),
    Column("subject", "To what", lambda row: f"{row.event.subject_kind} {row.event.subject}"),
    Column("project", "Project", lambda row: row.event.project),
    Column("why", "Why, and what changed", lambda row: row.event.reason, WIDE),
    Column("detail", "Details as JSON", lambda row: row.event.detail, WIDE, is_usual=False),
    Column("event", "Event", lambda row: row.event.pk, NUMBER, is_usual=False),
)


@staff_only
@require_safe
def audit_log(request: HttpRequest) -> HttpResponseBase:
    """One page of the log, newest first."""
    filters, asked = filters_of(request)
    listing = Listing(
        name="audit",
        what="event",
        rows=filters.rows(),
        columns=COLUMNS,
        made=lambda found: [Row(event, detail_of(event)) for event in found],
        orders={"newest": by("at", "id")},
        filters=_drawn(asked),
        cells="staff/accounts/_audit_cells.html",
    )

    def more(grid: Shown) -> dict[str, Any]:
        return {
            "section": "audit",
            "events": [one.row for one in grid.rows],
            "kept": urlencode(_filled(asked)),
            "chain": chain.state(),
            "may_verify": roles.may_everywhere(request.user, Role.ADMIN),
        }

    return respond(request, listing, "staff/accounts/audit.html", more)


def _drawn(asked: dict[str, str]) -> list[Filter]:
    """The filters as the page draws them. A verb of which there is no event matches none."""
    known = tuple((verb, verb) for verb in search.verbs())
    return [
        Filter("verb", asked["verb"], "What", CHOICE, "Every act", known),
        Filter("actor", asked["actor"], "By, as staff:dora"),
        Filter("subject", asked["subject"], "To what, as worker:12"),
        Filter("project", asked["project"], "Project"),
        Filter("since", asked["since"], "From (UTC)", DAY),
        Filter("until", asked["until"], "To (UTC)", DAY),
    ]


@staff_only
@require_POST
def verify(request: HttpRequest) -> HttpResponse:
    """Verify the hash chain in the background."""
    roles.check_everywhere(request.user, Role.ADMIN)
    enqueue(chain.VERIFY_NOW, "chain", unique_key=chain.VERIFY_NOW)
    messages.success(request, "The whole log is being read. Open this page again in a moment.")
    return redirect("staff-audit")


@staff_only
@require_safe
def audit_csv(request: HttpRequest) -> HttpResponseBase:
    filters, _ = filters_of(request)
    return exported(
        request,
        search.as_csv(search.exported(filters)),
        what="audit",
        by=staff_actor(request),
        content_type="text/csv; charset=utf-8",
        filename="audit.csv",
    )


@staff_only
@require_safe
def audit_lines(request: HttpRequest) -> HttpResponseBase:
    filters, _ = filters_of(request)
    return exported(
        request,
        as_lines(search.exported(filters)),
        what="audit",
        by=staff_actor(request),
        content_type="application/x-ndjson",
        filename="audit.jsonl",
    )


def filters_of(request: HttpRequest) -> tuple[Filters, dict[str, str]]:
    """The filters in the address, limited to what the account may see; and the values for the filter form.

    An admin of some projects sees the entries of these projects. Entries of no project are shown only to admins of all.

    Raises:
        Forbidden: the account is an admin of no project.
        Invalid: a date is not valid, or a text is longer than its column.
    """
    if not roles.may_somewhere(request.user, Role.ADMIN):
        raise Forbidden(roles.NEEDS[Role.ADMIN])
    asked = {
        name: request.GET.get(name, "").strip() for name in ("verb", "actor", "subject", "project", "since", "until")
    }
    return filters_from(asked, projects=_visible(request)), asked


def filters_from(asked: dict[str, str], *, projects: list[str] | None) -> Filters:
    """The filters in an address. The subject is written as `kind` or `kind:id`."""
    for name, value in asked.items():
        if "\0" in value or len(value) > LONGEST:
            raise Invalid(f"Use at most {LONGEST} characters for `{name}`, none of them NUL.")
    kind, _, subject = asked.get("subject", "").partition(":")
    return Filters(
        verb=asked.get("verb", ""),
        actor=asked.get("actor", ""),
        subject_kind=kind.strip(),
        subject=subject.strip(),
        project=asked.get("project", ""),
        since=day_in(asked.get("since", "")),
        until=day_in(asked.get("until", "")),
        projects=projects,
    )


def _visible(request: HttpRequest) -> list[str] | None:
    if roles.may_everywhere(request.user, Role.ADMIN):
        return None
    return list(roles.projects_for(request.user, Role.ADMIN).values_list("slug", flat=True))


def _filled(asked: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in asked.items() if value}


def detail_of(event: AuditEvent) -> Detail:
    """The event's detail in words."""
    sides = event.detail.get("before"), event.detail.get("after")
    # Events of old may have a bare word as `before`, and none `after`.
    before, after = (side if isinstance(side, dict) else {} for side in sides)
    known = {"before", "after"} if all(isinstance(side, dict) for side in sides) else set()
    return Detail(
        [Changed(name, _words(before, name), _words(after, name)) for name in {**before, **after}] if known else [],
        [(name.replace("_", " "), _words(event.detail, name)) for name in event.detail if name not in known],
    )


def _words(side: dict[str, Any], name: str) -> str:
    return _said(side[name]) if name in side else ""


def _said(value: Any) -> str:
    """A value of JSON in words; a list of objects has semicolons between them."""
    match value:
        case bool(said):
            return "yes" if said else "no"
        case {"amount": str(amount), "currency": str(currency)}:
            return f"{amount} {currency}"
        case {"characters": int(characters), "sha256": str(digest)}:
            return f"{characters} characters, SHA-256 {digest}"
        case dict(pairs) if pairs:
            return ", ".join(f"{name} {_said(part)}" for name, part in pairs.items())
        case [*items] if items:
            return ("; " if isinstance(items[0], dict | list) else ", ").join(map(_said, items))
        case None | "" | [] | {}:
            return "none"
        case _:
            return str(value)
