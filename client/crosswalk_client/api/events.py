"""`client.webhooks` and `client.events`: what happened, sent or asked for."""

from __future__ import annotations

from collections.abc import Sequence

from crosswalk_client.calls import Mode, Resource, call, pages
from crosswalk_client.requests import Pages, Plan, Request, delete, get, given, path_of, post
from crosswalk_client.types import DeliveryAnswer, EventAnswer, SecretAnswer, WebhookAnswer


class Webhooks(Resource[Mode]):
    @pages
    def list(self) -> Pages[WebhookAnswer]:
        return Pages(Request("GET", "webhooks/"))

    @call
    def get(self, webhook: str) -> Plan[WebhookAnswer]:
        return get(path_of("webhooks", webhook))

    @call
    def post(self, url: str, events: Sequence[str]) -> Plan[SecretAnswer]:
        """Let these events (types, or `prefix.*`) be sent to the address. The answer has the secret, this once."""
        return post("webhooks/", {"url": url, "events": [*events]})

    @pages
    def deliveries(self, webhook: str) -> Pages[DeliveryAnswer]:
        return Pages(Request("GET", path_of("webhooks", webhook, "deliveries")))

    @call
    def resend(self, webhook: str, delivery: str) -> Plan[DeliveryAnswer]:
        return post(path_of("webhooks", webhook, "deliveries", delivery, "resend"))

    @call
    def test(self, webhook: str) -> Plan[DeliveryAnswer]:
        """Let an event be sent now; the deliveries have the receiver's answer some seconds later."""
        return post(path_of("webhooks", webhook, "test"))

    @call
    def rotate(self, webhook: str) -> Plan[SecretAnswer]:
        """Replace the secret; the answer has the new one, this once."""
        return post(path_of("webhooks", webhook, "rotate"))

    @call
    def delete(self, webhook: str) -> Plan[None]:
        return delete(path_of("webhooks", webhook))


class Events(Resource[Mode]):
    @pages
    def after(self, event: str | None = None, *, types: Sequence[str] = ()) -> Pages[EventAnswer]:
        """The events after this one in the order of commit, up to now. Ask again with the last one."""
        return Pages(Request("GET", "events/", given(after=event, types=",".join(types) or None)))
