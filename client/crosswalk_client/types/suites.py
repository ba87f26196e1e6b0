"""Types of `suites`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from crosswalk_client.types.shared import Money, MoneyRequest


class AbilityAnswer(TypedDict):
    agent: str
    ability: float
    low: float
    high: float


class AgentPointAnswer(TypedDict):
    agent: str
    x: float
    y: float


class AgentStanding(TypedDict):
    agent: str
    kind: Literal["agent", "human", "expert", "guess"]
    n: int
    successes: int
    rate: float | None
    standard_error: float | None
    se_suite: float | None
    se_population: float | None
    low: float | None
    high: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    raw: Rate
    corrected: CorrectedRate | None
    without_chance: RateWithoutChance | None
    without_own: RateWithoutOwn | None
    scenarios: int
    scenario_mean: float | None
    unjudged: int
    pending: int
    groups: list[GroupRate]


class AgentTimeAnswer(TypedDict):
    agent: str
    suite: EffortAnswer
    suite_cost: str | None
    live: EffortAnswer
    live_cost: str | None
    times: float | None
    sentence: str | None


class AtScenarioAnswer(TypedDict):
    scenario: str
    a: float | None
    b: float | None
    n_a: int
    n_b: int


class BestInCategory(TypedDict):
    category: str
    best: float


class BetterMeasureAnswer(TypedDict):
    a: str
    b: str
    method: str
    n: int | None
    difference: float | None
    low: float | None
    high: float | None
    sentence: str


class BootstrapAnswer(TypedDict):
    seed: int
    resamples: int
    pending: bool


class ComparisonAnswer(TypedDict):
    a: str
    b: str
    difference: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    p_bh: float | None
    estimand: Literal["population", "suite"]
    corrected: CorrectedDifferenceAnswer | None
    smallest_visible: float | None
    scenarios: list[AtScenarioAnswer]
    sentence: str | None


class ConsistencyAnswer(TypedDict):
    agent: str
    scenarios: int
    consistency: float | None
    low: float | None
    high: float | None
    expected: float | None
    always: int
    mixed: int
    never: int
    sentence: str | None


class CorrectedDifferenceAnswer(TypedDict):
    difference: float
    low: float
    high: float


class CorrectedRate(TypedDict):
    rate: float
    low: float
    high: float


class CorrectionAnswer(TypedDict):
    withheld: str | None
    p_equal: dict[str, float]


class CorrelationAnswer(TypedDict):
    x: str
    y: str
    method: str
    rho: float | None
    p: float | None
    n: int
    low: float | None
    high: float | None
    points: list[AgentPointAnswer]
    sentence: str | None


class CurveAnswer(TypedDict):
    agent: str
    n: int
    points: list[CurvePointAnswer]


class CurvePointAnswer(TypedDict):
    time_s: float
    completed: float
    low: float
    high: float
    at_risk: int


class DifficultyAnswer(TypedDict):
    scenario: str
    n: int
    rate: float | None
    difficulty: float | None
    low: float | None
    high: float | None
    sentence: str | None


class EffortAnswer(TypedDict):
    n: int
    clusters: int
    rate: float | None
    standard_error: float | None
    hours: float | None
    hours_at_equal_error: float | None


class FailureCategoryAnswer(TypedDict):
    source: str
    name: str
    n: int
    share: float | None
    low: float | None
    high: float | None


class FailureTableAnswer(TypedDict):
    sample: int
    project: str
    version: str | None
    kind: Literal["agent", "human", "expert", "guess"]
    seed: int
    failures: int
    drawn: int
    settled: int
    open: int
    kappa: KappaAnswer
    categories: list[FailureCategoryAnswer]
    made_at: str


class GroupRate(TypedDict):
    group: str | None
    n: int
    successes: int
    rate: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    se_suite: float | None
    se_population: float | None
    without_chance: RateWithoutChance | None


class HumanTimeAnswer(TypedDict):
    agents: list[AgentTimeAnswer]
    equal_error: float
    currency: str


class ImportedAnswer(TypedDict):
    suite: str
    scenarios: int
    episodes: int
    versions: list[ImportedVersion]


class ImportedVersion(TypedDict):
    version: str
    sha256: str


class InformationAnswer(TypedDict):
    points: list[InformationPointAnswer]
    agents: list[AbilityAnswer]
    reach: ReachAnswer | None
    beyond: list[str]
    widening: list[WideningAnswer]
    sentence: str | None


class InformationPointAnswer(TypedDict):
    ability: float
    information: float
    standard_error: float
    apart: float


class KappaAnswer(TypedDict):
    n: int
    agreement: float | None
    value: float | None
    low: float | None
    high: float | None


class MissingAnswer(TypedDict):
    scenario: str
    continuation: int


class NoteAnswer(TypedDict):
    scenario: str
    kind: Literal["nobody_passes", "does_not_separate", "weaker_are_better", "raters_disagree"]
    n: int
    value: float
    low: float
    high: float
    sentence: str


class PlanAnswer(TypedDict):
    agents: int
    scenarios: int
    continuations: int | None
    rater_accuracy: float
    difference: float | None
    power: float | None
    ratings: int | None
    cost: Money | None
    hours: float | None
    noise: str
    sentence: str | None


class PlanBodyRequest(TypedDict):
    agents: int
    scenarios: NotRequired[int]
    continuations: NotRequired[int]
    rater_accuracy: NotRequired[float]
    difference: NotRequired[float]
    power: NotRequired[float]
    price: NotRequired[MoneyRequest]
    budget: NotRequired[MoneyRequest]
    seconds_per_rating: NotRequired[float]


class PlateauAnswer(TypedDict):
    agent: str
    before: str
    difference: float
    low: float
    high: float
    categories: list[BestInCategory]
    sentence: str


class RankingAnswer(TypedDict):
    agents: list[AgentStanding]
    rater: RaterAnswer | None
    verdict: VerdictAnswer
    ties: list[list[str]]
    bootstrap: BootstrapAnswer
    plateau: PlateauAnswer | None
    identical_left_out: int
    correction: CorrectionAnswer


class Rate(TypedDict):
    rate: float | None
    low: float | None
    high: float | None


class RateWithoutChance(TypedDict):
    chance: float
    score: float
    low: float
    high: float


class RateWithoutOwn(TypedDict):
    left_out: int
    rank: int | None
    n: int
    rate: float | None
    low: float | None
    high: float | None


class RaterAnswer(TypedDict):
    n: int
    sensitivity: float | None
    specificity: float | None
    n_success: float | None
    n_failure: float | None
    method: str
    redundancy: int


class ReachAnswer(TypedDict):
    low: float
    high: float


class RepeatAnswer(TypedDict):
    agent: str
    kind: Literal["identical", "near"]
    scenario: str
    continuation: int
    same_as: int


class RunAnswer(TypedDict):
    agent: str
    version: str | None
    expected: int
    received: int
    ready: int
    judged: int
    unjudged: int
    missing: list[MissingAnswer]
    missing_left: int
    complete: bool


class ScenarioAnswer(TypedDict):
    instruction: str
    category: str
    skill: str
    takeover_s: float
    continuation_s: float
    criteria: NotRequired[str]
    prompt: NotRequired[str]
    tags: NotRequired[list[str]]
    difficulty: NotRequired[Any]
    chance: NotRequired[float | None]
    media: NotRequired[ScenarioMedia | None]
    source: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]
    key: str


class ScenarioBodyPatchRequest(TypedDict):
    instruction: NotRequired[str]
    category: NotRequired[str]
    skill: NotRequired[str]
    takeover_s: NotRequired[float]
    continuation_s: NotRequired[float]
    criteria: NotRequired[str | None]
    prompt: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    difficulty: NotRequired[Any]
    chance: NotRequired[float | None]
    media: NotRequired[ScenarioMediaPatchRequest | None]
    source: NotRequired[Any]
    metadata: NotRequired[dict[str, Any] | None]


class ScenarioBodyRequest(TypedDict):
    instruction: str
    category: str
    skill: str
    takeover_s: float
    continuation_s: float
    criteria: NotRequired[str]
    prompt: NotRequired[str]
    tags: NotRequired[list[str]]
    difficulty: NotRequired[Any]
    chance: NotRequired[float | None]
    media: NotRequired[ScenarioMediaRequest | None]
    source: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]


class ScenarioMedia(TypedDict):
    episode: str


class ScenarioMediaPatchRequest(TypedDict):
    episode: NotRequired[str]


class ScenarioMediaRequest(TypedDict):
    episode: str


class SuiteAnswer(TypedDict):
    title: str
    description: NotRequired[str]
    continuations: NotRequired[int]
    slug: str
    archived_at: NotRequired[str]


class SuiteBodyPatchRequest(TypedDict):
    title: NotRequired[str]
    description: NotRequired[str | None]
    continuations: NotRequired[int | None]


class SuiteBodyRequest(TypedDict):
    title: str
    description: NotRequired[str]
    continuations: NotRequired[int]


class SuiteReportAnswer(TypedDict):
    report: str
    sha256: str
    url: str
    pdf_url: str
    files_url: str | None
    version: str | None
    project: str | None
    made_at: str


class SuiteReportBodyRequest(TypedDict):
    version: NotRequired[str]
    project: NotRequired[str]


class VerdictAnswer(TypedDict):
    ok: bool | None
    rule: str
    value: float | None
    bound: float
    sentence: str


class VersionAnswer(TypedDict):
    version: str
    suite: str
    scenarios: list[str]
    frozen_at: str
    sha256: str
    parent: str | None


class WideningAnswer(TypedDict):
    scenario: str
    difficulty: float
    gain: float
