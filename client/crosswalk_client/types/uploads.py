"""Types of `uploads`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing_extensions import TypedDict


class CompleteAnswer(TypedDict):
    upload: str
    bytes: int
    sha256: str


class CompleteBodyRequest(TypedDict):
    parts: list[PartTagRequest]


class PartAddress(TypedDict):
    number: int
    url: str
    method: str
    headers: dict[str, str]


class PartTagRequest(TypedDict):
    number: int
    etag: str


class UploadAnswer(TypedDict):
    upload: str
    part_bytes: int
    parts: list[PartAddress]


class UploadBodyRequest(TypedDict):
    filename: str
    bytes: int
    sha256: str
