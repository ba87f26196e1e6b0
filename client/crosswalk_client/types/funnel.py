"""Types of `funnel`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing_extensions import TypedDict


class FunnelAnswer(TypedDict):
    all_commands: int
    valid_commands: int
    marked_agent_errors: int
    marked_nlu_errors: int
    marked_nlu_errors_annotated: int
    marked_true_nlu_errors: int
    known_nlu_errors: int
    precision: float | None
    recall: float | None
