"""The staff pages of webhooks: made, tried, rotated, watched, sent again, deleted."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from events import deliveries
from events.log import Happened, note
from events.models import Delivery, Webhook
from tests.events.test_webhooks import deliver
from tests.support.pages import words_of
from tests.support.receiver import receiver


@pytest.fixture(autouse=True)
def _private_addresses(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ALLOW_PRIVATE_URLS = True
    monkeypatch.setattr(deliveries, "PAUSES_S", (600,))


def test_a_webhook_made_by_mouse_is_watched_and_sent_again(dora: Client) -> None:
    with receiver() as sink:
        made = dora.post("/staff/webhooks/", {"url": sink.url, "events": ["task.settled"]})
        hook = Webhook.objects.get()
        assert "whsec_" in made.content.decode()
        address = f"/staff/webhooks/{hook.public_id}/"
        assert "whsec_" not in words_of(dora, address), "it is shown once"
        sink.answer = lambda number: 500 if number == 0 else 204
        for number in range(2):
            note(Happened("task.settled", "t", {"number": number}), at=timezone.now())
        deliver()
        page = words_of(dora, address)
        assert "The receiver answered 500" in page or "500 what it said ok" in page
        assert "waits for an earlier event of t" in page
        Delivery.objects.waiting().update(next_at=None, status="parked")
        assert "✕ parked" in words_of(dora, f"{address}?status=parked")
        first = Delivery.objects.earliest("pk")
        dora.post(f"{address}deliveries/{first.public_id}/")
        dora.post(f"{address}act/", {"act": "test"})
        deliver()
        assert [one.event["type"] for one in sink.accepted] == ["task.settled", "webhook.test"]
        assert "✓ delivered" in words_of(dora, address)
    dora.post(f"{address}act/", {"act": "delete"})
    assert not Webhook.objects.exists()
    assert "No address is told anything yet" in words_of(dora, "/staff/webhooks/")


def test_what_was_typed_stays_where_it_is_refused(dora: Client, settings: Any) -> None:
    settings.ALLOW_PRIVATE_URLS = False
    refused = dora.post("/staff/webhooks/", {"url": "http://10.0.0.1/x", "events": ["task.settled"]})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "private network" in page
    assert 'value="http://10.0.0.1/x"' in page
    assert 'value="task.settled" checked' in page
