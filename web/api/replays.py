"""`/campaigns/{slug}/replays/`: ended campaigns again, their answers bought under other policies."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import IntegerField, NumberField, SlugField, StrictSerializer, read
from learning.campaigns.plans import campaign_named
from learning.campaigns.replays import MOST_SEEDS, SEEDS, SHARE, request_replays
from learning.models import Replay
from web.api.authentication import actor_of
from web.http.endpoints import Endpoint


class ReplaysBody(StrictSerializer):
    """A wish for replays under each policy; `share` is that of the annotation cost which each may spend."""

    module = SlugField()
    share = NumberField(min_value=0.01, max_value=1, default=round(SHARE, 4))
    seeds = IntegerField(min_value=1, max_value=MOST_SEEDS, default=SEEDS)


class ReplayStep(StrictSerializer):
    """The state after an iteration; iteration 0 is the first model, before anything was bought."""

    iteration = serializers.IntegerField()
    spent = serializers.FloatField()
    items = serializers.IntegerField()
    left = serializers.IntegerField()
    value = serializers.FloatField()


class ReplayAnswer(StrictSerializer):
    module = SlugField()
    policy = serializers.ChoiceField(choices=Replay.Policy.choices)
    share = serializers.FloatField()
    seed = serializers.IntegerField()
    status = serializers.ChoiceField(choices=Replay.Status.choices)
    steps = ReplayStep(many=True)
    problem = serializers.CharField(allow_null=True)


class ReplaysAnswer(StrictSerializer):
    """All replays of a campaign. Costs are in its currency."""

    currency = serializers.CharField()
    replays = ReplayAnswer(many=True)


def show_replay(replay: Replay) -> dict[str, Any]:
    names = ("module", "policy", "share", "seed", "status")
    steps = [dict(zip(ReplayStep().fields, step, strict=True)) for step in replay.steps]
    return {**{name: getattr(replay, name) for name in names}, "steps": steps, "problem": replay.error or None}


class Replays(Endpoint):
    """The replays of a campaign; those that are asked for again stay as they are, unless they failed."""

    @extend_schema(operation_id="list_replays", responses=ReplaysAnswer)
    def get(self, request: Request, slug: str) -> Response:
        found = campaign_named(slug)
        return Response({"currency": found.currency, "replays": [show_replay(one) for one in found.replays.all()]})

    @extend_schema(operation_id="post_replays", request=ReplaysBody, responses={202: ReplaysAnswer})
    def post(self, request: Request, slug: str) -> Response:
        found = campaign_named(slug)
        body = read(ReplaysBody, request.data)
        asked = request_replays(campaign=found, **body, by=actor_of(request), at=timezone.now())
        shown = {"currency": found.currency, "replays": [show_replay(one) for one in asked]}
        return Response(shown, status=status.HTTP_202_ACCEPTED)
