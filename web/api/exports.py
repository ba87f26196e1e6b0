"""Exports of a project: annotations, consensus and findings, one JSON object a line."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from agents.models import ApiKey
from annotation.datasets import annotations as exports
from annotation.models import Category
from annotation.projects.projects import project_named
from annotation.review.findings import finding_rows
from common.serializers import StrictSerializer
from web.http.query_parameters import asked
from web.http.streams import streamed

LINES = "application/x-ndjson"


class AnnotationLine(StrictSerializer):
    annotation = serializers.CharField()
    task = serializers.CharField()
    worker = serializers.CharField()
    answer = serializers.DictField()
    is_reference = serializers.BooleanField()
    score = serializers.FloatField(allow_null=True)
    claimed_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField()
    active_s = serializers.FloatField(allow_null=True)
    superseded_by = serializers.CharField(allow_null=True)
    instructions_version = serializers.IntegerField(allow_null=True)


class ConsensusLine(StrictSerializer):
    task = serializers.CharField()
    answer = serializers.DictField()
    method = serializers.CharField()
    confidence = serializers.FloatField()
    annotations = serializers.IntegerField()


class FindingLine(StrictSerializer):
    task = serializers.CharField()
    annotation = serializers.CharField(allow_null=True)
    taxonomy = serializers.ChoiceField(choices=Category.Taxonomy.choices)
    category = serializers.CharField()
    note = serializers.CharField()
    at = serializers.DateTimeField()


class ProjectAnnotations(APIView):
    """Every annotation of a project, one JSON object a line, oldest first."""

    @extend_schema(
        operation_id="export_annotations",
        parameters=[OpenApiParameter("since", OpenApiTypes.STR, description="Go on after this annotation.")],
        responses={(200, LINES): AnnotationLine},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        rows = exports.annotation_rows(
            project_named(slug),
            since=asked(request, "since"),
            with_identity=request.auth.allows(ApiKey.Scope.IDENTITY),
        )
        return _lines(request, rows)


class ProjectConsensus(APIView):
    """The consensus of each task that has one, one JSON object a line."""

    @extend_schema(operation_id="export_consensus", responses={(200, LINES): ConsensusLine})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return _lines(request, exports.consensus_rows(project_named(slug)))


class ProjectFindings(APIView):
    """The findings of reviewers on answers and tasks, one JSON object a line, oldest first."""

    @extend_schema(operation_id="export_findings", responses={(200, LINES): FindingLine})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return _lines(request, finding_rows(project_named(slug)))


def _lines(request: Request, rows: Any) -> HttpResponseBase:
    plain: HttpRequest = request._request
    return streamed(plain, exports.as_lines(rows), content_type=LINES)
