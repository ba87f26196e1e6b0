"""Links for many workers at once: a pasted list of names becomes a CSV file with a link for each."""

import re

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import roles
from annotation.access.roles import Role
from annotation.work.enrolments import enrol, make_link
from common.tables.csv import csv_lines
from lib.name_patterns import EXTERNAL_ID
from web.staff.decorators import staff_actor, staff_only
from workforce.blocking import DIRECT, worker_on

MOST_AT_ONCE = 1000
MOST_SHOWN = 20
"""The number of wrong names that the page lists."""
COLUMNS = ("worker", "url", "expires_at")


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def make_many(request: HttpRequest, slug: str) -> HttpResponse:
    """The form; a POST makes all links or none, and answers with the file. The links are shown nowhere else."""
    project = roles.project_for(request.user, slug, Role.ADMIN)
    typed = request.POST.get("workers", "")
    names = list(dict.fromkeys(re.split(r"[\s,;]+", typed.strip()))) if typed.strip() else []
    errors = _errors(names) if request.method == "POST" else []
    if request.method != "POST" or errors:
        ctx = {
            "section": "projects",
            "project": project,
            "typed": typed,
            "errors": errors,
            "most": MOST_AT_ONCE,
        }
        return render(request, "staff/projects/links.html", ctx, status=422 if errors else 200)
    now, by = timezone.now(), staff_actor(request)
    rows = []
    with transaction.atomic():
        for name in names:
            enrolment = enrol(project=project, worker=worker_on(DIRECT, name, at=now), at=now)
            link = make_link(enrolment=enrolment, by=by, at=now)
            rows.append((name, link.url, link.expires_at.isoformat()))
    answer = HttpResponse(b"".join(csv_lines(COLUMNS, rows)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="links-{slug}.csv"'
    return answer


def _errors(names: list[str]) -> list[str]:
    """The mistakes in the names, in sentences; empty where there are none."""
    if not names:
        return ["Paste at least one name or number."]
    if len(names) > MOST_AT_ONCE:
        return [f"These are {len(names)} names; at most {MOST_AT_ONCE} links are made at once."]
    wrong = [name for name in names if not re.fullmatch(EXTERNAL_ID, name)]
    if not wrong:
        return []
    listed = [f"“{name[:60]}” cannot be a name: use letters, digits, . _ : and - only, 128 at most." for name in wrong]
    more = len(wrong) - MOST_SHOWN
    return [*listed[:MOST_SHOWN], *([f"And {more} more."] if more > 0 else [])]
