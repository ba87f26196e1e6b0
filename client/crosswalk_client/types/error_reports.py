"""Types of `error_reports`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict


class ErrorReportLine(TypedDict):
    report: str
    command: str
    outcome: str
    phrase: str | None
    scene: str | None
    parse: Any
    state: Literal["new", "routed", "annotated", "dismissed"]
    task: str | None
