"""Types of `models`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from crosswalk_client.types.shared import Measurement


class DeployBodyRequest(TypedDict):
    share: NotRequired[float]
    shadow: NotRequired[bool]
    force_reason: NotRequired[str | None]


class Lineage(TypedDict):
    tranches: list[LineageTranche]
    annotations: list[str] | None
    workers: list[str] | None
    code: str


class LineageTranche(TypedDict):
    n: int
    sha256: str


class ModelAnswer(TypedDict):
    model: str
    module: str
    trainer: str
    training: str
    kind: Literal["baseline", "updated", "rebiased"]
    seed: int
    parent: str | None
    trained_on: list[int]
    train_examples: int
    sha256: str
    bytes: int
    metrics: list[Measurement]
    status: Literal["candidate", "deployed", "retired", "refused"]
    learnt_from_erased_at: str | None
    created_at: str
    lineage: Lineage


class PredictionLine(TypedDict):
    item: str
    truth: Any
    prediction: Any
    correct: bool
    iou: NotRequired[float]


class ServingAnswer(TypedDict):
    module: str
    model: str | None
    tried: str | None
    share: float
    shadow: str | None
    changed_at: str
