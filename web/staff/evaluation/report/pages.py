"""The reports of a suite: listed, made, opened, and their files."""

from csp.decorators import csp_replace
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from audit.log import Subject
from evaluation.models import Report
from evaluation.reports import FILES_TYPE, PDF_TYPE, TYPE, content_of, files_of, pdf_of, report_of, reports_of
from evaluation.suites import suite_named
from web.http.exports import record_export
from web.staff.decorators import paged, staff_actor, staff_only
from web.staff.evaluation.report.making import OWN_STYLE_ALONE, make_report
from web.staff.evaluation.suite_figures import asked_in, menus


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def report_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The reports; a POST makes one of the suite as it is now."""
    suite = suite_named(slug)
    if request.method == "POST":
        roles.check_everywhere(request.user, Role.ADMIN)
        what = asked_in(request.POST, suite, request.user)
        report = make_report(what, by=staff_actor(request), at=timezone.now())
        messages.success(request, f"The report {report.sha256[:12]} is kept below. It never changes.")
        return redirect("staff-suite-reports", slug)
    ctx = {
        "section": "suites",
        "suite": suite,
        "tab": "reports",
        "page": paged(request, reports_of(suite, among=roles.projects_for(request.user))),
        **menus(request, suite),
    }
    return render(request, "staff/evaluation/suite_reports.html", ctx)


def _report(request: HttpRequest, slug: str, public_id: str) -> Report:
    """The report, for an account that may see the project which judged it. Raises NotFound."""
    return report_of(suite_named(slug), public_id, among=roles.projects_for(request.user))


@staff_only
@csp_replace(OWN_STYLE_ALONE)  # type: ignore[arg-type]  # its types know views that take no names
@require_safe
def report(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The page of a report, as it was made."""
    return HttpResponse(content_of(_report(request, slug, public_id)), content_type=TYPE)


@staff_only
@require_safe
def report_pdf(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The report as a PDF file."""
    found = _report(request, slug, public_id)
    response = HttpResponse(pdf_of(found), content_type=PDF_TYPE)
    response["Content-Disposition"] = f'inline; filename="{slug}-report-{found.sha256[:12]}.pdf"'
    return response


@staff_only
@require_safe
def report_files(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """The report with its figures and tables as one zip file."""
    found = _report(request, slug, public_id)
    response = HttpResponse(files_of(found), content_type=FILES_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{slug}-report-{found.sha256[:12]}.zip"'
    record_export(request, what=Subject("suite", slug), by=staff_actor(request))
    return response
