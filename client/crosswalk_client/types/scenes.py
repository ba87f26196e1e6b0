"""Types of `scenes`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing_extensions import NotRequired, TypedDict


class PoseBodyRequest(TypedDict):
    x: float
    y: float
    z: float
    pitch: float
    yaw: float


class SceneAnswer(TypedDict):
    size: list[int]
    blocks: list[list[int]]
    agent: ScenePose | None
    player: ScenePose | None


class SceneBodyRequest(TypedDict):
    size: list[int]
    blocks: list[list[int]]
    agent: NotRequired[PoseBodyRequest | None]
    player: NotRequired[PoseBodyRequest | None]


class ScenePose(TypedDict):
    x: float
    y: float
    z: float
    pitch: float
    yaw: float


class ScenesAnswer(TypedDict):
    scenes: list[str]


class ScenesBodyRequest(TypedDict):
    scenes: list[SceneBodyRequest]
