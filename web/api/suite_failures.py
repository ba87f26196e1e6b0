"""`/suites/{slug}/failures/`: how agents and people fail, as two people coded samples of failures."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import Agent
from annotation.models import Project
from common.serializers import ChoiceField, StrictSerializer
from evaluation import suites
from evaluation.failures.table import samples_of, table_of
from web.http.endpoints import Endpoint
from web.http.key_limits import rows_within

MOST_SAMPLES = 100
"""So many of the newest are answered."""


class KappaAnswer(StrictSerializer):
    n = serializers.IntegerField(help_text="Failures that both people coded.")
    agreement = serializers.FloatField(allow_null=True)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class FailureCategoryAnswer(StrictSerializer):
    source = serializers.CharField()  # type: ignore[assignment]  # Django REST Framework has an argument of this name
    name = serializers.CharField()
    n = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class FailureTableAnswer(StrictSerializer):
    sample = serializers.IntegerField()
    project = serializers.CharField()
    version = serializers.CharField(allow_null=True)
    kind = ChoiceField(choices=Agent.Kind.values)
    seed = serializers.IntegerField()
    failures = serializers.IntegerField(help_text="From so many it was drawn.")
    drawn = serializers.IntegerField()
    settled = serializers.IntegerField()
    open = serializers.IntegerField(help_text="Coded differently, and not decided.")
    kappa = KappaAnswer()
    categories = FailureCategoryAnswer(many=True)
    made_at = serializers.DateTimeField()


class SuiteFailures(Endpoint):
    """How agents and people fail: the tables of the samples of failures, newest first."""

    @extend_schema(operation_id="get_failures", responses=FailureTableAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        samples = samples_of(suites.suite_named(slug), among=rows_within(request, Project.objects.all()))
        return Response([table_of(sample).as_json() for sample in samples[:MOST_SAMPLES]])
