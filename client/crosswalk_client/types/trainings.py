"""Types of `trainings`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from crosswalk_client.types.shared import Measurement


class ClaimTrainingBodyRequest(TypedDict):
    module: NotRequired[str | None]


class ClaimedTraining(TypedDict):
    training: str
    module: str
    trainer: str
    kind: Literal["baseline", "updated", "rebiased"]
    seed: int
    settings: dict[str, Any]
    train: list[str]
    valid: list[str]
    start: str | None
    token: str
    lease_expires_at: str


class HandedIn(TypedDict):
    model: str


class TrainingAnswer(TypedDict):
    training: str
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    module: str
    trainer: str
    external: bool
    tranches: list[int]
    kind: Literal["baseline", "updated", "rebiased"]
    seeds: int
    settings: dict[str, Any]
    progress: float
    created_at: str
    ended_at: str | None
    runs: list[TrainingRun]
    models: list[str]
    metrics: list[Measurement]


class TrainingArtefactBodyRequest(TypedDict):
    upload: str
    token: str
    metrics: NotRequired[dict[str, Any]]


class TrainingContentRequest(TypedDict):
    module: str
    trainer: NotRequired[str | None]
    tranches: list[int]
    kind: Literal["baseline", "updated", "rebiased"]
    seeds: NotRequired[int]
    settings: NotRequired[dict[str, Any]]


class TrainingPoint(TypedDict):
    step: int
    loss: float | None
    valid: float | None


class TrainingRow(TypedDict):
    training: str
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    module: str
    trainer: str
    external: bool
    tranches: list[int]
    kind: Literal["baseline", "updated", "rebiased"]
    seeds: int
    settings: dict[str, Any]
    progress: float
    created_at: str
    ended_at: str | None


class TrainingRun(TypedDict):
    kind: Literal["baseline", "updated", "rebiased"]
    seed: int
    status: Literal["waiting", "running", "done", "failed", "cancelled"]
    progress: float
    curve: list[TrainingPoint]
    model: str | None
    reported: dict[str, Any] | None
    problem: str | None


class TrainingStarted(TypedDict):
    training: str
    status: Literal["queued", "running", "done", "failed", "cancelled"]
