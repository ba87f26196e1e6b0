"""The logical forms of a project's commands: export as a dataset, and import as references."""

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.models import ApiKey
from annotation.datasets.forms import dataset_lines, dataset_rows
from annotation.datasets.forms_import import check_tool, import_pairs
from annotation.datasets.forms_lines import AUTO, JSONL, SHAPES
from annotation.projects.projects import project_named
from common.serializers import StrictSerializer, read
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.query_parameters import asked, since_asked
from web.http.streams import streamed

TEXT = "text/plain; charset=utf-8"


class FormAnswer(StrictSerializer):
    worker = serializers.CharField()
    annotation = serializers.CharField()
    answer = serializers.DictField()
    submitted_at = serializers.DateTimeField()


class FormStep(StrictSerializer):
    step = serializers.CharField()
    path = serializers.CharField()
    round = serializers.IntegerField()
    answers = FormAnswer(many=True)
    confidence = serializers.FloatField()


class FormDecision(StrictSerializer):
    by = serializers.CharField()
    second = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class FormTurn(StrictSerializer):
    speaker = serializers.CharField()
    text = serializers.CharField()


class FormLine(StrictSerializer):
    command = serializers.CharField()
    text = serializers.CharField()
    tokens = serializers.ListField(child=serializers.CharField())
    context = FormTurn(many=True)  # type: ignore[assignment]
    form = serializers.DictField()
    other_forms = serializers.ListField(child=serializers.DictField())
    words = serializers.CharField()
    method = serializers.CharField()
    confidence = serializers.FloatField()
    settled_at = serializers.DateTimeField()
    marked = serializers.BooleanField(allow_null=True)
    agent_form = serializers.DictField(allow_null=True)
    agrees = serializers.BooleanField(allow_null=True)
    is_reference = serializers.BooleanField()
    adjudicated = FormDecision(allow_null=True)
    provenance = FormStep(many=True)


class FormsBody(StrictSerializer):
    """Lines of one format; `auto` detects the format."""

    lines = serializers.CharField(trim_whitespace=False)
    shape = serializers.ChoiceField(choices=[AUTO, *SHAPES], default=AUTO)
    skip_refused = serializers.BooleanField(default=False)


class FormReason(StrictSerializer):
    path = serializers.CharField()
    reason = serializers.CharField()


class RepairedLine(StrictSerializer):
    line = serializers.IntegerField()
    reasons = FormReason(many=True)


class RefusedLine(StrictSerializer):
    line = serializers.IntegerField()
    path = serializers.CharField()
    reason = serializers.CharField()


class FormsAnswer(StrictSerializer):
    created = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    repaired = RepairedLine(many=True)
    refused = RefusedLine(many=True)


class ProjectForms(APIView):
    """Every command of a project whose form is known, one JSON object a line, in the order of the tasks."""

    @extend_schema(
        operation_id="export_forms",
        parameters=[
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only what settled after this moment."),
            OpenApiParameter("shape", str, enum=list(SHAPES), description="jsonl, or a command and its form a line."),
        ],
        responses={(200, LINES): FormLine, (200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        project = project_named(slug)
        check_tool(project)
        shape = asked(request, "shape") or JSONL
        rows = dataset_rows(
            project, since=since_asked(request), with_identity=request.auth.allows(ApiKey.Scope.IDENTITY)
        )
        lines = dataset_lines(rows, shape)
        return streamed(request._request, lines, content_type=LINES if shape == JSONL else TEXT)


class ImportForms(APIView):
    """Import commands whose right forms are known, as references."""

    @extend_schema(operation_id="import_forms", request=FormsBody, responses={200: FormsAnswer})
    def post(self, request: Request, slug: str) -> Response:
        project = project_named(slug)
        body = read(FormsBody, request.data)
        imported = import_pairs(
            project=project,
            content=body["lines"],
            shape=body["shape"],
            skip_refused=body["skip_refused"],
            by=actor_of(request),
            at=timezone.now(),
        )
        return Response(imported._asdict())
