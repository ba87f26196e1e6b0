"""Types of `campaigns`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict

from crosswalk_client.types.shared import GateAnswer, Money, MoneyPatchRequest, MoneyRequest


class CampaignAnswer(TypedDict):
    project: str
    modules: list[str]
    sessions: int
    budget: Money
    routes: NotRequired[list[str]]
    redundancy: NotRequired[int | None]
    threshold: NotRequired[float | None]
    close_after: int
    gate: NotRequired[CampaignGate]
    stop: CampaignStop
    slug: str
    status: Literal["draft", "running", "waiting", "done", "stopped"]
    waiting_for: str | None
    spent: Money
    ended_because: str | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    iterations: list[IterationAnswer]


class CampaignContentPatchRequest(TypedDict):
    project: NotRequired[str]
    modules: NotRequired[list[str]]
    sessions: NotRequired[int]
    budget: NotRequired[MoneyPatchRequest]
    routes: NotRequired[list[str] | None]
    redundancy: NotRequired[int | None]
    threshold: NotRequired[float | None]
    close_after: NotRequired[int]
    gate: NotRequired[CampaignGatePatchRequest | None]
    stop: NotRequired[CampaignStopPatchRequest]


class CampaignContentRequest(TypedDict):
    project: str
    modules: list[str]
    sessions: int
    budget: MoneyRequest
    routes: NotRequired[list[str]]
    redundancy: NotRequired[int | None]
    threshold: NotRequired[float | None]
    close_after: int
    gate: NotRequired[CampaignGateRequest]
    stop: CampaignStopRequest


class CampaignGate(TypedDict):
    seeds: NotRequired[int]
    ask: NotRequired[Literal["not_passed", "always", "never"]]


class CampaignGatePatchRequest(TypedDict):
    seeds: NotRequired[int | None]
    ask: NotRequired[Literal["not_passed", "always", "never"] | None]


class CampaignGateRequest(TypedDict):
    seeds: NotRequired[int]
    ask: NotRequired[Literal["not_passed", "always", "never"]]


class CampaignRow(TypedDict):
    slug: str
    project: str
    modules: list[str]
    status: Literal["draft", "running", "waiting", "done", "stopped"]
    created_at: str
    started_at: str | None
    ended_at: str | None


class CampaignStop(TypedDict):
    iterations: NotRequired[int | None]
    no_gain: NotRequired[int | None]


class CampaignStopPatchRequest(TypedDict):
    iterations: NotRequired[int | None]
    no_gain: NotRequired[int | None]


class CampaignStopRequest(TypedDict):
    iterations: NotRequired[int | None]
    no_gain: NotRequired[int | None]


class DecideBodyRequest(TypedDict):
    decision: Literal["deploy", "keep", "again"]
    reason: str


class IterationAnswer(TypedDict):
    n: int
    module: str
    step: Literal["collecting", "training", "judging", "asking", "ended"]
    outcome: Literal["deployed", "kept", "no_data", "failed", "stopped"] | None
    reason: str | None
    tranche: int
    training: str | None
    model: str | None
    gate: GateAnswer | None
    deployed: bool
    spent: Money
    started_at: str
    ended_at: str | None


class ReplayAnswer(TypedDict):
    module: str
    policy: Literal["in_order", "errors", "random", "unsure"]
    share: float
    seed: int
    status: Literal["queued", "running", "done", "failed"]
    steps: list[ReplayStep]
    problem: str | None


class ReplayStep(TypedDict):
    iteration: int
    spent: float
    items: int
    left: int
    value: float


class ReplaysAnswer(TypedDict):
    currency: str
    replays: list[ReplayAnswer]


class ReplaysBodyRequest(TypedDict):
    module: str
    share: NotRequired[float]
    seeds: NotRequired[int]
