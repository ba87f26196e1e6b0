"""Types of `agents`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class AgentAnswer(TypedDict):
    name: str
    description: NotRequired[str]
    kind: NotRequired[Literal["agent", "human", "expert", "guess"]]
    metadata: NotRequired[dict[str, Any]]
    slug: str


class AgentBodyPatchRequest(TypedDict):
    name: NotRequired[str]
    description: NotRequired[str | None]
    kind: NotRequired[Literal["agent", "human", "expert", "guess"] | None]
    metadata: NotRequired[dict[str, Any] | None]


class AgentBodyRequest(TypedDict):
    name: str
    description: NotRequired[str]
    kind: NotRequired[Literal["agent", "human", "expert", "guess"]]
    metadata: NotRequired[dict[str, Any]]


class MetricAnswer(TypedDict):
    metric: str
    value: float
    n: NotRequired[int | None]
    standard_error: NotRequired[float | None]
    suite: NotRequired[str | None]
    version: NotRequired[str | None]
    agent: str
    at: str


class MetricBodyRequest(TypedDict):
    metric: str
    value: float
    n: NotRequired[int | None]
    standard_error: NotRequired[float | None]
    suite: NotRequired[str | None]
    version: NotRequired[str | None]
