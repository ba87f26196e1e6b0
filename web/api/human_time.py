"""`/suites/{slug}/human_time/`: people's hours for each agent, on the suite and in live sessions."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Project
from common.serializers import StrictSerializer
from evaluation import suites
from web.api.rankings import JudgedQuery, asked
from web.http.endpoints import Endpoint
from web.http.key_limits import rows_within
from web.http.query_parameters import asks
from web.staff.evaluation.human_time import human_time


class EffortAnswer(StrictSerializer):
    n = serializers.IntegerField(help_text="Judged continuations, or judged commands.")
    clusters = serializers.IntegerField(help_text="The scenarios, or the sessions, that they come from.")
    rate = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    hours = serializers.FloatField(allow_null=True)
    hours_at_equal_error = serializers.FloatField(allow_null=True)


class AgentTimeAnswer(StrictSerializer):
    agent = serializers.CharField()
    suite = EffortAnswer()
    suite_cost = serializers.CharField(allow_null=True)
    live = EffortAnswer()
    live_cost = serializers.CharField(allow_null=True)
    times = serializers.FloatField(
        allow_null=True, help_text="How many times the suite's hours live sessions take to the same standard error."
    )
    sentence = serializers.CharField(allow_null=True, help_text="Why there is no comparison.")


class HumanTimeAnswer(StrictSerializer):
    agents = AgentTimeAnswer(many=True)
    equal_error = serializers.FloatField()
    currency = serializers.CharField(help_text='Of the costs; "" without a project.')


class SuiteHumanTime(Endpoint):
    """People's hours for each agent: rating its continuations, against live sessions with it."""

    @extend_schema(operation_id="get_human_time", responses=HumanTimeAnswer)
    @asks(JudgedQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        return Response(human_time(what, among=rows_within(request, Project.objects.all())).as_json())
