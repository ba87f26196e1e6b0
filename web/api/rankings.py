"""`/suites/{slug}/ranking/`: the agents of a suite, ranked, with how sure the ranking is."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import Agent
from annotation.models import Project
from common.serializers import ChoiceField, SlugField, StrictSerializer, TextField
from evaluation import ranking, suites
from evaluation.figures.rank_intervals import Asked, intervals_of
from evaluation.figures.runs import wordings_of
from evaluation.figures.shown_ranking import CORRECTED, CORRECTIONS, IDENTICAL, ONCE, RAW, show_ranking
from evaluation.models import Suite
from evaluation.repeats.groups import KINDS, repeats_in
from web.api.suites import MOST_TAG
from web.http.endpoints import Endpoint
from web.http.key_limits import rows_within
from web.http.query_parameters import QuerySerializer, asks

MOST_REPEATS = 10_000


class Rate(StrictSerializer):
    rate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class CorrectedRate(StrictSerializer):
    rate = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class RateWithoutChance(StrictSerializer):
    """On a scale where guessing is 0, and success at every try is 1."""

    chance = serializers.FloatField()
    score = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class RateWithoutOwn(StrictSerializer):
    """Without the scenarios that were made of the agent's own continuations or commands."""

    left_out = serializers.IntegerField(help_text="Scenarios.")
    rank = serializers.IntegerField(allow_null=True)
    n = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class GroupRate(StrictSerializer):
    group = serializers.CharField(allow_null=True)
    n = serializers.IntegerField()
    successes = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    se_suite = serializers.FloatField(allow_null=True)
    se_population = serializers.FloatField(allow_null=True)
    without_chance = RateWithoutChance(allow_null=True)


class AgentStanding(StrictSerializer):
    agent = serializers.CharField()
    kind = ChoiceField(choices=Agent.Kind.values)
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
    raw = Rate()
    corrected = CorrectedRate(allow_null=True)
    without_chance = RateWithoutChance(allow_null=True)
    without_own = RateWithoutOwn(allow_null=True)
    scenarios = serializers.IntegerField()
    scenario_mean = serializers.FloatField(allow_null=True)
    unjudged = serializers.IntegerField()
    pending = serializers.IntegerField()
    groups = GroupRate(many=True)


class RaterAnswer(StrictSerializer):
    n = serializers.IntegerField()
    sensitivity = serializers.FloatField(allow_null=True)
    specificity = serializers.FloatField(allow_null=True)
    n_success = serializers.FloatField(allow_null=True)
    n_failure = serializers.FloatField(allow_null=True)
    method = serializers.CharField()
    redundancy = serializers.IntegerField()


class VerdictAnswer(StrictSerializer):
    ok = serializers.BooleanField(allow_null=True)
    rule = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    bound = serializers.FloatField()
    sentence = serializers.CharField()


class BootstrapAnswer(StrictSerializer):
    seed = serializers.IntegerField()
    resamples = serializers.IntegerField()
    pending = serializers.BooleanField()


class CorrectionAnswer(StrictSerializer):
    withheld = serializers.CharField(allow_null=True)
    p_equal = serializers.DictField(child=serializers.FloatField())


class BestInCategory(StrictSerializer):
    category = serializers.CharField()
    best = serializers.FloatField(help_text="The rate of the best program there.")


class PlateauAnswer(StrictSerializer):
    """The best of the newest agents less the best before them: null while success still moves, or nobody can say."""

    agent = serializers.CharField()
    before = serializers.CharField()
    difference = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    categories = BestInCategory(many=True)
    sentence = serializers.CharField()


class RankingAnswer(StrictSerializer):
    agents = AgentStanding(many=True)
    rater = RaterAnswer(allow_null=True)
    verdict = VerdictAnswer()
    ties = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    bootstrap = BootstrapAnswer()
    plateau = PlateauAnswer(allow_null=True)
    identical_left_out = serializers.IntegerField(help_text="Repeats of identical continuations that do not count.")
    correction = CorrectionAnswer()


class RepeatAnswer(StrictSerializer):
    agent = serializers.CharField()
    kind = ChoiceField(choices=list(KINDS), help_text="`identical`: equal bytes; `near`: the pictures look the same.")
    scenario = serializers.CharField()
    continuation = serializers.IntegerField()
    same_as = serializers.IntegerField(help_text="A continuation with a lower number.")


class JudgedQuery(QuerySerializer):
    """Whose consensus counts, and on which version."""

    version = SlugField(required=False, help_text="Default: all versions together.")
    project = SlugField(required=False, help_text="Default: the suite's oldest marker project.")


class RankingQuery(JudgedQuery):
    by = ChoiceField(choices=list(ranking.GROUPINGS), required=False)
    tag = TextField(max_length=MOST_TAG, required=False, help_text="Only scenarios with this tag.")
    correct = ChoiceField(
        choices=list(CORRECTIONS), required=False, help_text="`rogan_gladen`: ranked without the raters' errors."
    )
    identical = ChoiceField(
        choices=list(IDENTICAL),
        required=False,
        help_text="`once`: continuations of an agent at a scenario with equal video or trajectory count once.",
    )


def asked(request: Request, suite: Suite, query: dict[str, Any]) -> Asked:
    """The suite as judged in the project of the query, or in the oldest one within the limits of the key. 2 queries at
    most.

    Raises:
        Invalid: there is no such version, or the project does not take the suite.
    """
    return Asked(
        suite,
        ranking.marker_project(suite, query.get("project"), among=rows_within(request, Project.objects.all())),
        ranking.version_named(suite, query.get("version")),
        query.get("tag"),
        query.get("identical") == ONCE,
    )


class SuiteRanking(Endpoint):
    """The agents of a suite, ranked by their share of successes."""

    @extend_schema(operation_id="get_ranking", responses=RankingAnswer)
    @asks(RankingQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        found = ranking.rank_agents(
            **what._asdict(),
            by=self.query.get("by"),
            is_corrected=self.query.get("correct", RAW) == CORRECTED,
        )
        return Response(show_ranking(found, intervals_of(found.counts, what)))


class Repeats(Endpoint):
    """Continuations that are the same as another of their agent, or look the same; the first 10,000."""

    @extend_schema(operation_id="get_repeats", responses=RepeatAnswer(many=True))
    @asks(JudgedQuery)
    def get(self, request: Request, slug: str) -> Response:
        found = repeats_in(wordings_of(asked(request, suites.suite_named(slug), self.query)))
        return Response([one._asdict() for one in found[:MOST_REPEATS]])
