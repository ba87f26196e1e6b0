"""`/error_reports.jsonl`: the commands that were marked as failed, with their repairs."""

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation.datasets.annotations import as_lines
from annotation.projects.projects import project_named
from common.serializers import ChoiceField, OpaqueIdField, SlugField, StrictSerializer
from routing.exports import report_rows
from routing.models import ErrorReport
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.query_parameters import QuerySerializer, asks


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


class ErrorReportsQuery(QuerySerializer):
    project = SlugField(required=False, help_text="Where the commands were given.")
    state = ChoiceField(choices=ErrorReport.State.values, required=False)
    outcome = SlugField(required=False)
    since = OpaqueIdField(required=False, help_text="Go on after this report.")


class ErrorReports(Endpoint):
    """Every command that was marked as failed, one JSON object a line, oldest first."""

    @extend_schema(operation_id="export_error_reports", responses={(200, LINES): ErrorReportLine})
    @asks(ErrorReportsQuery)
    def get(self, request: Request) -> HttpResponseBase:
        named = {"project": project_named(self.query["project"])} if "project" in self.query else {}
        rows = report_rows(**{**self.query, **named})
        return exported(
            request._request,
            as_lines(rows),
            what="error_reports",
            by=actor_of(request),
            project=self.query.get("project", ""),
            content_type=LINES,
        )
