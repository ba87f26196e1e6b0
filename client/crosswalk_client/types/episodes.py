"""Types of `episodes`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class ConsensusAnswer(TypedDict):
    outcome: Literal["success", "failure"] | None
    frame: int | None
    time_s: float | None
    annotations: int


class EpisodeAnswer(TypedDict):
    external_id: str
    agent: str
    suite: str
    scenario: str
    continuation: int
    instruction: NotRequired[str | None]
    takeover_s: NotRequired[float | None]
    transcript: NotRequired[list[LineBody] | None]
    step_frames: NotRequired[list[int] | None]
    metadata: NotRequired[dict[str, Any] | None]
    reference: NotRequired[EpisodeReference | None]
    status: Literal["preparing", "ready", "failed"]
    problem: ProblemAnswer | None
    video: VideoAnswer | None
    picture: PictureAnswer | None
    consensus: ConsensusAnswer | None
    archived_at: NotRequired[str]


class EpisodeDataRequest(TypedDict):
    external_id: str
    agent: str
    suite: str
    scenario: str
    continuation: int
    instruction: NotRequired[str | None]
    takeover_s: NotRequired[float | None]
    transcript: NotRequired[list[LineBodyRequest] | None]
    step_frames: NotRequired[list[int] | None]
    metadata: NotRequired[dict[str, Any] | None]
    reference: NotRequired[EpisodeReferenceRequest | None]


class EpisodeJsonRequest(TypedDict):
    external_id: str
    agent: str
    suite: str
    scenario: str
    continuation: int
    instruction: NotRequired[str | None]
    takeover_s: NotRequired[float | None]
    transcript: NotRequired[list[LineBodyRequest] | None]
    step_frames: NotRequired[list[int] | None]
    metadata: NotRequired[dict[str, Any] | None]
    reference: NotRequired[EpisodeReferenceRequest | None]
    upload: str


class EpisodeMultipartRequest(TypedDict):
    data: EpisodeDataRequest
    video: str
    trajectory: NotRequired[str]


class EpisodeReference(TypedDict):
    outcome: Literal["success", "failure"]
    time_s: NotRequired[float | None]
    tolerance_s: NotRequired[float]


class EpisodeReferenceRequest(TypedDict):
    outcome: Literal["success", "failure"]
    time_s: NotRequired[float | None]
    tolerance_s: NotRequired[float]


class LineBody(TypedDict):
    at_s: float
    speaker: str
    text: str


class LineBodyRequest(TypedDict):
    at_s: float
    speaker: str
    text: str


class PictureAnswer(TypedDict):
    notes: list[Literal["black", "frozen", "cut"]]
    black: list[list[float]]
    frozen: list[list[float]]
    cuts: list[float]


class ProblemAnswer(TypedDict):
    code: str
    detail: str


class VideoAnswer(TypedDict):
    frames: int
    duration_s: float
    width: int
    height: int
