"""`/webhooks/`: addresses that events are sent to, and what became of each delivery."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.models import ApiKey
from common.serializers import NoBody, PatternField, StrictSerializer, read
from events import webhooks
from events.deliveries import resend
from events.kinds import NO_SUCH, PATTERN
from events.log import as_json
from events.models import Delivery, Webhook
from lib.faults import NotFound
from lib.outbound import LONGEST_ADDRESS
from web.api.authentication import actor_of
from web.api.events import EventAnswer
from web.api.idempotency import NEVER_KEPT, digest_of
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed

MOST_PATTERNS = 50


class PatternOfTypes(PatternField):
    """A type of events, or a prefix such as `episode.*`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(PATTERN, error_messages={"invalid": NO_SUCH}, **kwargs)


class WebhookBody(StrictSerializer):
    url = PatternField(
        r"https?://[!-~]+",
        max_length=LONGEST_ADDRESS,
        error_messages={"invalid": "An address begins with https:// or http://, and is plain ASCII without blanks."},
    )
    events = serializers.ListField(child=PatternOfTypes(), min_length=1, max_length=MOST_PATTERNS)


class WebhookAnswer(StrictSerializer):
    webhook = serializers.CharField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    status = serializers.ChoiceField(choices=Webhook.Status.choices)
    made_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class SecretAnswer(WebhookAnswer):
    secret = serializers.CharField(help_text="Shown only now.")
    both_until = serializers.DateTimeField(allow_null=True, help_text="Until when the earlier secret signs too.")


class ReceiverAnswer(StrictSerializer):
    status = serializers.IntegerField()
    body = serializers.CharField(allow_blank=True)


class DeliveryAnswer(StrictSerializer):
    delivery = serializers.CharField()
    body = EventAnswer()
    status = serializers.ChoiceField(choices=Delivery.Status.choices)
    attempts = serializers.IntegerField()
    tried_at = serializers.DateTimeField(allow_null=True)
    next_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True)
    answer = ReceiverAnswer(allow_null=True)
    problem = serializers.CharField(allow_blank=True)
    follows_gap = serializers.BooleanField()


def show_webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "webhook": webhook.public_id,
        "url": webhook.url,
        "events": webhook.events,
        "status": webhook.status,
        "made_by": webhook.made_by,
        "created_at": webhook.created_at,
    }


def show_made(made: webhooks.Made) -> dict[str, Any]:
    return {**show_webhook(made.webhook), "secret": made.secret, "both_until": made.webhook.earlier_until}


def show_delivery(delivery: Delivery) -> dict[str, Any]:
    answered = delivery.answer_status is not None
    return {
        "delivery": delivery.public_id,
        "body": as_json(delivery.event),
        "status": delivery.status,
        "attempts": delivery.attempts,
        "tried_at": delivery.tried_at,
        "next_at": delivery.next_at,
        "delivered_at": delivery.delivered_at,
        "answer": {"status": delivery.answer_status, "body": delivery.answer} if answered else None,
        "problem": delivery.problem,
        "follows_gap": delivery.follows_gap,
    }


def _key_of(request: Request) -> ApiKey:
    assert isinstance(request.auth, ApiKey)  # noqa: S101 - HasScope has seen to it
    return request.auth


class Webhooks(Endpoint):
    """The webhooks that the key may see. A new one gets the events from then on, if its key may read them."""

    @listed("list_webhooks", WebhookAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, webhooks.webhooks_for(_key_of(request)), show_webhook)

    @extend_schema(operation_id="post_webhook", request=WebhookBody, responses={201: SecretAnswer})
    def post(self, request: Request) -> Response:
        body = read(WebhookBody, request.data)
        made = webhooks.make_webhook(
            **body,
            key=_key_of(request),
            by=actor_of(request),
            at=timezone.now(),
            request=digest_of(request._request),
        )
        return Response(show_made(made), status=status.HTTP_201_CREATED, headers=NEVER_KEPT)


class OneWebhook(Endpoint):
    """One webhook. After `DELETE` nothing more is sent to it."""

    @extend_schema(operation_id="get_webhook", responses=WebhookAnswer)
    def get(self, request: Request, webhook: str) -> Response:
        return Response(show_webhook(webhooks.webhook_for(_key_of(request), webhook)))

    @extend_schema(operation_id="delete_webhook", responses={204: None})
    def delete(self, request: Request, webhook: str) -> Response:
        found = webhooks.webhook_for(_key_of(request), webhook)
        webhooks.delete_webhook(found, by=actor_of(request), at=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class TryWebhook(Endpoint):
    """Send an event of the type `webhook.test`. The list of deliveries shows the answer some seconds later."""

    @extend_schema(operation_id="test_webhook", request=NoBody, responses={202: DeliveryAnswer})
    def post(self, request: Request, webhook: str) -> Response:
        read(NoBody, request.data)
        found = webhooks.webhook_for(_key_of(request), webhook)
        delivery = webhooks.try_webhook(found, by=actor_of(request), at=timezone.now())
        return Response(show_delivery(delivery), status=status.HTTP_202_ACCEPTED)


class RotateWebhook(Endpoint):
    """Give the webhook another secret. For 24 hours each request is signed with both."""

    @extend_schema(operation_id="rotate_webhook", request=NoBody, responses={200: SecretAnswer})
    def post(self, request: Request, webhook: str) -> Response:
        read(NoBody, request.data)
        found = webhooks.webhook_for(_key_of(request), webhook)
        made = webhooks.rotate_webhook(
            found, by=actor_of(request), at=timezone.now(), request=digest_of(request._request)
        )
        return Response(show_made(made), headers=NEVER_KEPT)


class Deliveries(Endpoint):
    """The deliveries of a webhook, oldest first, with the answers of its receiver."""

    @listed("list_deliveries", DeliveryAnswer)
    def get(self, request: Request, webhook: str) -> Response:
        found = webhooks.webhook_for(_key_of(request), webhook)
        return page_of(request, found.deliveries.select_related("event"), show_delivery)


class Resend(Endpoint):
    """Send a delivery again, whether it was delivered or parked."""

    @extend_schema(operation_id="resend_delivery", request=NoBody, responses={202: DeliveryAnswer})
    def post(self, request: Request, webhook: str, delivery: str) -> Response:
        read(NoBody, request.data)
        found = webhooks.webhook_for(_key_of(request), webhook)
        wanted = found.deliveries.select_related("event").filter(public_id=delivery).first()
        if wanted is None:
            raise NotFound
        resend(wanted, at=timezone.now())
        wanted.refresh_from_db()
        return Response(show_delivery(wanted), status=status.HTTP_202_ACCEPTED)
