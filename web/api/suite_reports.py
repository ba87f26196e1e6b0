"""`/suites/{slug}/reports/`: frozen reports of a suite, each one self-contained HTML file."""

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

from common.serializers import SlugField, StrictSerializer, read
from evaluation import suites
from evaluation.reports import TYPE, content_of, report_of
from web.api.authentication import actor_of
from web.api.rankings import asked
from web.http.endpoints import Endpoint
from web.staff.evaluation.suite_report import make_report

OWN_STYLE_ALONE = {"default-src": ["'none'"], "style-src": ["'unsafe-inline'"]}
"""A report has its style in itself, and nothing that runs or loads."""


class SuiteReportBody(StrictSerializer):
    version = SlugField(required=False, help_text="Default: all versions together.")
    project = SlugField(required=False, help_text="Default: the suite's oldest marker project.")


class SuiteReportAnswer(StrictSerializer):
    report = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the file.")
    url = serializers.URLField()


class SuiteReports(Endpoint):
    """Make a report of the suite as it is now. Of equal data it is made once a day."""

    @extend_schema(operation_id="post_suite_report", request=SuiteReportBody, responses={201: SuiteReportAnswer})
    def post(self, request: Request, slug: str) -> Response:
        what = asked(suites.suite_named(slug), read(SuiteReportBody, request.data))
        report = make_report(what, by=actor_of(request), at=timezone.now())
        url = request.build_absolute_uri(reverse("suite-report", args=[slug, report.public_id]))
        shown = {"report": report.public_id, "sha256": report.sha256, "url": url}
        return Response(shown, status=status.HTTP_201_CREATED)


@method_decorator(csp_replace(OWN_STYLE_ALONE), name="dispatch")
class OneReport(Endpoint):
    """The file of a report."""

    @extend_schema(
        operation_id="get_suite_report",
        responses={(200, "text/html"): OpenApiResponse(OpenApiTypes.STR, description="The report.")},
    )
    def get(self, request: Request, slug: str, report: str) -> HttpResponse:
        found = report_of(suites.suite_named(slug), report)
        return HttpResponse(content_of(found), content_type=TYPE)
