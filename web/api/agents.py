"""`/agents/`: the programs under test, and metrics of them that were measured elsewhere."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents import programs
from agents.models import Agent, Metric
from common.serializers import (
    BIGGEST,
    ChoiceField,
    ExternalIdField,
    IntegerField,
    MetadataField,
    NumberField,
    SlugField,
    StrictSerializer,
    TextField,
    read,
)
from lib.faults import NotFound
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, replaceable


class AgentBody(StrictSerializer):
    name = TextField(max_length=200)
    description = TextField(default="", allow_blank=True, max_length=20_000)
    kind = ChoiceField(
        choices=Agent.Kind.values,
        default=Agent.Kind.AGENT.value,
        help_text="People and guessing are drawn as lines beside the ranked programs.",
    )
    metadata = MetadataField(default=dict)


class AgentAnswer(AgentBody):
    slug = SlugField()


class MetricBody(StrictSerializer):
    metric = TextField(max_length=100)
    value = NumberField()
    n = IntegerField(min_value=0, max_value=BIGGEST, required=False, allow_null=True, default=None)
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
        "kind": agent.kind,
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


class Agents(Endpoint):
    """All agents."""

    @listed("list_agents", AgentAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Agent.objects.all(), show_agent)


@replaceable("agent", AgentBody, AgentAnswer)
class OneAgent(Replaceable):
    """One agent by its slug."""

    def rows(self, **names: str) -> QuerySet[Agent]:
        return Agent.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show_agent(agent_named(**names))

    def replace(self, data: Any, **names: str) -> bool:
        body = programs.AgentBody(**read(AgentBody, data))  # type: ignore[typeddict-item]
        _, is_new = programs.put_agent(**names, body=body, by=actor_of(self.request), at=timezone.now())
        return is_new


class AgentMetrics(Endpoint):
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
