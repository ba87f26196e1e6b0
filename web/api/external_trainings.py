"""`/trainings/claim/` and `/trainings/{training}/artefact/`: trainers outside of this server."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import MetadataField, OpaqueIdField, SlugField, StrictSerializer, TextField, read
from evaluation.uploads import upload_named
from learning.models.trainings import Kind
from learning.training import external
from learning.training.requests import training_named
from lib.faults import Invalid, NotFound
from web.api.authentication import actor_of
from web.http.endpoints import Endpoint

ITEMS = "/api/v1/tranches/{module}/{n}/{split}.jsonl"


class ClaimTrainingBody(StrictSerializer):
    module = SlugField(required=False, allow_null=True)


class ClaimedTraining(StrictSerializer):
    """A run to train: where its data is, the model to continue from, and the secret with which it is handed in."""

    training = serializers.CharField()
    module = SlugField()
    trainer = SlugField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    seed = serializers.IntegerField()
    settings = serializers.DictField()
    train = serializers.ListField(child=serializers.CharField())
    valid = serializers.ListField(child=serializers.CharField())
    start = serializers.CharField(allow_null=True)
    token = serializers.CharField()
    lease_expires_at = serializers.DateTimeField()


class TrainingArtefactBody(StrictSerializer):
    """The upload has the artefact, as the training's trainer would have made it."""

    upload = OpaqueIdField()
    token = TextField(max_length=100)
    metrics = MetadataField(required=False, default=dict)


class HandedIn(StrictSerializer):
    model = serializers.CharField()


def show_claimed(claimed: external.Claimed) -> dict[str, Any]:
    run, module = claimed.run, claimed.run.training.module
    paths = {
        split: [ITEMS.format(module=module, n=one.number, split=split) for one in claimed.learns_from]
        for split in ("train", "valid")
    }
    return {
        "training": run.training.public_id,
        "module": module,
        "trainer": run.training.trainer,
        "kind": run.kind,
        "seed": run.seed,
        "settings": run.training.settings,
        **paths,
        "start": f"/api/v1/models/{claimed.parent.public_id}/artefact/" if claimed.parent else None,
        "token": claimed.token,
        "lease_expires_at": run.lease_expires_at,
    }


class ClaimTraining(Endpoint):
    """Claim the next run that waits for a trainer outside of this server; 204: none waits."""

    @extend_schema(
        operation_id="claim_training", request=ClaimTrainingBody, responses={200: ClaimedTraining, 204: None}
    )
    def post(self, request: Request) -> Response:
        body = read(ClaimTrainingBody, request.data)
        claimed = external.claim_run(module=body.get("module"), by=actor_of(request), at=timezone.now())
        if claimed is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(show_claimed(claimed))


class TrainingArtefact(Endpoint):
    """Hand in what a trainer outside made of the run that it claimed. It is tested here like any other."""

    commits_with_answer = False

    @extend_schema(operation_id="hand_in_artefact", request=TrainingArtefactBody, responses={201: HandedIn})
    def post(self, request: Request, training: str) -> Response:
        found = training_named(training)
        body = read(TrainingArtefactBody, request.data)
        try:
            upload = upload_named(body["upload"])
        except NotFound:
            raise Invalid.at("#/upload", "There is no such upload.") from None
        model = external.hand_in(
            training=found,
            token=body["token"],
            upload=upload,
            metrics=body["metrics"],
            by=actor_of(request),
            at=timezone.now(),
        )
        return Response({"model": model.public_id}, status=status.HTTP_201_CREATED)
