"""`/workers/`: a worker's record on references, and blocking."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from annotation.quality import accuracy
from common.serializers import ChoiceField, NoBody, StrictSerializer, TextField, read
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.http.endpoints import Endpoint
from workforce import blocking
from workforce.models import Worker

ANNOTATIONS = {
    "keep": Worker.Weighting.FULL,
    "down_weight": Worker.Weighting.REDUCED,
    "drop": Worker.Weighting.NONE,
}
"""How a blocked worker's annotations are weighted in every consensus, by the words of the API."""


class ReasonBody(StrictSerializer):
    reason = TextField(max_length=2000)


class BlockBody(ReasonBody):
    annotations = ChoiceField(choices=list(ANNOTATIONS), required=False)


class ClassCounts(StrictSerializer):
    success = serializers.IntegerField()
    failure = serializers.IntegerField()


class ConfusionAnswer(StrictSerializer):
    success = ClassCounts()
    failure = ClassCounts()


class ReferenceRecord(StrictSerializer):
    n = serializers.IntegerField()
    balanced_accuracy = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    sensitivity = serializers.FloatField(allow_null=True)
    specificity = serializers.FloatField(allow_null=True)
    confusion = ConfusionAnswer()


class WorkerProject(StrictSerializer):
    project = serializers.CharField()
    annotations = serializers.IntegerField()


class WorkerAnswer(StrictSerializer):
    status = serializers.ChoiceField(choices=Worker.Status.choices)
    projects = WorkerProject(many=True)
    reference = ReferenceRecord()


class StandingAnswer(WorkerAnswer):
    annotations = serializers.ChoiceField(choices=list(ANNOTATIONS))


def worker_named(platform: str, external_id: str) -> Worker:
    """The worker; 404 if there is none. 1 query."""
    found = Worker.objects.filter(platform=platform, external_id=external_id).first()
    if found is None:
        raise NotFound
    return found


def show_worker(worker: Worker) -> dict[str, Any]:
    """A worker's status, projects and results on references, as JSON. 3 queries."""
    return {
        "status": worker.status,
        "projects": [
            {"project": row["project"], "annotations": row["annotations"]} for row in accuracy.work_record(worker)
        ],
        "reference": accuracy.reference_record(accuracy.confusion_of(worker)),
    }


def show_standing(worker: Worker) -> dict[str, Any]:
    """The same with the weighting of the worker's annotations. 3 queries."""
    chosen = next(name for name, weighting in ANNOTATIONS.items() if weighting == worker.weighting)
    return {**show_worker(worker), "annotations": chosen}


class OneWorker(Endpoint):
    """A worker's status, projects and results on references."""

    @extend_schema(operation_id="get_worker", responses=WorkerAnswer)
    def get(self, request: Request, platform: str, external_id: str) -> Response:
        return Response(show_worker(worker_named(platform, external_id)))


class BlockWorker(Endpoint):
    """Block a worker from claiming tasks, and choose how the worker's annotations are weighted."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="block_worker", request=BlockBody, responses=StandingAnswer)
    def post(self, request: Request, platform: str, external_id: str) -> Response:
        worker = worker_named(platform, external_id)
        body = read(BlockBody, request.data)
        blocking.block(
            worker=worker,
            reason=body["reason"],
            by=actor_of(request),
            at=timezone.now(),
            weighting=ANNOTATIONS.get(body.get("annotations", "")),
        )
        worker.refresh_from_db()
        return Response(show_standing(worker))


class UnblockWorker(Endpoint):
    """Unblock a worker, who may then claim tasks again."""

    scopes = {"POST": ApiKey.Scope.WORKERS}

    @extend_schema(operation_id="unblock_worker", request=NoBody, responses=StandingAnswer)
    def post(self, request: Request, platform: str, external_id: str) -> Response:
        worker = worker_named(platform, external_id)
        read(NoBody, request.data)
        blocking.unblock(worker=worker, by=actor_of(request), at=timezone.now())
        worker.refresh_from_db()
        return Response(show_standing(worker))
