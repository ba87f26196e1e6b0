"""Types of `workers`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class BlockBodyRequest(TypedDict):
    reason: str
    annotations: NotRequired[Literal["keep", "down_weight", "drop"]]


class ClassCounts(TypedDict):
    success: int
    failure: int


class ConfusionAnswer(TypedDict):
    success: ClassCounts
    failure: ClassCounts


class ReferenceRecord(TypedDict):
    n: int
    balanced_accuracy: float | None
    low: float | None
    high: float | None
    sensitivity: float | None
    specificity: float | None
    confusion: ConfusionAnswer


class StandingAnswer(TypedDict):
    status: Literal["active", "blocked"]
    projects: list[WorkerProject]
    reference: ReferenceRecord
    annotations: Literal["keep", "down_weight", "drop"]


class WorkerAnswer(TypedDict):
    status: Literal["active", "blocked"]
    projects: list[WorkerProject]
    reference: ReferenceRecord


class WorkerData(TypedDict):
    made_at: str
    left_out: list[str]
    identity: list[dict[str, Any]]
    consents: list[dict[str, Any]]
    projects: list[dict[str, Any]]
    assignments: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    warnings_and_pauses: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    quizzes: list[dict[str, Any]]
    qualifications: list[dict[str, Any]]
    money: list[dict[str, Any]]
    events: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    commands: list[dict[str, Any]]
    error_reports: list[dict[str, Any]]


class WorkerProject(TypedDict):
    project: str
    annotations: int
