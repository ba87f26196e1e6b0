"""Types of `qualifications`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class QualificationAnswer(TypedDict):
    title: str
    pages: NotRequired[list[str]]
    questions: list[QuestionBody]
    draw: NotRequired[int | None]
    pass_mark: float
    attempts: int
    cool_off_s: NotRequired[int]
    valid_s: NotRequired[int | None]
    slug: str


class QualificationBodyPatchRequest(TypedDict):
    title: NotRequired[str]
    pages: NotRequired[list[str] | None]
    questions: NotRequired[list[QuestionBodyRequest]]
    draw: NotRequired[int | None]
    pass_mark: NotRequired[float]
    attempts: NotRequired[int]
    cool_off_s: NotRequired[int | None]
    valid_s: NotRequired[int | None]


class QualificationBodyRequest(TypedDict):
    title: str
    pages: NotRequired[list[str]]
    questions: list[QuestionBodyRequest]
    draw: NotRequired[int | None]
    pass_mark: float
    attempts: int
    cool_off_s: NotRequired[int]
    valid_s: NotRequired[int | None]


class QuestionBody(TypedDict):
    id: str
    ask: str
    kind: Literal["single", "multiple", "text", "task"]
    options: NotRequired[list[str]]
    tool: NotRequired[Literal["interaction", "marker", "parse", "voxels"]]
    payload: NotRequired[dict[str, Any]]
    tolerance_s: NotRequired[float | None]
    accept: list[Any]


class QuestionBodyRequest(TypedDict):
    id: str
    ask: str
    kind: Literal["single", "multiple", "text", "task"]
    options: NotRequired[list[str]]
    tool: NotRequired[Literal["interaction", "marker", "parse", "voxels"]]
    payload: NotRequired[dict[str, Any]]
    tolerance_s: NotRequired[float | None]
    accept: list[list[Any] | dict[str, Any] | str | float | bool]
