"""The audit log: actors, actions, subjects, times and reasons; with filters and exports."""

import json
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.datasets.annotations import as_lines
from audit import search
from audit.models import AuditEvent
from audit.search import Filters
from common.data.days import day_in
from lib.faults import Forbidden, Invalid
from web.http.streams import streamed
from web.staff.decorators import staff_only

LONGEST = 200


@staff_only
@require_safe
def audit_log(request: HttpRequest) -> HttpResponse:
    """One page of the log, newest first."""
    filters, asked = filters_of(request)
    page = search.page_of(
        filters,
        before=search.place_from(request.GET.get("before", "")),
        after=search.place_from(request.GET.get("after", "")),
    )
    kept = urlencode(_filled(asked))
    ctx = {
        "section": "audit",
        "events": [(event, _detail(event)) for event in page.events],
        "older": urlencode({**_filled(asked), "before": str(page.older)}) if page.older else "",
        "newer": urlencode({**_filled(asked), "after": str(page.newer)}) if page.newer else "",
        "asked": asked,
        "is_filtered": bool(kept),
        "kept": kept,
        "verbs": search.verbs(),
    }
    return render(request, "staff/accounts/audit.html", ctx)


@staff_only
@require_safe
def audit_csv(request: HttpRequest) -> HttpResponseBase:
    filters, _ = filters_of(request)
    answer = streamed(request, search.as_csv(search.exported(filters)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return answer


@staff_only
@require_safe
def audit_lines(request: HttpRequest) -> HttpResponseBase:
    filters, _ = filters_of(request)
    answer = streamed(request, as_lines(search.exported(filters)), content_type="application/x-ndjson")
    answer["Content-Disposition"] = 'attachment; filename="audit.jsonl"'
    return answer


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


def _detail(event: AuditEvent) -> str:
    return json.dumps(event.detail, ensure_ascii=False) if event.detail else ""
