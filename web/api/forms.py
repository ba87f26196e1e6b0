"""The logical forms of a project's commands: export as a dataset, and import as references."""

from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from annotation.datasets.forms import dataset_lines, dataset_rows
from annotation.datasets.forms_import import check_tool, import_pairs
from annotation.datasets.forms_lines import AUTO, JSONL, SHAPES
from annotation.projects.projects import project_named
from common.serializers import BooleanField, ChoiceField, MomentField, StrictSerializer, TextField, read
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.query_parameters import QuerySerializer, asks

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
    with_guess = serializers.BooleanField()
    adjudicated = FormDecision(allow_null=True)
    provenance = FormStep(many=True)


class FormsBody(StrictSerializer):
    """Lines of one format; `auto` detects the format."""

    lines = TextField(trim_whitespace=False)
    shape = ChoiceField(choices=[AUTO, *SHAPES], default=AUTO)
    skip_refused = BooleanField(default=False)


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


class FormsQuery(QuerySerializer):
    since = MomentField(required=False, help_text="Only what settled after this moment.")
    shape = ChoiceField(choices=list(SHAPES), default=JSONL, help_text="jsonl, or a command and its form a line.")


class ProjectForms(Endpoint):
    """Every command of a project whose form is known, one JSON object a line, in the order of the tasks."""

    @extend_schema(
        operation_id="export_forms",
        responses={(200, LINES): FormLine, (200, "text/plain"): OpenApiTypes.STR},
    )
    @asks(FormsQuery)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
        project = project_named(slug)
        check_tool(project)
        shape = self.query["shape"]
        with_identity = request.auth.allows(ApiKey.Scope.IDENTITY)
        rows = dataset_rows(project, since=self.query.get("since"), with_identity=with_identity)
        return exported(
            request._request,
            dataset_lines(rows, shape),
            what="forms",
            by=actor_of(request),
            project=slug,
            with_identity=with_identity,
            content_type=LINES if shape == JSONL else TEXT,
        )


class ImportForms(Endpoint):
    """Import commands whose right forms are known, as references."""

    commits_with_answer = False

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
