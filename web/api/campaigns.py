"""`/campaigns/`: the learning loop that runs by itself."""

from typing import Any, cast

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import (
    BIGGEST,
    ChoiceField,
    IntegerField,
    MoneySerializer,
    NoBody,
    NumberField,
    SlugField,
    StrictSerializer,
    TextField,
    read,
)
from learning.campaigns import acts
from learning.campaigns.plans import ASKS, NOT_PASSED, SEEDS, CampaignBody, campaign_named, put_campaign
from learning.campaigns.progress import show_campaign
from learning.models import Campaign, Iteration
from learning.training.requests import MOST_SEEDS
from web.api.authentication import actor_of
from web.api.model_acts import GateAnswer
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, replaceable

MOST_MODULES, MOST_ROUTES = 10, 100


class CampaignGate(StrictSerializer):
    """How many seeds are trained, and when a person is asked."""

    seeds = IntegerField(min_value=1, max_value=MOST_SEEDS, default=SEEDS)
    ask = ChoiceField(choices=ASKS, default=NOT_PASSED)


class CampaignStop(StrictSerializer):
    """It ends after so many iterations, or so many in a row that deployed nothing; name one at least."""

    iterations = IntegerField(min_value=1, max_value=1000, required=False, allow_null=True, default=None)
    no_gain = IntegerField(min_value=1, max_value=1000, required=False, allow_null=True, default=None)


class CampaignContent(StrictSerializer):
    """A campaign by its plan. `sessions` are wanted in each iteration; `threshold` is a confidence of the consensus.

    Without `routes`, those that take commands of the project.
    """

    project = SlugField()
    modules = serializers.ListField(child=SlugField(), min_length=1, max_length=MOST_MODULES)
    sessions = IntegerField(min_value=1, max_value=100_000)
    budget = MoneySerializer()
    routes = serializers.ListField(child=SlugField(), max_length=MOST_ROUTES, default=list)
    redundancy = IntegerField(min_value=1, max_value=1000, required=False, allow_null=True, default=None)
    threshold = NumberField(min_value=0.51, max_value=0.999, required=False, allow_null=True, default=None)
    close_after = IntegerField(min_value=1, max_value=BIGGEST)
    gate = CampaignGate(required=False)
    stop = CampaignStop()


class IterationAnswer(StrictSerializer):
    """One turn of the loop for one module. What it spent is what its campaign spent meanwhile."""

    n = serializers.IntegerField()
    module = SlugField()
    step = serializers.ChoiceField(choices=Iteration.Step.choices)
    outcome = serializers.ChoiceField(choices=Iteration.Outcome.choices, allow_null=True)
    reason = serializers.CharField(allow_null=True)
    tranche = serializers.IntegerField()
    training = serializers.CharField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    gate = GateAnswer(allow_null=True)
    deployed = serializers.BooleanField()
    spent = MoneySerializer()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class CampaignAnswer(CampaignContent):
    slug = SlugField()
    status = serializers.ChoiceField(choices=Campaign.Status.choices)
    waiting_for = serializers.CharField(allow_null=True)
    spent = MoneySerializer()
    ended_because = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    iterations = IterationAnswer(many=True)


class CampaignRow(StrictSerializer):
    slug = SlugField()
    project = SlugField()
    modules = serializers.ListField(child=SlugField())
    status = serializers.ChoiceField(choices=Campaign.Status.choices)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class DecideBody(StrictSerializer):
    """Deploy the model all the same, keep it as a candidate and go on, or train again."""

    decision = ChoiceField(choices=acts.DECISIONS)
    reason = TextField(max_length=acts.LONGEST_REASON)


def show_row(campaign: Campaign) -> dict[str, Any]:
    """A campaign in a list. No query where its project is loaded."""
    names = ("slug", "modules", "status", "created_at", "started_at", "ended_at")
    return {**{name: getattr(campaign, name) for name in names}, "project": campaign.project.slug}


class Campaigns(Endpoint):
    """All campaigns, oldest first."""

    @listed("list_campaigns", CampaignRow)
    def get(self, request: Request) -> Response:
        return page_of(request, Campaign.objects.select_related("project"), show_row)


@replaceable("campaign", CampaignContent, CampaignAnswer)
class OneCampaign(Replaceable):
    """One campaign: its plan, where it is, and what its iterations brought. To put one starts nothing."""

    def rows(self, **names: str) -> QuerySet[Campaign]:
        return Campaign.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show_campaign(campaign_named(**names))

    def replace(self, data: Any, **names: str) -> bool:
        body = cast(CampaignBody, read(CampaignContent, data))
        return put_campaign(**names, body=body, by=actor_of(self.request), at=timezone.now())[1]


class StartCampaign(Endpoint):
    """Start a campaign. One that runs already goes on."""

    @extend_schema(operation_id="start_campaign", request=NoBody, responses=CampaignAnswer)
    def post(self, request: Request, slug: str) -> Response:
        found = campaign_named(slug)
        read(NoBody, request.data)
        return Response(show_campaign(acts.start(campaign=found, by=actor_of(request), at=timezone.now())))


class StopCampaign(Endpoint):
    """Stop a campaign: no further session begins, and its training is cancelled. Data and models stay."""

    @extend_schema(operation_id="stop_campaign", request=NoBody, responses=CampaignAnswer)
    def post(self, request: Request, slug: str) -> Response:
        found = campaign_named(slug)
        read(NoBody, request.data)
        return Response(show_campaign(acts.stop(campaign=found, by=actor_of(request), at=timezone.now())))


class DecideCampaign(Endpoint):
    """Decide what a campaign asks a person."""

    @extend_schema(operation_id="decide_campaign", request=DecideBody, responses=CampaignAnswer)
    def post(self, request: Request, slug: str) -> Response:
        found = campaign_named(slug)
        body = read(DecideBody, request.data)
        return Response(show_campaign(acts.decide(campaign=found, **body, by=actor_of(request), at=timezone.now())))
