"""Types of `audit`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict


class AuditLine(TypedDict):
    event: str
    at: str
    actor: str
    verb: str
    subject_kind: str
    subject: str
    project: str
    reason: str
    detail: dict[str, Any]
    redacted_at: str | None
