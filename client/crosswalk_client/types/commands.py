"""Types of `commands`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class CommandLine(TypedDict):
    command: str
    session: str | None
    worker: str | None
    agent: str | None
    text: str
    parse: Any
    model: str | None
    shadow: ShadowParse | None
    status: Literal["sent", "received", "thinking", "acting", "done", "failed"] | None
    outcome: str | None
    path: list[CommandTurn]
    feedback: str
    scores: dict[str, Any] | None
    at: str
    dropped: bool


class CommandTurn(TypedDict):
    node: str
    choice: int
    text: NotRequired[str]


class PastCommandBodyRequest(TypedDict):
    command: str
    project: str
    text: str
    parse: NotRequired[Any]
    outcome: NotRequired[str | None]
    form: NotRequired[Any]
    worker: NotRequired[str | None]
    agent: NotRequired[str | None]
    at: NotRequired[str | None]


class PastCommandsAnswer(TypedDict):
    created: int
    unchanged: int


class PastCommandsBodyRequest(TypedDict):
    commands: list[PastCommandBodyRequest]


class ShadowParse(TypedDict):
    model: str
    parse: Any
