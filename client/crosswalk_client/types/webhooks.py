"""Types of `webhooks`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from crosswalk_client.types.shared import EventAnswer


class DeliveryAnswer(TypedDict):
    delivery: str
    body: EventAnswer
    status: Literal["waiting", "delivered", "parked"]
    attempts: int
    tried_at: str | None
    next_at: str | None
    delivered_at: str | None
    answer: ReceiverAnswer | None
    problem: str
    follows_gap: bool


class ReceiverAnswer(TypedDict):
    status: int
    body: str


class SecretAnswer(TypedDict):
    webhook: str
    url: str
    events: list[str]
    status: Literal["active", "gone"]
    made_by: str
    created_at: str
    secret: str
    both_until: str | None


class WebhookAnswer(TypedDict):
    webhook: str
    url: str
    events: list[str]
    status: Literal["active", "gone"]
    made_by: str
    created_at: str


class WebhookBodyRequest(TypedDict):
    url: str
    events: list[str]
