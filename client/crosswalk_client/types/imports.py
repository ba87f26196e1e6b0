"""Types of `imports`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing_extensions import TypedDict


class BucketFileAnswer(TypedDict):
    address: str
    bytes: int


class ImportBodyRequest(TypedDict):
    address: str
