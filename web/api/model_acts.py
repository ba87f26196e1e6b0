"""Acts on models: the gate, deploying, and rolling back."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import BooleanField, NoBody, NumberField, SlugField, StrictSerializer, TextField, read
from learning.models import Serving
from learning.serving import gate, switching
from learning.serving.switching import LONGEST_REASON
from learning.training.artefacts import model_named
from web.api.authentication import actor_of
from web.http.endpoints import Endpoint

RULES = ("mcnemar", "wilcoxon", "t0", "actions", "smoke", "valid", "latency")
STATUSES = ("passed", "waits", "unproved", "refused")


class GateReason(StrictSerializer):
    rule = serializers.ChoiceField(choices=RULES)
    value = serializers.FloatField()
    bound = serializers.FloatField()
    passed = serializers.BooleanField()
    sentence = serializers.CharField()


class GateAnswer(StrictSerializer):
    """A verdict. `against` is null where the agent's own rules act; `waits` means that too few items differ so far."""

    passed = serializers.BooleanField()
    status = serializers.ChoiceField(choices=STATUSES)
    against = serializers.CharField(allow_null=True)
    tested_on = serializers.IntegerField()
    n = serializers.IntegerField()
    gained = serializers.IntegerField()
    lost = serializers.IntegerField()
    p = serializers.FloatField()
    alpha = serializers.FloatField()
    look = serializers.IntegerField()
    is_look = serializers.BooleanField()
    reasons = GateReason(many=True)
    sentence = serializers.CharField()


class DeployBody(StrictSerializer):
    """A share below 1 tries the model in that share of the sessions that begin; a shadow predicts and does not act.

    `force_reason` deploys a model that did not pass the gate; the reason is kept.
    """

    share = NumberField(more_than=0, max_value=1, default=1.0)
    shadow = BooleanField(default=False)
    force_reason = TextField(max_length=LONGEST_REASON, required=False, allow_null=True, allow_blank=True)


class ServingAnswer(StrictSerializer):
    """The model that new sessions of a module begin with. `model` is null where the agent's own rules act."""

    module = SlugField()
    model = serializers.CharField(allow_null=True)
    tried = serializers.CharField(allow_null=True)
    share = serializers.FloatField()
    shadow = serializers.CharField(allow_null=True)
    changed_at = serializers.DateTimeField()


def show_serving(serving: Serving) -> dict[str, Any]:
    return {
        "module": serving.module,
        "model": serving.model.public_id if serving.model else None,
        "tried": serving.tried.public_id if serving.tried else None,
        "share": serving.share,
        "shadow": serving.shadow.public_id if serving.shadow else None,
        "changed_at": serving.changed_at,
    }


class JudgeModel(Endpoint):
    """Compare a model with what acts now, on the newest frozen test items."""

    commits_with_answer = False

    @extend_schema(operation_id="judge_model", request=NoBody, responses=GateAnswer)
    def post(self, request: Request, model: str) -> Response:
        found = model_named(model)
        read(NoBody, request.data)
        return Response(gate.judge_model(model=found, by=actor_of(request), at=timezone.now()).content)


class DeployModel(Endpoint):
    """Let sessions that begin from now on begin with this model. It needs a passed gate, or a reason."""

    @extend_schema(operation_id="deploy_model", request=DeployBody, responses=ServingAnswer)
    def post(self, request: Request, model: str) -> Response:
        found = model_named(model)
        body = read(DeployBody, request.data)
        serving = switching.deploy(
            model=found,
            share=body["share"],
            shadow=body["shadow"],
            force_reason=body.get("force_reason") or "",
            by=actor_of(request),
            at=timezone.now(),
        )
        return Response(show_serving(serving))


class RollBackModel(Endpoint):
    """Take a model out of use: what acted before it acts again."""

    @extend_schema(operation_id="roll_back_model", request=NoBody, responses=ServingAnswer)
    def post(self, request: Request, model: str) -> Response:
        found = model_named(model)
        read(NoBody, request.data)
        serving = switching.roll_back(model=found, by=actor_of(request), at=timezone.now())
        return Response(show_serving(serving))
