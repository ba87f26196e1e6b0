"""`/agents/`: the programs under test, and metrics of them that were measured elsewhere."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.models import Agent, Metric
from common.data.put_row import put_row
from common.serializers import BIGGEST, ExternalIdField, NumberField, SlugField, StrictSerializer, read
from lib.faults import NotFound
from web.http.cursor_pages import page_of
from web.http.openapi import listed


class AgentBody(StrictSerializer):
    name = serializers.CharField(max_length=200)
    description = serializers.CharField(default="", allow_blank=True)
    metadata = serializers.DictField(default=dict)


class AgentAnswer(AgentBody):
    slug = SlugField()


class MetricBody(StrictSerializer):
    metric = serializers.CharField(max_length=100)
    value = NumberField()
    n = serializers.IntegerField(min_value=0, max_value=BIGGEST, required=False, allow_null=True, default=None)
    standard_error = NumberField(min_value=0, required=False, allow_null=True, default=None)
    suite = SlugField(required=False, allow_null=True, default=None)
    version = ExternalIdField(max_length=63, required=False, allow_null=True, default=None)


class MetricAnswer(MetricBody):
    agent = SlugField()
    at = serializers.DateTimeField()


def agent_named(slug: str) -> Agent:
    """The agent; 404 if there is none. 1 query."""
    found = Agent.objects.filter(slug=slug).first()
    if found is None:
        raise NotFound
    return found


def show_agent(agent: Agent) -> dict[str, Any]:
    return {
        "slug": agent.slug,
        "name": agent.name,
        "description": agent.description,
        "metadata": agent.metadata,
    }


def show_metric(metric: Metric) -> dict[str, Any]:
    return {
        "agent": metric.agent.slug,
        "metric": metric.metric,
        "value": metric.value,
        "n": metric.n,
        "standard_error": metric.standard_error,
        "suite": metric.suite or None,
        "version": metric.version or None,
        "at": metric.created_at,
    }


class Agents(APIView):
    """All agents."""

    @listed("list_agents", AgentAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Agent.objects.all(), show_agent)


class OneAgent(APIView):
    """One agent by its slug."""

    @extend_schema(operation_id="get_agent", responses=AgentAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show_agent(agent_named(slug)))

    @extend_schema(operation_id="put_agent", request=AgentBody, responses={200: AgentAnswer, 201: AgentAnswer})
    def put(self, request: Request, slug: str) -> Response:
        body = read(AgentBody, request.data)
        agent, is_new = put_row(Agent, names={"slug": slug}, content=body, when_new={"created_at": timezone.now()})
        return Response(show_agent(agent), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)


class AgentMetrics(APIView):
    """Metrics of an agent that were measured elsewhere, oldest first."""

    @listed("list_metrics", MetricAnswer)
    def get(self, request: Request, slug: str) -> Response:
        rows: QuerySet[Metric] = agent_named(slug).metrics.select_related("agent")
        return page_of(request, rows, show_metric)

    @extend_schema(operation_id="post_metric", request=MetricBody, responses={201: MetricAnswer})
    def post(self, request: Request, slug: str) -> Response:
        agent = agent_named(slug)
        body = read(MetricBody, request.data)
        metric = Metric.objects.create(
            agent=agent,
            created_at=timezone.now(),
            **{**body, "suite": body["suite"] or "", "version": body["version"] or ""},
        )
        return Response(show_metric(metric), status=status.HTTP_201_CREATED)
