"""Types of `imports`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


class BucketFileAnswer(TypedDict):
    address: str
    bytes: int


class ImportAnswer(TypedDict):
    upload: str
    address: str
    bytes: int
    sha256: str | None
    state: Literal["copying", "complete", "failed"]
    progress: float
    problem: ImportProblem | None


class ImportBodyRequest(TypedDict):
    address: str


class ImportProblem(TypedDict):
    code: str
    detail: str
