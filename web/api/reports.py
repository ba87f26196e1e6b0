"""`/error_reports.jsonl`: the commands that were marked as failed, with their repairs."""

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.datasets.annotations import as_lines
from annotation.projects.projects import project_named
from common.serializers import SlugField, StrictSerializer
from routing.exports import report_rows
from routing.models import ErrorReport
from web.api.exports import LINES
from web.http.query_parameters import asked
from web.http.streams import streamed


class ErrorReportLine(StrictSerializer):
    """`scene` is the digest of a stored scene, `task` the key of the first task that was made of the command."""

    report = serializers.CharField()
    command = serializers.CharField()
    outcome = SlugField()
    phrase = serializers.CharField(allow_null=True)
    scene = serializers.CharField(allow_null=True)
    parse = serializers.JSONField(allow_null=True)
    state = serializers.ChoiceField(choices=ErrorReport.State.choices)
    task = serializers.CharField(allow_null=True)


class ErrorReports(APIView):
    """Every command that was marked as failed, one JSON object a line, oldest first."""

    @extend_schema(
        operation_id="export_error_reports",
        parameters=[
            OpenApiParameter("project", OpenApiTypes.STR, description="Where the commands were given."),
            OpenApiParameter("state", OpenApiTypes.STR, enum=ErrorReport.State.values),
            OpenApiParameter("outcome", OpenApiTypes.STR),
            OpenApiParameter("since", OpenApiTypes.STR, description="Go on after this report."),
        ],
        responses={(200, LINES): ErrorReportLine},
    )
    def get(self, request: Request) -> HttpResponseBase:
        slug = asked(request, "project")
        rows = report_rows(
            project=project_named(slug) if slug else None,
            state=asked(request, "state"),
            outcome=asked(request, "outcome"),
            since=asked(request, "since"),
        )
        return streamed(request._request, as_lines(rows), content_type=LINES)
