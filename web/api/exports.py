"""Exports of a project: annotations, consensus and findings, one JSON object a line."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from agents.models import ApiKey
from annotation.datasets import annotations as exports
from annotation.models import Category
from annotation.projects.projects import project_named
from annotation.review.findings import finding_rows
from common.serializers import OpaqueIdField, StrictSerializer
from web.api.authentication import actor_of
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.query_parameters import QuerySerializer, asks

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


class AnnotationsQuery(QuerySerializer):
    since = OpaqueIdField(required=False, help_text="Go on after this annotation.")


class ProjectAnnotations(Endpoint):
    """Every annotation of a project, one JSON object a line, oldest first."""

    @extend_schema(operation_id="export_annotations", responses={(200, LINES): AnnotationLine})
    @asks(AnnotationsQuery)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        with_identity = request.auth.allows(ApiKey.Scope.IDENTITY)
        since = self.query.get("since", "")
        pieces = exports.annotation_lines(project_named(slug), since=since, with_identity=with_identity)
        return _lines(request, pieces, what="annotations", project=slug, with_identity=with_identity)


class ProjectConsensus(Endpoint):
    """The consensus of each task that has one, one JSON object a line."""

    @extend_schema(operation_id="export_consensus", responses={(200, LINES): ConsensusLine})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return _lines(request, exports.consensus_lines(project_named(slug)), what="consensus", project=slug)


class ProjectFindings(Endpoint):
    """The findings of reviewers on answers and tasks, one JSON object a line, oldest first."""

    @extend_schema(operation_id="export_findings", responses={(200, LINES): FindingLine})
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return _lines(request, exports.as_lines(finding_rows(project_named(slug))), what="findings", project=slug)


def _lines(
    request: Request, pieces: Iterator[bytes], *, what: str, project: str, with_identity: bool = False
) -> HttpResponseBase:
    plain: HttpRequest = request._request
    return exported(
        plain,
        pieces,
        what=what,
        by=actor_of(request),
        project=project,
        with_identity=with_identity,
        content_type=LINES,
    )
