"""Types of `shared`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class ErasureAnswer(TypedDict):
    report: str
    requested_at: str
    finished_at: str | None
    removed: dict[str, int]


class EventAnswer(TypedDict):
    event: str
    type: str
    at: str
    subject: str
    data: dict[str, Any]


class GateAnswer(TypedDict):
    passed: bool
    status: Literal["passed", "waits", "unproved", "refused"]
    against: str | None
    tested_on: int
    n: int
    gained: int
    lost: int
    p: float
    alpha: float
    look: int
    is_look: bool
    reasons: list[GateReason]
    sentence: str


class GateReason(TypedDict):
    rule: Literal["mcnemar", "wilcoxon", "t0", "actions", "smoke", "valid", "latency"]
    value: float
    bound: float
    passed: bool
    sentence: str


class Measurement(TypedDict):
    kind: Literal["baseline", "updated", "rebiased"]
    trained_on: list[int]
    tested_on: int
    seed: int
    n: int
    value: float | None


class Money(TypedDict):
    amount: str
    currency: str


class MoneyPatchRequest(TypedDict):
    amount: NotRequired[str]
    currency: NotRequired[str]


class MoneyRequest(TypedDict):
    amount: str
    currency: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[dict[str, str]]
