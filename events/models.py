"""Events for programs outside, the webhooks that receive them, and the deliveries of one to the other."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import F, Q

from agents.models import ApiKey
from common.data.values import opaque_id


class Event(models.Model):
    """Something that happened, written in the transaction that made it true. Its row never changes.

    Its data holds only names that every export shows: a worker is named by the pseudonym.
    """

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    type = models.CharField(max_length=40)
    subject = models.CharField(max_length=200, help_text="The name of its object; events of one subject keep order.")
    scope = models.CharField(
        max_length=80, default="", blank=True, help_text="`project:SLUG` or `suite:SLUG`, if it belongs to one."
    )
    at = models.DateTimeField()
    data = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["at"], name="event_by_age"),
            models.Index(fields=["scope", "id"], name="event_of_scope"),
            models.Index(fields=["type", "id"], name="event_of_type"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.subject}"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def active(self) -> Self:
        return self.filter(status=Webhook.Status.ACTIVE)


class Webhook(models.Model):
    """An address that wants events. It gets those that its key may read; without a key, those of everything.

    The secret itself is not stored: it follows from the salt and the server's secret key.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"
        GONE = "gone"
        """The receiver answered 410."""

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    url = models.CharField(max_length=2000)
    events = models.JSONField(default=list, help_text="Types of events, or `prefix.*`.")
    key = models.ForeignKey(ApiKey, models.PROTECT, null=True, blank=True, related_name="webhooks")
    made_by = models.CharField(max_length=200, help_text="As in the audit log.")
    salt = models.CharField(max_length=32, default=opaque_id, editable=False)
    earlier_salt = models.CharField(max_length=32, default="", blank=True, editable=False)
    earlier_until = models.DateTimeField(null=True, blank=True, help_text="Until when the earlier secret signs too.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    read_to = models.PositiveBigIntegerField(default=0, help_text="The row of the last event that it was given.")
    misses = models.PositiveIntegerField(default=0, help_text="Requests without any answer, one after another.")
    rests_until = models.DateTimeField(null=True, blank=True, help_text="It did not answer: nothing is sent before.")
    created_at = models.DateTimeField()
    made_request = models.CharField(
        max_length=64, default="", blank=True, help_text="Digest of the repeatable request that made it, if it was one."
    )
    rotated_request = models.CharField(
        max_length=64, default="", blank=True, help_text="The same of the request that last changed its secret."
    )

    objects = WebhookQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(earlier_salt="", earlier_until=None) | ~Q(earlier_salt="") & Q(earlier_until__isnull=False),
                name="webhook_earlier_secret_ends",
            ),
            models.UniqueConstraint(
                fields=["made_request"], condition=~Q(made_request=""), name="webhook_once_a_request"
            ),
        ]

    def __str__(self) -> str:
        return self.url


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def waiting(self) -> Self:
        return self.filter(status=Delivery.Status.WAITING)

    def sendable(self, *, at: datetime) -> Self:
        """Deliveries whose turn has come; the later ones of a subject wait for the first."""
        return self.waiting().filter(next_at__lte=at)


class Delivery(models.Model):
    """One event for one webhook. `next_at` is null while an earlier event of its subject is not delivered."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        PARKED = "parked"
        """The delivery was tried in vain for three days."""

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", db_index=False)
    event = models.ForeignKey(Event, models.CASCADE, related_name="deliveries")
    subject = models.CharField(max_length=200)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.WAITING)
    next_at = models.DateTimeField(null=True, blank=True)
    give_up_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    answer_status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.TextField(default="", blank=True)
    problem = models.CharField(max_length=400, default="", blank=True)
    follows_gap = models.BooleanField(default=False, help_text="An earlier event of its subject was parked.")
    created_at = models.DateTimeField()

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(
                fields=["webhook", "next_at"],
                condition=Q(status="waiting", next_at__isnull=False),
                name="delivery_sendable",
            ),
            models.Index(fields=["webhook", "subject", "id"], condition=Q(status="waiting"), name="delivery_in_order"),
            models.Index(fields=["give_up_at"], condition=Q(status="waiting"), name="delivery_given_up"),
            models.Index(fields=["webhook", "id"], name="delivery_of_webhook"),
            models.Index(fields=["webhook", "id"], condition=Q(status="parked"), name="delivery_parked"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            models.CheckConstraint(
                condition=Q(status="delivered", delivered_at__isnull=False) | ~Q(status="delivered"),
                name="delivery_delivered_has_a_time",
            ),
            models.CheckConstraint(condition=Q(give_up_at__gt=F("created_at")), name="delivery_is_tried_for_a_while"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} to {self.webhook_id}"


class AlarmRule(models.Model):
    """The settings of one kind of alarm that staff changed; without a row the defaults hold."""

    kind = models.CharField(max_length=32, unique=True)
    is_on = models.BooleanField(default=True)
    bound = models.FloatField(null=True, blank=True, help_text="Null: the default of the kind.")

    def __str__(self) -> str:
        return self.kind


class AlarmQuerySet(models.QuerySet["Alarm"]):
    def standing(self) -> Self:
        return self.filter(ended_at=None)


class Alarm(models.Model):
    """An alarm about one subject, from when its rule first held until it no longer did."""

    kind = models.CharField(max_length=32)
    subject = models.CharField(max_length=128, help_text="A project, an agent, or `server`.")
    project = models.CharField(max_length=63, default="", blank=True, help_text="The slug, if it is about a project.")
    sentence = models.CharField(max_length=500)
    raised_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = AlarmQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["-raised_at", "-id"], name="alarm_newest_first")]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=Q(ended_at=None), name="alarm_stands_once_for_each_subject"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(ended_at__gte=F("raised_at")), name="alarm_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
