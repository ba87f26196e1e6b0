"""Webhooks: making, trying, rotating and deleting them. Each act is in the audit log."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet

from agents.models import ApiKey
from audit.changes import changes
from audit.log import Subject, record
from events import log
from events.deliveries import TRIED_FOR
from events.kinds import TEST, check_patterns
from events.models import Delivery, Event, Webhook
from events.signing import secret_of
from lib.faults import Conflict, Invalid, NotFound
from lib.outbound import Unreachable, target_of

OVERLAP = timedelta(hours=24)
"""For how long the earlier secret signs too after a rotation."""
MOST = 100
"""Webhooks of an installation."""


class Made(NamedTuple):
    """A webhook and its secret, which is shown only now."""

    webhook: Webhook
    secret: str


def webhooks_for(key: ApiKey | None) -> QuerySet[Webhook]:
    """The webhooks that a key may see: all, or for a limited key those that reach no further than it. 1 query more."""
    rows = Webhook.objects.all()
    if key is None or not key.is_limited:
        return rows
    known = rows.filter(key__isnull=False).select_related("key")
    return rows.filter(pk__in=[one.pk for one in known if one.key and _reaches(key, one.key)])


def _reaches(key: ApiKey, other: ApiKey) -> bool:
    within = set(other.projects) <= set(key.projects) and set(other.suites) <= set(key.suites)
    return other.is_limited and within


def webhook_for(key: ApiKey | None, public_id: str) -> Webhook:
    """The webhook, for a key that may see it; 404 for any other. 1 or 2 queries."""
    found = webhooks_for(key).select_related("key").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def make_webhook(
    *, url: str, events: Sequence[str], key: ApiKey | None, by: str, at: datetime, request: str = ""
) -> Made:
    """Let an address have the events that happen from now on.

    Args:
        request: Digest of a request that may be repeated: a repeat gets the webhook that the first one made.

    Raises:
        Invalid: the address may not be used, or a type does not exist.
        Conflict: there are `MOST` already.
    """
    if not events:
        raise Invalid.at("#/events", "Name at least one type of events, or a prefix such as `episode.*`.")
    check_patterns(events, pointer="#/events")
    try:
        target_of(url, may_be_private=settings.ALLOW_PRIVATE_URLS)
    except Unreachable as error:
        raise Invalid.at("#/url", str(error)) from None
    earlier = Webhook.objects.filter(made_request=request).first() if request else None
    if earlier is not None:
        return Made(earlier, secret_of(earlier.salt))
    if Webhook.objects.count() >= MOST:
        raise Conflict(f"There are {MOST} webhooks already. Delete one first.")
    with transaction.atomic():
        last = Event.objects.aggregate(last=Max("pk"))["last"] or 0
        made = Webhook.objects.create(
            url=url,
            events=sorted(set(events)),
            key=key,
            made_by=by,
            read_to=last,
            created_at=at,
            made_request=request,
        )
        _note("webhook.made", made, by=by, at=at, url=url, events=made.events)
        transaction.on_commit(log.webhooks_changed)
    return Made(made, secret_of(made.salt))


def rotate_webhook(webhook: Webhook, *, by: str, at: datetime, request: str = "") -> Made:
    """Give the webhook another secret; both sign for `OVERLAP`. A repeat of `request`, a digest, gives no other."""
    with transaction.atomic():
        locked = Webhook.objects.select_for_update().get(pk=webhook.pk)
        if request and locked.rotated_request == request:
            return Made(locked, secret_of(locked.salt))
        locked.rotated_request = request
        locked.earlier_salt, locked.earlier_until = locked.salt, at + OVERLAP
        locked.salt = Webhook._meta.get_field("salt").get_default()
        locked.save(update_fields=["salt", "earlier_salt", "earlier_until", "rotated_request"])
        _note("webhook.rotated", locked, by=by, at=at, both_until=locked.earlier_until.isoformat())
    return Made(locked, secret_of(locked.salt))


def delete_webhook(webhook: Webhook, *, by: str, at: datetime) -> None:
    """Delete the webhook with its deliveries; nothing more is sent to it."""
    with transaction.atomic():
        before = {"url": webhook.url, "events": webhook.events}
        _note("webhook.deleted", webhook, by=by, at=at, **changes(before, {"url": None, "events": None}))
        webhook.delete()


def restart_webhook(webhook: Webhook, *, by: str, at: datetime) -> None:
    """Send again to a webhook whose receiver had answered that it is gone, or that rests."""
    with transaction.atomic():
        Webhook.objects.filter(pk=webhook.pk).update(status=Webhook.Status.ACTIVE, misses=0, rests_until=None)
        differing = changes({"status": webhook.status}, {"status": Webhook.Status.ACTIVE.value})
        _note("webhook.restarted", webhook, by=by, at=at, **differing)
        transaction.on_commit(log.deliver_soon, robust=True)
    log.webhooks_changed()


def try_webhook(webhook: Webhook, *, by: str, at: datetime) -> Delivery:
    """Send the webhook an event of the type `webhook.test`, which no list shows."""
    with transaction.atomic():
        subject = webhook.public_id
        event = Event.objects.create(type=TEST, subject=subject, at=at, data={"webhook": subject})
        delivery = Delivery.objects.create(
            webhook=webhook, event=event, subject=event.public_id, next_at=at, give_up_at=at + TRIED_FOR, created_at=at
        )
        _note("webhook.tried", webhook, by=by, at=at, event=event.public_id)
        transaction.on_commit(log.deliver_soon, robust=True)
    return delivery


def _note(verb: str, webhook: Webhook, *, by: str, at: datetime, **detail: Any) -> None:
    record(verb=verb, actor=by, subject=Subject("webhook", webhook.public_id), at=at, **detail)
