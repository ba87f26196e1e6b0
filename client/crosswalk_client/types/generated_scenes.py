"""Types of `generated_scenes`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict


class GeneratedLine(TypedDict):
    key: str
    scene: dict[str, Any]
    phrase: str
    answer: dict[str, Any]
    objects: list[dict[str, Any]]
