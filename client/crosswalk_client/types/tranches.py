"""Types of `tranches`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class FirstItemsAnswer(TypedDict):
    created: int
    unchanged: int


class FirstItemsBodyRequest(TypedDict):
    items: list[dict[str, Any]]


class ItemLine(TypedDict):
    item: str
    text: NotRequired[str]
    form: NotRequired[dict[str, Any]]
    scene: NotRequired[str]
    phrase: NotRequired[str]
    voxels: NotRequired[list[Any]]
    origin: str


class TrancheAnswer(TypedDict):
    module: str
    n: int
    status: Literal["open", "closed"]
    project: str | None
    opens_at: str | None
    closes_at: str | None
    close_after: int | None
    closed_at: str | None
    train: int
    valid: int
    test: int
    sha256: str | None


class TrancheContentPatchRequest(TypedDict):
    project: NotRequired[str]
    opens_at: NotRequired[str | None]
    closes_at: NotRequired[str | None]
    close_after: NotRequired[int | None]


class TrancheContentRequest(TypedDict):
    project: str
    opens_at: NotRequired[str | None]
    closes_at: NotRequired[str | None]
    close_after: NotRequired[int | None]
