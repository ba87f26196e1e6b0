"""`/suites/`: suites with their scenarios, frozen versions and rankings."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.data.put_row import put_row
from common.serializers import ExternalIdField, NumberField, SlugField, StrictSerializer, read
from evaluation import ranking, suites
from evaluation.models import Scenario, Suite, Version
from lib.faults import Fault, Invalid, NotFound
from web.http.cursor_pages import page_of
from web.http.openapi import listed
from web.http.query_parameters import asked


class SuiteBody(StrictSerializer):
    title = serializers.CharField(max_length=200)
    description = serializers.CharField(default="", allow_blank=True)


class SuiteAnswer(SuiteBody):
    slug = SlugField()


class ScenarioBody(StrictSerializer):
    instruction = serializers.CharField(max_length=5000)
    category = serializers.CharField(max_length=100)
    skill = serializers.CharField(max_length=100)
    takeover_s = NumberField(min_value=0)
    continuation_s = NumberField(min_value=0)
    criteria = serializers.CharField(max_length=5000, default="", allow_blank=True)
    prompt = serializers.CharField(max_length=5000, default="", allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField(max_length=100), max_length=100, default=list)
    difficulty = serializers.JSONField(default=None, allow_null=True)
    source = serializers.JSONField(default=None, allow_null=True)  # type: ignore[assignment]
    metadata = serializers.DictField(default=dict)

    def validate_continuation_s(self, value: float) -> float:
        if value <= 0:
            raise serializers.ValidationError("A continuation lasts some time: more than 0 s.")
        return value


class ScenarioAnswer(ScenarioBody):
    key = ExternalIdField()


class VersionBody(StrictSerializer):
    """An empty object: a version freezes the present scenarios."""


class VersionAnswer(StrictSerializer):
    version = SlugField()
    suite = SlugField()
    scenarios = serializers.ListField(child=serializers.CharField())
    frozen_at = serializers.DateTimeField()


class GroupRate(StrictSerializer):
    group = serializers.CharField(allow_null=True)
    n = serializers.IntegerField()
    successes = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)


class CorrectedRate(StrictSerializer):
    rate = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class AgentStanding(StrictSerializer):
    agent = serializers.CharField()
    n = serializers.IntegerField()
    successes = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    se_suite = serializers.FloatField(allow_null=True)
    se_population = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    rank = serializers.IntegerField(allow_null=True)
    rank_low = serializers.IntegerField(allow_null=True)
    rank_high = serializers.IntegerField(allow_null=True)
    corrected = CorrectedRate(allow_null=True)
    unjudged = serializers.IntegerField()
    pending = serializers.IntegerField()
    groups = GroupRate(many=True)


class RaterAnswer(StrictSerializer):
    n = serializers.IntegerField()
    sensitivity = serializers.FloatField(allow_null=True)
    specificity = serializers.FloatField(allow_null=True)


class RankingAnswer(StrictSerializer):
    agents = AgentStanding(many=True)
    rater = RaterAnswer(allow_null=True)


def show_suite(suite: Suite) -> dict[str, Any]:
    return {"slug": suite.slug, "title": suite.title, "description": suite.description}


def show_scenario(scenario: Scenario) -> dict[str, Any]:
    revision = scenario.current
    if revision is None:
        raise NotFound
    return {"key": scenario.key, **{name: getattr(revision, name) for name in suites.ScenarioBody.__annotations__}}


def show_version(version: Version) -> dict[str, Any]:
    keys = version.revisions.order_by("scenario__key").values_list("scenario__key", flat=True)
    return {
        "version": version.slug,
        "suite": version.suite.slug,
        "scenarios": list(keys),
        "frozen_at": version.created_at,
    }


def _made(is_new: bool) -> int:
    return status.HTTP_201_CREATED if is_new else status.HTTP_200_OK


class Suites(APIView):
    """All suites."""

    @listed("list_suites", SuiteAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, Suite.objects.all(), show_suite)


class OneSuite(APIView):
    """One suite by its slug."""

    @extend_schema(operation_id="get_suite", responses=SuiteAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show_suite(suites.suite_named(slug)))

    @extend_schema(operation_id="put_suite", request=SuiteBody, responses={200: SuiteAnswer, 201: SuiteAnswer})
    def put(self, request: Request, slug: str) -> Response:
        body = read(SuiteBody, request.data)
        suite, is_new = put_row(Suite, names={"slug": slug}, content=body, when_new={"created_at": timezone.now()})
        return Response(show_suite(suite), status=_made(is_new))


class Scenarios(APIView):
    """The present scenarios of a suite."""

    @listed("list_scenarios", ScenarioAnswer)
    def get(self, request: Request, slug: str) -> Response:
        rows = suites.suite_named(slug).scenarios.exclude(current=None).select_related("current")
        return page_of(request, rows, show_scenario)


class OneScenario(APIView):
    """One scenario by its key. A change does not alter frozen versions."""

    @extend_schema(operation_id="get_scenario", responses=ScenarioAnswer)
    def get(self, request: Request, slug: str, key: str) -> Response:
        return Response(show_scenario(suites.scenario_for(suites.suite_named(slug), key)))

    @extend_schema(
        operation_id="put_scenario",
        request=ScenarioBody,
        responses={200: ScenarioAnswer, 201: ScenarioAnswer},
    )
    def put(self, request: Request, slug: str, key: str) -> Response:
        suite = suites.suite_named(slug)
        body = suites.ScenarioBody(**read(ScenarioBody, request.data))  # type: ignore[typeddict-item]
        scenario, is_new = suites.put_scenario(suite=suite, key=key, body=body, at=timezone.now())
        return Response(show_scenario(scenario), status=_made(is_new))


class OneVersion(APIView):
    """A frozen version of the suite's scenarios."""

    @extend_schema(operation_id="get_version", responses=VersionAnswer)
    def get(self, request: Request, slug: str, version: str) -> Response:
        found = suites.suite_named(slug).versions.select_related("suite").filter(slug=version).first()
        if found is None:
            raise NotFound
        return Response(show_version(found))

    @extend_schema(operation_id="put_version", request=VersionBody, responses={200: VersionAnswer, 201: VersionAnswer})
    def put(self, request: Request, slug: str, version: str) -> Response:
        suite = suites.suite_named(slug)
        read(VersionBody, request.data)
        frozen, is_new = suites.freeze(suite=suite, slug=version, at=timezone.now())
        return Response(show_version(frozen), status=_made(is_new))


class SuiteRanking(APIView):
    """The agents of a suite, ranked by their share of successes."""

    @extend_schema(
        operation_id="get_ranking",
        parameters=[
            OpenApiParameter("version", OpenApiTypes.STR, description="Default: all versions together."),
            OpenApiParameter("project", OpenApiTypes.STR, description="Default: the suite's oldest marker project."),
            OpenApiParameter("by", OpenApiTypes.STR, enum=ranking.GROUPINGS),
            OpenApiParameter("tag", OpenApiTypes.STR, description="Only scenarios with this tag."),
            OpenApiParameter("correct", OpenApiTypes.STR, enum=["none"]),
        ],
        responses=RankingAnswer,
    )
    def get(self, request: Request, slug: str) -> Response:
        suite = suites.suite_named(slug)
        by = asked(request, "by") or None
        faults = []
        if by is not None and by not in ranking.GROUPINGS:
            faults.append(Fault("#/by", f"Use one of {', '.join(ranking.GROUPINGS)}."))
        if (asked(request, "correct") or "none") != "none":
            faults.append(Fault("#/correct", "Only `none` is computed: rates as the people judged."))
        if faults:
            raise Invalid(faults=faults)
        found = ranking.rank_agents(
            suite=suite,
            project=ranking.marker_project(suite, asked(request, "project") or None),
            version=ranking.version_named(suite, asked(request, "version") or None),
            by=by,
            tag=asked(request, "tag") or None,
        )
        return Response(ranking.show_ranking(found))
