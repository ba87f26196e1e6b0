"""The history of changes of a project, a qualification, a suite, an agent or a route.

It says who changed what, when, and from which value.

A change can be put back, by the function that puts the thing.
"""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.tool_registry import Json
from audit import search
from audit.models import AuditEvent
from audit.search import Filters
from lib.faults import Conflict, NotFound
from web.staff.accounts.audit import Detail, detail_of
from web.staff.decorators import staff_actor, staff_only
from web.staff.editing.kinds import KINDS, Changeable


class Earlier(NamedTuple):
    """The values before a change: those that can be put back, and the names of those that are not kept."""

    values: Json
    lost: list[str]


class Entry(NamedTuple):
    """One line of the history."""

    event: AuditEvent
    title: str
    detail: Detail
    can_be_put_back: bool


@staff_only
@require_safe
def history(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """The changes of the thing, newest first. A page costs the same however long the history is."""
    found = KINDS[kind](request, name)
    page = search.page_of(
        Filters(subject_kind=kind, subject=name),
        before=search.place_from(request.GET.get("before", "")),
        after=search.place_from(request.GET.get("after", "")),
    )
    ctx = {
        "section": found.section,
        "found": found,
        "name": name,
        "change_page": f"staff-{kind}-change",
        "entries": [Entry(event, _title(event), detail_of(event), _may_be_put_back(event)) for event in page.events],
        "older": urlencode({"before": str(page.older)}) if page.older else "",
        "newer": urlencode({"after": str(page.newer)}) if page.newer else "",
    }
    return render(request, "staff/editing/history.html", ctx)


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, name: str, pk: int, kind: str) -> HttpResponse:
    """One change, and what follows if it is put back; a POST puts it back."""
    found = KINDS[kind](request, name)
    event = AuditEvent.objects.filter(pk=pk, subject_kind=kind, subject=name).first()
    if event is None or not _may_be_put_back(event):
        raise NotFound
    present = found.content(event)
    earlier = _earlier(event, found, present)
    wanted = {**present, **earlier.values}
    if request.method == "POST":
        if not earlier.values:
            raise Conflict("The earlier values of this change are not kept, so it cannot be put back.")
        found.put(event, wanted, staff_actor(request), timezone.now())
        messages.success(request, f"{_named(earlier.values)} of {found.title} put back.")
        return redirect(found.page)
    ctx = {
        "section": found.section,
        "found": found,
        "name": name,
        "history_page": f"staff-{kind}-history",
        "event": event,
        "title": _title(event),
        "detail": detail_of(event),
        "is_same": wanted == present,
        "consequences": found.follows(wanted) if wanted != present else [],
        "earlier": earlier,
    }
    return render(request, "staff/editing/change.html", ctx)


def _title(event: AuditEvent) -> str:
    """The act in words: `Scenario changed: red-box`."""
    said = event.verb.replace(".", " ").replace("_", " ").capitalize()
    scenario = event.detail.get("scenario")
    return f"{said}: {scenario}" if scenario else said


def _may_be_put_back(event: AuditEvent) -> bool:
    """Whether the event changed a value that was there before."""
    return isinstance(event.detail.get("before"), dict) and event.verb.partition(".")[2] in {
        "changed",
        "status",
        "episodes",
    }


def _earlier(event: AuditEvent, found: Changeable, present: Json) -> Earlier:
    """The values that the thing had before the event, of the fields that `PUT` takes."""
    before, values, lost = event.detail["before"], {}, []
    for field in {**before, **event.detail.get("after", {})}:
        if field not in present:
            continue
        value = before.get(field)
        if _is_digest(value):
            value = found.long_values(field, value["sha256"])
            if value is None:
                lost.append(field)
                continue
        values[field] = value
    return Earlier(values, lost)


def _is_digest(value: Any) -> bool:
    """Whether the audit log holds only a digest in place of the value, for it is long."""
    return isinstance(value, dict) and set(value) == {"characters", "sha256"}


def _named(values: Json) -> str:
    return ", ".join(name.replace("_", " ") for name in values).capitalize()
