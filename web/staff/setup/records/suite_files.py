"""A suite as a file: downloaded, and made from one. For admins of all projects, since all of them share suites."""

import re
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from audit.log import Subject
from evaluation.suite_files.reading import import_suite, read_suite_file
from evaluation.suite_files.writing import suite_file
from evaluation.suites import suite_named
from lib.faults import CrosswalkError, Invalid
from lib.name_patterns import SLUG
from lib.number_words import number_of
from web.api.suite_files import TYPE, shape_of
from web.http.exports import exported
from web.staff.decorators import staff_actor, staff_only

MOST_BYTES: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
"""The largest file that the page takes; the command line takes larger ones."""


@staff_only
@require_safe
def suite_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The file of the suite."""
    roles.check_everywhere(request.user, Role.ADMIN)
    return exported(
        request,
        suite_file(suite_named(slug)),
        what=Subject("suite", slug),
        by=staff_actor(request),
        content_type=TYPE,
        filename=f"{slug}.zip",
    )


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def suite_from_file(request: HttpRequest) -> HttpResponse:
    """A form for a file, and making or replacing the suite of it."""
    roles.check_everywhere(request.user, Role.ADMIN)
    ctx: dict[str, Any] = {"section": "suites", "most_mb": MOST_BYTES // 2**20, "slug": request.POST.get("slug", "")}
    if request.method != "POST":
        return render(request, "staff/setup/suite_file.html", ctx)
    try:
        slug = _import(request, ctx["slug"].strip())
    except CrosswalkError as error:
        return render(request, "staff/setup/suite_file.html", {**ctx, "error": error}, status=error.status)
    return redirect("staff-suite", slug)


def _import(request: HttpRequest, slug: str) -> str:
    file = request.FILES.get("file")
    if file is None or file.file is None:
        raise Invalid("Choose a file.")
    found = read_suite_file(file.file, shape_of)
    slug = slug or str(found.file.about.get("suite", ""))
    if not re.fullmatch(SLUG, slug):
        raise Invalid("The short name of a suite has small letters, digits, - and _ only; 63 at most.")
    done = import_suite(slug=slug, read=found, by=staff_actor(request), at=timezone.now())
    counts = [number_of(done.scenarios, "scenario"), number_of(len(done.versions), "version")]
    messages.success(request, f"✓ {done.suite.title} is as in the file: {' and '.join(counts)}.")
    return slug
