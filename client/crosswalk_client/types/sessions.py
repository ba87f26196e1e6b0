"""Types of `sessions`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict


class SessionEpisodeAnswer(TypedDict):
    episode: str
    status: Literal["queued", "posted", "failed"]
    problem: str | None
    command: int
    suite: str
    scenario: str
    continuation: int | None
    context_s: float
    asked_at: str
    posted_at: str | None


class SessionEpisodeBodyRequest(TypedDict):
    command: int
    suite: str
    scenario: str
    continuation: NotRequired[int | None]
    context_s: NotRequired[float]
