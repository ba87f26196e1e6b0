"""`/projects/`: here, and not in annotation, because a project may name the suite whose episodes it takes."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.authentication import actor_of
from annotation import arms, projects
from annotation.models import GateAction, Method, Project
from common.api import BIGGEST, MoneySerializer, NumberField, SlugField, StrictSerializer, page_of_many, read
from common.openapi import listed
from evaluation.feeds import set_feed
from evaluation.models import Feed


class PayBody(StrictSerializer):
    base = MoneySerializer()


class ArmBody(StrictSerializer):
    """One arm of an experiment; what it does not name is as the project has it."""

    name = SlugField(max_length=arms.LONGEST_NAME)
    share = NumberField(min_value=0.001, max_value=1000, default=1.0)
    instructions = serializers.ListField(
        child=serializers.CharField(max_length=20_000), min_length=1, max_length=50, default=None, allow_null=True
    )
    pay = PayBody(default=None, allow_null=True)
    settings = serializers.DictField(default=dict)


class ExperimentBody(StrictSerializer):
    name = SlugField(max_length=arms.LONGEST_NAME)
    arms = serializers.ListField(child=ArmBody(), min_length=2, max_length=arms.MOST_ARMS)


class StartBody(StrictSerializer):
    tasks = serializers.IntegerField(min_value=1, max_value=10_000)
    reference_rate = NumberField(min_value=0, max_value=1)


class GateBody(StrictSerializer):
    action = serializers.ChoiceField(choices=GateAction.Action.choices)
    below = NumberField(min_value=0.5, max_value=0.99)
    minimum_n = serializers.IntegerField(min_value=1, max_value=10_000)
    alpha = NumberField(min_value=0.0001, max_value=0.3, required=False)
    beta = NumberField(min_value=0.0001, max_value=0.3, required=False)


class AggregationBody(StrictSerializer):
    method = serializers.ChoiceField(choices=Method.choices, default=Method.MAJORITY.value)
    confidence = NumberField(min_value=0.51, max_value=0.999, default=None, allow_null=True)
    least = serializers.IntegerField(min_value=1, max_value=1000, default=2)
    most = serializers.IntegerField(min_value=1, max_value=1000, default=None, allow_null=True)


AGGREGATION = {"method": Method.MAJORITY.value, "confidence": None, "least": 2, "most": None}


class ProjectBody(StrictSerializer):
    tool = serializers.CharField(max_length=32)
    title = serializers.CharField(max_length=200)
    instructions = serializers.ListField(child=serializers.CharField(max_length=20_000), max_length=50)
    suite = SlugField(default=None, allow_null=True)
    agents = serializers.ListField(child=SlugField(), default=None, allow_null=True, max_length=1000)
    version = SlugField(default=None, allow_null=True)
    redundancy = serializers.IntegerField(min_value=1, max_value=1000, default=1)
    reference_rate = NumberField(min_value=0, max_value=1, default=0.1)
    start = StartBody(default=None, allow_null=True)
    lease_s = serializers.IntegerField(min_value=1, max_value=7 * 24 * 3600, default=900)
    limit_per_worker = serializers.IntegerField(min_value=1, max_value=BIGGEST, default=None, allow_null=True)
    pay = PayBody(default=None, allow_null=True)
    budget = MoneySerializer(default=None, allow_null=True)
    consent = serializers.CharField(max_length=50_000, default=None, allow_null=True)
    qualification = SlugField(default=None, allow_null=True)
    gates = serializers.ListField(child=GateBody(), default=list, max_length=10)
    aggregation = AggregationBody(default=AGGREGATION.copy)
    two_person_review = serializers.BooleanField(default=False)
    approve_after_s = serializers.IntegerField(
        min_value=0, max_value=BIGGEST, default=projects.APPROVE_AFTER_S, allow_null=True
    )
    experiment = ExperimentBody(default=None, allow_null=True)
    settings = serializers.DictField(default=dict)
    status = serializers.ChoiceField(choices=Project.Status.choices)


class ProgressAnswer(StrictSerializer):
    tasks = serializers.IntegerField()
    open = serializers.IntegerField()
    done = serializers.IntegerField()
    unjudgeable = serializers.IntegerField()
    annotations = serializers.IntegerField()
    references = serializers.IntegerField()


class ProjectAnswer(ProjectBody):
    slug = SlugField()
    progress = ProgressAnswer()


def show(project: Project) -> dict[str, Any]:
    """4 queries."""
    return show_all([project])[0]


def show_all(found: list[Project]) -> list[dict[str, Any]]:
    """Projects as the API shows them. 4 queries, however many there are."""
    feeds = {
        feed.project_id: feed
        for feed in Feed.objects.select_related("suite", "version").prefetch_related("agents").filter(project__in=found)
    }
    progress = projects.progress_of_all(found)
    return [
        {
            **projects.show_project(project),
            **_show_feed(feeds.get(project.pk)),
            "progress": progress[project.pk],
        }
        for project in found
    ]


def _show_feed(feed: Feed | None) -> dict[str, Any]:
    if feed is None:
        return {"suite": None, "version": None, "agents": None}
    return {
        "suite": feed.suite.slug,
        "version": feed.version.slug if feed.version else None,
        "agents": sorted(agent.slug for agent in feed.agents.all()) or None,
    }


class Projects(APIView):
    """All projects."""

    @listed("list_projects", ProjectAnswer)
    def get(self, request: Request) -> Response:
        return page_of_many(request, Project.objects.select_related("consent_page", "qualification"), show_all)


class OneProject(APIView):
    """One project by its slug."""

    @extend_schema(operation_id="get_project", responses=ProjectAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show(projects.project_named(slug)))

    @extend_schema(operation_id="put_project", request=ProjectBody, responses={200: ProjectAnswer, 201: ProjectAnswer})
    def put(self, request: Request, slug: str) -> Response:
        body, now = read(ProjectBody, request.data), timezone.now()
        suite, version, agents = body.pop("suite"), body.pop("version"), body.pop("agents")
        with transaction.atomic():
            project, is_new = projects.put_project(
                slug=slug,
                body=projects.ProjectBody(**body),  # type: ignore[typeddict-item]
                by=actor_of(request),
                at=now,
            )
            set_feed(project=project, suite=suite, version=version, agents=agents, at=now)
        return Response(show(project), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)
