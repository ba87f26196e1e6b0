"""Types of `routes`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing_extensions import NotRequired, TypedDict


class RouteAnswer(TypedDict):
    outcome: str
    project: str
    rate: NotRequired[float]
    tree: NotRequired[str | None]
    agents: NotRequired[list[str]]
    sources: NotRequired[list[str]]
    slug: str


class RouteContentPatchRequest(TypedDict):
    outcome: NotRequired[str]
    project: NotRequired[str]
    rate: NotRequired[float | None]
    tree: NotRequired[str | None]
    agents: NotRequired[list[str] | None]
    sources: NotRequired[list[str] | None]


class RouteContentRequest(TypedDict):
    outcome: str
    project: str
    rate: NotRequired[float]
    tree: NotRequired[str | None]
    agents: NotRequired[list[str]]
    sources: NotRequired[list[str]]
