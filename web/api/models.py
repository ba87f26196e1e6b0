"""`/models/`: what trainings made, with its artefact, its predictions and where it comes from."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from common.serializers import SlugField, StrictSerializer
from learning.data.tranches import tranche_named
from learning.models import TrainedModel
from learning.models.trainings import Kind
from learning.training.artefacts import artefact_of, model_named
from learning.training.lineage import lineage_of
from learning.training.metrics import metrics_of
from learning.training.testing import prediction_lines, tested_on
from web.api.authentication import actor_of
from web.api.exports import LINES
from web.api.trainings import Measurement
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.exports import exported
from web.http.openapi import listed

ARTEFACT = "application/octet-stream"


class LineageTranche(StrictSerializer):
    n = serializers.IntegerField()
    sha256 = serializers.CharField()


class Lineage(StrictSerializer):
    """Answers and workers (by their pseudonyms) are null in lists."""

    tranches = LineageTranche(many=True)
    annotations = serializers.ListField(child=serializers.CharField(), allow_null=True)
    workers = serializers.ListField(child=serializers.CharField(), allow_null=True)
    code = serializers.CharField()


class ModelAnswer(StrictSerializer):
    model = serializers.CharField()
    module = SlugField()
    trainer = SlugField()
    training = serializers.CharField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    seed = serializers.IntegerField()
    parent = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    trained_on = serializers.ListField(child=serializers.IntegerField())
    train_examples = serializers.IntegerField()
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    metrics = Measurement(many=True)
    status = serializers.ChoiceField(choices=TrainedModel.Status.choices)
    learnt_from_erased_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    lineage = Lineage()


class PredictionLine(StrictSerializer):
    item = serializers.CharField()
    truth = serializers.JSONField()
    prediction = serializers.JSONField(allow_null=True)
    correct = serializers.BooleanField()
    iou = serializers.FloatField(required=False)


def show_model(model: TrainedModel, *, whole: bool = True) -> dict[str, Any]:
    return {
        "model": model.public_id,
        "module": model.module,
        "trainer": model.trainer,
        "training": model.training.public_id,
        "kind": model.kind,
        "seed": model.seed,
        "parent": model.parent.public_id if model.parent else None,
        "trained_on": sorted(one.number for one in model.tranches.all()),
        "train_examples": model.train_examples,
        "sha256": model.sha256,
        "bytes": model.bytes,
        "metrics": metrics_of([model]),
        "status": model.status,
        "learnt_from_erased_at": model.marked_at,
        "created_at": model.created_at,
        "lineage": lineage_of(model, whole=whole),
    }


class Models(Endpoint):
    """All models, oldest first."""

    @listed("list_models", ModelAnswer)
    def get(self, request: Request) -> Response:
        rows = TrainedModel.objects.select_related("training", "parent").prefetch_related("tranches")
        return page_of(request, rows, lambda model: show_model(model, whole=False))


class OneModel(Endpoint):
    """One model: how good it is, and where it comes from."""

    @extend_schema(operation_id="get_model", responses=ModelAnswer)
    def get(self, request: Request, model: str) -> Response:
        return Response(show_model(model_named(model)))


class ModelArtefact(Endpoint):
    """The artefact of a model, also for a key of an agent: its SHA-256 and size are compared before it is sent."""

    scopes = {"GET": (ApiKey.Scope.READ, ApiKey.Scope.AGENTS)}

    @extend_schema(operation_id="get_model_artefact", responses={(200, ARTEFACT): OpenApiTypes.BINARY})
    def get(self, request: Request, model: str) -> HttpResponseBase:
        found = model_named(model)
        response = HttpResponse(artefact_of(found), content_type=ARTEFACT)
        response["Content-Disposition"] = f'attachment; filename="{found.public_id}"'
        response["ETag"] = f'"{found.sha256}"'
        return response


class ModelPredictions(Endpoint):
    """The predictions of a model for the test items of a tranche, one JSON object a line."""

    @extend_schema(operation_id="export_predictions", responses={(200, LINES): PredictionLine})
    def get(self, request: Request, model: str, n: int) -> HttpResponseBase:
        found = model_named(model)
        tested = tested_on(found, tranche_named(found.module, n))
        return exported(
            request._request,
            prediction_lines(tested),
            what="predictions",
            by=actor_of(request),
            content_type=LINES,
        )
