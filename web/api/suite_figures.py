"""`/suites/{slug}/…`: curves, correlations, difficulty, comparisons, runs and plans of a suite."""

from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import (
    ChoiceField,
    IntegerField,
    MoneySerializer,
    NumberField,
    SlugField,
    StrictSerializer,
    read,
)
from evaluation import suites
from evaluation.figures import (
    completion_times,
    consistency,
    correlations,
    difficulty,
    information,
    runs,
    scenario_notes,
)
from evaluation.figures.comparison import ESTIMANDS, POPULATION, compare
from evaluation.figures.planning import Wish, plan_run
from lib.faults import Invalid
from lib.statistics.suites.correlation import METHODS
from lib.statistics.suites.plan import MOST_CONTINUATIONS
from web.api.rankings import JudgedQuery, asked
from web.http.endpoints import Endpoint
from web.http.query_parameters import asks


class CurvePointAnswer(StrictSerializer):
    time_s = serializers.FloatField()
    completed = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    at_risk = serializers.IntegerField()


class CurveAnswer(StrictSerializer):
    agent = serializers.CharField()
    n = serializers.IntegerField()
    points = CurvePointAnswer(many=True)


class CurveQuery(JudgedQuery):
    kind = ChoiceField(choices=list(completion_times.KINDS), required=False)


class AgentPointAnswer(StrictSerializer):
    agent = serializers.CharField()
    x = serializers.FloatField()
    y = serializers.FloatField()


class CorrelationAnswer(StrictSerializer):
    x = serializers.CharField()
    y = serializers.CharField()
    method = serializers.CharField()
    rho = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    points = AgentPointAnswer(many=True)
    sentence = serializers.CharField(allow_null=True)


class CorrelationQuery(JudgedQuery):
    method = ChoiceField(choices=list(METHODS), required=False)


class DifficultyAnswer(StrictSerializer):
    scenario = serializers.CharField()
    n = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    difficulty = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    sentence = serializers.CharField(allow_null=True)


class CorrectedDifferenceAnswer(StrictSerializer):
    difference = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class AtScenarioAnswer(StrictSerializer):
    scenario = serializers.CharField()
    a = serializers.FloatField(allow_null=True)
    b = serializers.FloatField(allow_null=True)
    n_a = serializers.IntegerField()
    n_b = serializers.IntegerField()


class ComparisonAnswer(StrictSerializer):
    a = serializers.CharField()
    b = serializers.CharField()
    difference = serializers.FloatField(allow_null=True)
    standard_error = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    p_holm = serializers.FloatField(allow_null=True)
    p_bh = serializers.FloatField(allow_null=True)
    estimand = ChoiceField(choices=list(ESTIMANDS))
    corrected = CorrectedDifferenceAnswer(allow_null=True)
    smallest_visible = serializers.FloatField(allow_null=True)
    scenarios = AtScenarioAnswer(many=True)
    sentence = serializers.CharField(allow_null=True)


class BetterMeasureAnswer(StrictSerializer):
    a = serializers.CharField()
    b = serializers.CharField()
    method = serializers.CharField()
    n = serializers.IntegerField(allow_null=True)
    difference = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    sentence = serializers.CharField()


class ConsistencyAnswer(StrictSerializer):
    agent = serializers.CharField()
    scenarios = serializers.IntegerField(help_text="With two judged continuations or more.")
    consistency = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    expected = serializers.FloatField(allow_null=True)
    always = serializers.IntegerField()
    mixed = serializers.IntegerField()
    never = serializers.IntegerField()
    sentence = serializers.CharField(allow_null=True)


class NoteAnswer(StrictSerializer):
    scenario = serializers.CharField()
    kind = ChoiceField(choices=list(scenario_notes.KINDS))
    n = serializers.IntegerField(help_text="Continuations behind it.")
    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    sentence = serializers.CharField()


class ComparisonQuery(JudgedQuery):
    a = SlugField()
    b = SlugField()
    estimand = ChoiceField(
        choices=list(ESTIMANDS),
        required=False,
        help_text="`population` (default): new scenarios; `suite`: these alone.",
    )


class MissingAnswer(StrictSerializer):
    scenario = serializers.CharField()
    continuation = serializers.IntegerField()


class RunAnswer(StrictSerializer):
    agent = serializers.CharField()
    version = serializers.CharField(allow_null=True)
    expected = serializers.IntegerField()
    received = serializers.IntegerField()
    ready = serializers.IntegerField()
    judged = serializers.IntegerField()
    unjudged = serializers.IntegerField()
    missing = MissingAnswer(many=True)
    missing_left = serializers.IntegerField()
    complete = serializers.BooleanField()


class PlanBody(StrictSerializer):
    agents = IntegerField(min_value=2, max_value=10_000)
    scenarios = IntegerField(min_value=2, max_value=100_000, required=False, help_text="Default: those of the suite.")
    continuations = IntegerField(min_value=1, max_value=MOST_CONTINUATIONS, required=False)
    rater_accuracy = NumberField(min_value=0.51, max_value=1, required=False, help_text="Default: as on references.")
    difference = NumberField(min_value=0.001, max_value=1, required=False, help_text="To be told apart.")
    power = NumberField(min_value=0.1, max_value=0.99, required=False, help_text="Default: 0.8.")
    price = MoneySerializer(required=False, help_text="Of one rating. Default: the project's pay.")
    budget = MoneySerializer(required=False, help_text="In place of continuations: what does this money show?")
    seconds_per_rating = NumberField(min_value=0.1, max_value=86_400, required=False)


class PlanAnswer(StrictSerializer):
    agents = serializers.IntegerField()
    scenarios = serializers.IntegerField()
    continuations = serializers.IntegerField(allow_null=True)
    rater_accuracy = serializers.FloatField()
    difference = serializers.FloatField(allow_null=True)
    power = serializers.FloatField(allow_null=True)
    ratings = serializers.IntegerField(allow_null=True)
    cost = MoneySerializer(allow_null=True)
    hours = serializers.FloatField(allow_null=True)
    noise = serializers.CharField(help_text="`measured` on earlier runs of the suite, or `assumed`.")
    sentence = serializers.CharField(allow_null=True)


class TimeToCompletion(Endpoint):
    """How soon each agent succeeds, in seconds from the takeover."""

    @extend_schema(operation_id="get_time_to_completion", responses=CurveAnswer(many=True))
    @asks(CurveQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        kind = self.query.get("kind", completion_times.SUCCESSES)
        return Response([one.as_json() for one in completion_times.completion_curves(what, kind=kind)])


class Correlations(Endpoint):
    """Correlations over agents, of posted metrics with success and with each other."""

    @extend_schema(operation_id="get_correlations", responses=CorrelationAnswer(many=True))
    @asks(CorrelationQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        method = self.query.get("method", METHODS[0])
        return Response([one.as_json() for one in correlations.correlations(what, method=method)])


class BetterMeasures(Endpoint):
    """The measure that goes with success most closely, compared with the others by a bootstrap over agents."""

    @extend_schema(operation_id="get_better_measures", responses=BetterMeasureAnswer(many=True))
    @asks(CorrelationQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        method = self.query.get("method", METHODS[0])
        return Response([one.as_json() for one in correlations.better_measures(what, method=method)])


class AgentsConsistency(Endpoint):
    """How often two continuations of one scenario end alike, for each agent."""

    @extend_schema(operation_id="get_consistency", responses=ConsistencyAnswer(many=True))
    @asks(JudgedQuery)
    def get(self, request: Request, slug: str) -> Response:
        found = consistency.consistencies(asked(request, suites.suite_named(slug), self.query))
        return Response([one.as_json() for one in found])


class ScenarioDifficulty(Endpoint):
    """How difficult each scenario is, in log-odds; their mean is 0."""

    @extend_schema(operation_id="get_difficulty", responses=DifficultyAnswer(many=True))
    @asks(JudgedQuery)
    def get(self, request: Request, slug: str) -> Response:
        found = difficulty.difficulties(asked(request, suites.suite_named(slug), self.query))
        return Response([one.as_json() for one in found.scenarios])


class ScenarioNotes(Endpoint):
    """The scenarios that nobody passes, that no longer tell agents apart, or on which raters disagree."""

    @extend_schema(operation_id="get_scenario_notes", responses=NoteAnswer(many=True))
    @asks(JudgedQuery)
    def get(self, request: Request, slug: str) -> Response:
        found = scenario_notes.notes_of(asked(request, suites.suite_named(slug), self.query))
        return Response([one._asdict() for one in found])


class Comparison(Endpoint):
    """Two agents, compared at the scenarios that both were tried at."""

    @extend_schema(operation_id="get_comparison", responses=ComparisonAnswer)
    @asks(ComparisonQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        names = {"a": self.query["a"], "b": self.query["b"], "estimand": self.query.get("estimand", POPULATION)}
        return Response(compare(what, **names).as_json())


class Runs(Endpoint):
    """How far each agent is on a version: the named one, else the newest."""

    @extend_schema(operation_id="get_runs", responses=RunAnswer(many=True))
    @asks(JudgedQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        if what.version is None:
            what = what._replace(version=runs.newest_version(what.suite))
        return Response([one.as_json() for one in runs.runs_of(what)])


class Plan(Endpoint):
    """Plan a run: the difference that it would show and its cost. Nothing is kept."""

    @extend_schema(operation_id="plan_run", request=PlanBody, responses={200: PlanAnswer})
    def post(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), {})
        return Response(plan_run(what, wish_of(read(PlanBody, request.data))).as_json())


class InformationPointAnswer(StrictSerializer):
    ability = serializers.FloatField()
    information = serializers.FloatField()
    standard_error = serializers.FloatField()
    apart = serializers.FloatField(help_text="The difference in log-odds that is found in 80 % of runs.")


class AbilityAnswer(StrictSerializer):
    agent = serializers.CharField()
    ability = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class ReachAnswer(StrictSerializer):
    low = serializers.FloatField()
    high = serializers.FloatField()


class WideningAnswer(StrictSerializer):
    scenario = serializers.CharField()
    difficulty = serializers.FloatField()
    gain = serializers.FloatField()


class InformationAnswer(StrictSerializer):
    points = InformationPointAnswer(many=True)
    agents = AbilityAnswer(many=True)
    reach = ReachAnswer(allow_null=True)
    beyond = serializers.ListField(child=serializers.CharField())
    widening = WideningAnswer(many=True)
    sentence = serializers.CharField(allow_null=True)


class InformationQuery(JudgedQuery):
    continuations = IntegerField(
        min_value=1, max_value=MOST_CONTINUATIONS, required=False, help_text="Default: those that the suite expects."
    )


class SuiteInformation(Endpoint):
    """Where on the scale of ability the suite can tell agents apart, and which scenarios would widen that."""

    @extend_schema(operation_id="get_information", responses=InformationAnswer)
    @asks(InformationQuery)
    def get(self, request: Request, slug: str) -> Response:
        what = asked(request, suites.suite_named(slug), self.query)
        return Response(information.information_of(what, continuations=self.query.get("continuations")).as_json())


def wish_of(body: dict[str, Any]) -> Wish:
    """The wish that a body describes.

    Raises:
        Invalid: the budget has another currency than the price.
    """
    price, budget = body.pop("price", None), body.pop("budget", None)
    if price and budget and price["currency"] != budget["currency"]:
        raise Invalid.at("#/budget/currency", "The budget has another currency than the price.")
    money = price or budget
    return Wish(
        **body,
        price=Decimal(price["amount"]) if price else None,
        budget=Decimal(budget["amount"]) if budget else None,
        **({"currency": money["currency"]} if money else {}),
    )
