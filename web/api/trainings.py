"""`/trainings/`: asking for models, following how they are made, and trainers outside of this server."""

from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import ChoiceField, IntegerField, MetadataField, SlugField, StrictSerializer, read
from learning.models import Run, Training
from learning.models.trainings import Kind
from learning.training import requests
from learning.training.metrics import metrics_of
from learning.training.requests import MOST_SEEDS, MOST_TRANCHES, SEEDS, TrainingBody, training_named
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed


class TrainingContent(StrictSerializer):
    """A wish for models: one for each seed. `external` is a trainer outside of this server."""

    module = SlugField()
    trainer = SlugField(required=False, allow_null=True)
    tranches = serializers.ListField(
        child=IntegerField(min_value=0, max_value=9999), min_length=1, max_length=MOST_TRANCHES
    )
    kind = ChoiceField(choices=Kind.choices)
    seeds = IntegerField(min_value=1, max_value=MOST_SEEDS, default=SEEDS)
    settings = MetadataField(required=False, default=dict)


class TrainingPoint(StrictSerializer):
    step = serializers.IntegerField()
    loss = serializers.FloatField(allow_null=True)
    valid = serializers.FloatField(allow_null=True)


class TrainingRun(StrictSerializer):
    kind = serializers.ChoiceField(choices=Kind.choices)
    seed = serializers.IntegerField()
    status = serializers.ChoiceField(choices=Run.Status.choices)
    progress = serializers.FloatField()
    curve = TrainingPoint(many=True)
    model = serializers.CharField(allow_null=True)
    reported = serializers.DictField(allow_null=True)
    problem = serializers.CharField(allow_null=True)


class Measurement(StrictSerializer):
    kind = serializers.ChoiceField(choices=Kind.choices)
    trained_on = serializers.ListField(child=serializers.IntegerField())
    tested_on = serializers.IntegerField()
    seed = serializers.IntegerField()
    n = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)


class TrainingStarted(StrictSerializer):
    training = serializers.CharField()
    status = serializers.ChoiceField(choices=Training.Status.choices)


class TrainingRow(TrainingStarted):
    module = SlugField()
    trainer = SlugField()
    external = serializers.BooleanField()
    tranches = serializers.ListField(child=serializers.IntegerField())
    kind = serializers.ChoiceField(choices=Kind.choices)
    seeds = serializers.IntegerField()
    settings = serializers.DictField()
    progress = serializers.FloatField()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class TrainingAnswer(TrainingRow):
    runs = TrainingRun(many=True)
    models = serializers.ListField(child=serializers.CharField())
    metrics = Measurement(many=True)


def show_training(training: Training) -> dict[str, Any]:
    """A training in a list. 2 queries, none where tranches and runs are loaded."""
    runs = training.runs.all()
    return {
        "training": training.public_id,
        "status": training.status,
        "module": training.module,
        "trainer": training.trainer,
        "external": training.is_external,
        "tranches": sorted(one.number for one in training.tranches.all()),
        "kind": training.kind,
        "seeds": training.seeds,
        "settings": training.settings,
        "progress": sum(run.share for run in runs) / max(len(runs), 1),
        "created_at": training.created_at,
        "ended_at": training.ended_at,
    }


def show_whole_training(training: Training) -> dict[str, Any]:
    runs = list(training.runs.select_related("model").order_by("number"))
    made = [run.model for run in runs if hasattr(run, "model")]
    return {
        **show_training(training),
        "runs": [_show_run(run) for run in runs],
        "models": [model.public_id for model in made],
        "metrics": metrics_of(made),
    }


def _show_run(run: Run) -> dict[str, Any]:
    return {
        "kind": run.kind,
        "seed": run.seed,
        "status": run.status,
        "progress": run.share,
        "curve": [{"step": step, "loss": loss, "valid": valid} for step, loss, valid in run.curve],
        "model": run.model.public_id if hasattr(run, "model") else None,
        "reported": run.reported,
        "problem": run.error or None,
    }


class Trainings(Endpoint):
    """All trainings, oldest first."""

    @listed("list_trainings", TrainingRow)
    def get(self, request: Request) -> Response:
        return page_of(request, Training.objects.prefetch_related("tranches", "runs"), show_training)

    @extend_schema(operation_id="post_training", request=TrainingContent, responses={202: TrainingStarted})
    def post(self, request: Request) -> Response:
        body = cast(TrainingBody, read(TrainingContent, request.data))
        made, _ = requests.request_training(body=body, by=actor_of(request), at=timezone.now())
        answer = {"training": made.public_id, "status": made.status}
        return Response(answer, status=status.HTTP_202_ACCEPTED)


class OneTraining(Endpoint):
    """One training: how far it is, the curve of each run, its models and what they are worth."""

    @extend_schema(operation_id="get_training", responses=TrainingAnswer)
    def get(self, request: Request, training: str) -> Response:
        return Response(show_whole_training(training_named(training)))

    @extend_schema(
        operation_id="cancel_training",
        description="Cancel what is left of it; models that it has made stay.",
        responses={204: None},
    )
    def delete(self, request: Request, training: str) -> Response:
        requests.cancel(training=training_named(training), by=actor_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
