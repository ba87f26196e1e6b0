"""People who work: who they are to us, what they agreed to, what they are owed."""

from typing import Self

from django.db import models
from django.db.models import Q

from common.values import opaque_id


class WorkerQuerySet(models.QuerySet["Worker"]):
    def active(self) -> Self:
        return self.filter(status=Worker.Status.ACTIVE)


class Worker(models.Model):
    """A person on a platform; never an account with a password."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        BLOCKED = "blocked"

    platform = models.SlugField(max_length=63)
    external_id = models.CharField(max_length=128)
    pseudonym = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    blocked_reason = models.TextField(default="", blank=True)
    is_simulated = models.BooleanField(default=False, help_text="A program that stands in for a person (demo, tests).")
    created_at = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["platform", "external_id"], name="worker_once_per_platform"),
            models.CheckConstraint(
                condition=Q(status="active", blocked_reason="") | (Q(status="blocked") & ~Q(blocked_reason="")),
                name="worker_blocked_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.platform}:{self.external_id}"

    @property
    def identity(self) -> str:
        """`platform:external_id`, for who may see it."""
        return f"{self.platform}:{self.external_id}"


class StandingEvent(models.Model):
    """A worker was blocked or unblocked: append-only."""

    class Kind(models.TextChoices):
        BLOCKED = "blocked"
        UNBLOCKED = "unblocked"

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="standing_events")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    reason = models.TextField(default="")
    by = models.CharField(max_length=200, help_text="The person or the key that did it.")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%Y-%m-%d}"


class InformationPage(models.Model):
    """One wording of what a worker agrees to; another wording is another page."""

    text = models.TextField(help_text="Markdown.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.text[:60]


class ConsentQuerySet(models.QuerySet["Consent"]):
    def standing(self) -> Self:
        return self.filter(withdrawn_at=None)


class Consent(models.Model):
    """A worker's yes to one information page; may be withdrawn, and given again."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="consents")
    page = models.ForeignKey(InformationPage, models.PROTECT, related_name="consents")
    given_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "page"], condition=Q(withdrawn_at=None), name="consent_standing_once"
            )
        ]

    def __str__(self) -> str:
        return f"consent of {self.given_at:%Y-%m-%d}"


class LedgerEntry(models.Model):
    """Money owed once for one reason; append-only, and idempotent by `reason`."""

    class Kind(models.TextChoices):
        BASE = "base"
        BONUS = "bonus"
        PARTIAL = "partial"
        CORRECTION = "correction"

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    reason = models.CharField(max_length=200, help_text="What it is for, as `base:annotation:ID`; paid once.")
    amount = models.DecimalField(max_digits=12, decimal_places=4)
    currency = models.CharField(max_length=3)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["worker", "at"], name="ledger_of_worker")]
        constraints = [models.UniqueConstraint(fields=["worker", "reason"], name="ledger_entry_once_per_reason")]
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} {self.kind}"
