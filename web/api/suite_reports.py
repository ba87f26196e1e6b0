"""`/suites/{slug}/reports/`: frozen reports of a suite, each one self-contained HTML file, with its files as a zip."""

from typing import Any

from csp.decorators import csp_replace
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Project
from audit.log import Subject
from common.serializers import SlugField, StrictSerializer, read
from evaluation import suites
from evaluation.models import Report
from evaluation.reports import FILES_TYPE, PDF_TYPE, TYPE, content_of, files_of, pdf_of, report_of
from web.api.authentication import actor_of
from web.api.rankings import asked
from web.http.endpoints import Endpoint
from web.http.exports import record_export
from web.http.key_limits import rows_within
from web.staff.evaluation.report.making import OWN_STYLE_ALONE, make_report


class SuiteReportBody(StrictSerializer):
    version = SlugField(required=False, help_text="Default: all versions together.")
    project = SlugField(required=False, help_text="Default: the suite's oldest marker project.")


class SuiteReportAnswer(StrictSerializer):
    report = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the file.")
    url = serializers.URLField()
    pdf_url = serializers.URLField(help_text="The same page as a PDF file.")
    files_url = serializers.URLField(allow_null=True, help_text="Its figures and tables as a zip file.")
    version = serializers.CharField(allow_null=True)
    project = serializers.CharField(allow_null=True)
    made_at = serializers.DateTimeField()


class SuiteReports(Endpoint):
    """Make a report of the suite as it is now. Of equal data it is made once a day."""

    @extend_schema(operation_id="post_suite_report", request=SuiteReportBody, responses={201: SuiteReportAnswer})
    def post(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), read(SuiteReportBody, request.data))
        report = make_report(what, by=actor_of(request), at=timezone.now())
        return Response(show_report(report, request), status=status.HTTP_201_CREATED)


def show_report(report: Report, request: Request) -> dict[str, Any]:
    """A report of the suite that the address names."""
    names = [report.suite.slug, report.public_id]

    def address(name: str) -> str:
        return str(request.build_absolute_uri(reverse(name, args=names)))

    return {
        "report": report.public_id,
        "sha256": report.sha256,
        "url": address("suite-report"),
        "pdf_url": address("suite-report-pdf"),
        "files_url": address("suite-report-files") if report.files else None,
        "version": report.inputs["version"],
        "project": report.inputs["project"],
        "made_at": report.created_at,
    }


def _report(request: Request, slug: str, public_id: str) -> Report:
    """The report, if its project lies within the limits of the key. Raises NotFound."""
    return report_of(suites.suite_named(slug), public_id, among=rows_within(request, Project.objects.all()))


@method_decorator(csp_replace(OWN_STYLE_ALONE), name="dispatch")
class OneReport(Endpoint):
    """The file of a report."""

    @extend_schema(
        operation_id="get_suite_report",
        responses={(200, "text/html"): OpenApiResponse(OpenApiTypes.STR, description="The report.")},
    )
    def get(self, request: Request, slug: str, report: str) -> HttpResponse:
        return HttpResponse(content_of(_report(request, slug, report)), content_type=TYPE)


class ReportPdf(Endpoint):
    """A report as a PDF file, drawn from its frozen page."""

    @extend_schema(
        operation_id="get_suite_report_pdf",
        responses={(200, PDF_TYPE): OpenApiResponse(OpenApiTypes.BINARY, description="The PDF file.")},
    )
    def get(self, request: Request, slug: str, report: str) -> HttpResponse:
        return HttpResponse(pdf_of(_report(request, slug, report)), content_type=PDF_TYPE)


class ReportFiles(Endpoint):
    """The files of a report: its page and its PDF; figures as SVG, tables as CSV, Parquet and LaTeX; a manifest."""

    @extend_schema(
        operation_id="get_suite_report_files",
        responses={(200, FILES_TYPE): OpenApiResponse(OpenApiTypes.BINARY, description="The zip file.")},
    )
    def get(self, request: Request, slug: str, report: str) -> HttpResponse:
        content = files_of(_report(request, slug, report))
        record_export(request._request, what=Subject("suite", slug), by=actor_of(request))
        return HttpResponse(content, content_type=FILES_TYPE)
