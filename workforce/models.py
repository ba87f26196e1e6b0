"""Workers: their identities, consents, qualifications and ledger entries."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q

from common.data.values import opaque_id


class WorkerQuerySet(models.QuerySet["Worker"]):
    def active(self) -> Self:
        return self.filter(status=Worker.Status.ACTIVE)


class Worker(models.Model):
    """A person on a platform; never an account with a password."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        BLOCKED = "blocked"

    class Weighting(models.TextChoices):
        """The weight of a worker's answers in every consensus; a person sets it."""

        FULL = "full"
        REDUCED = "reduced"
        NONE = "none"

    platform = models.SlugField(max_length=63)
    external_id = models.CharField(max_length=128)
    pseudonym = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.ACTIVE)
    blocked_reason = models.TextField(default="", blank=True)
    weighting = models.CharField(max_length=8, choices=Weighting.choices, default=Weighting.FULL)
    erased_at = models.DateTimeField(null=True, blank=True, editable=False)
    erasure = models.OneToOneField(
        "PrivacyReport",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="Set once somebody asked for it; done when `erased_at` is set.",
    )
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
        """`platform:external_id`, for accounts that may see it."""
        return f"{self.platform}:{self.external_id}"


class InformationPage(models.Model):
    """One version of the text that a worker agrees to; another text is another page."""

    text = models.TextField(help_text="Markdown.")
    notes = models.TextField(
        default="", blank=True, help_text="Markdown that the server adds below: checks, pay, what is kept, whom to ask."
    )
    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="Of text and notes together.")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.text[:60]


class ConsentQuerySet(models.QuerySet["Consent"]):
    def current(self) -> Self:
        return self.filter(withdrawn_at=None)


class Consent(models.Model):
    """A worker's consent to one information page; it may be withdrawn, and given again."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="consents")
    page = models.ForeignKey(InformationPage, models.PROTECT, related_name="consents")
    given_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "page"], condition=Q(withdrawn_at=None), name="consent_current_once"
            )
        ]

    def __str__(self) -> str:
        return f"consent of {self.given_at:%Y-%m-%d}"


class LedgerEntry(models.Model):
    """Money owed once for one reason: idempotent by `reason`; only the state of its payment changes."""

    class Kind(models.TextChoices):
        BASE = "base"
        BONUS = "bonus"
        PARTIAL = "partial"
        CORRECTION = "correction"

    class State(models.TextChoices):
        OWED = "owed"
        APPROVED = "approved"
        SENT = "sent"
        CONFIRMED = "confirmed"
        FAILED = "failed"
        REJECTED = "rejected"

    worker = models.ForeignKey(Worker, models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    reason = models.CharField(max_length=200, help_text="What it is for, as `base:annotation:ID`; paid once.")
    amount = models.DecimalField(max_digits=12, decimal_places=4)
    currency = models.CharField(max_length=3)
    at = models.DateTimeField()
    account = models.CharField(
        max_length=63, default="", blank=True, help_text="What it is charged to, by the name that the work gives."
    )
    inputs = models.JSONField(null=True, blank=True, help_text="What the amount was worked out from, for an appeal.")
    state = models.CharField(max_length=16, choices=State.choices, default=State.OWED)
    state_at = models.DateTimeField(null=True, blank=True, help_text="When it came to be so; null: from the start.")
    state_by = models.CharField(max_length=200, default="", blank=True)
    note = models.TextField(default="", blank=True, help_text="Why it failed, or was rejected: the worker is told.")

    class Meta:
        indexes = [
            models.Index(fields=["worker", "at"], name="ledger_of_worker"),
            models.Index(fields=["account", "state", "at"], name="ledger_of_account"),
            models.Index(fields=["state", "at"], name="ledger_by_state"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["worker", "reason"], name="ledger_entry_once_per_reason"),
            models.CheckConstraint(
                condition=~Q(state__in=["failed", "rejected"]) | ~Q(note=""), name="ledger_entry_refused_has_a_note"
            ),
            models.CheckConstraint(
                condition=Q(state="owed") | Q(state_at__isnull=False), name="ledger_entry_moved_has_a_time"
            ),
        ]
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} {self.kind}"


class Qualification(models.Model):
    """A graded quiz; its questions are data."""

    slug = models.SlugField(max_length=63, unique=True)
    title = models.CharField(max_length=200)
    pages = models.JSONField(default=list, help_text="Markdown pages, read before the questions.")
    questions = models.JSONField(default=list, help_text="As the API takes them, right answers included: never served.")
    draw = models.PositiveIntegerField(null=True, blank=True, help_text="How many are asked, at random; null: all.")
    pass_mark = models.FloatField(help_text="Share of right answers that passes.")
    attempts = models.PositiveIntegerField()
    cool_off_s = models.PositiveIntegerField(default=0, help_text="Between one failed attempt and the next.")
    valid_s = models.PositiveIntegerField(null=True, blank=True, help_text="How long a grant lasts; null: for good.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pass_mark__gte=0, pass_mark__lte=1), name="qualification_pass_mark_is_a_fraction"
            ),
            models.CheckConstraint(condition=Q(attempts__gte=1), name="qualification_at_least_one_attempt"),
            models.CheckConstraint(condition=Q(draw=None) | Q(draw__gte=1), name="qualification_draws_at_least_one"),
        ]

    def __str__(self) -> str:
        return self.title


class Attempt(models.Model):
    """A worker's try at a quiz: the questions drawn for it, and the answers."""

    qualification = models.ForeignKey(Qualification, models.CASCADE, related_name="tries")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="attempts")
    questions = models.JSONField(help_text="The questions as they were when drawn, in order, right answers included.")
    answers = models.JSONField(null=True, blank=True)
    right = models.JSONField(null=True, blank=True, help_text="By question id: whether it was answered right.")
    score = models.FloatField(null=True, blank=True)
    passed = models.BooleanField(null=True, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification", "worker"], condition=Q(finished_at=None), name="attempt_one_open"
            ),
            models.CheckConstraint(
                condition=Q(finished_at=None, score=None, passed=None)
                | Q(finished_at__isnull=False, score__gte=0, score__lte=1, passed__isnull=False),
                name="attempt_finished_has_a_score",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt of {self.started_at:%Y-%m-%d}"


class GrantQuerySet(models.QuerySet["Grant"]):
    def valid(self, *, at: datetime) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=at), revoked_at=None)


class Grant(models.Model):
    """A worker holds a qualification, by passing the quiz or because a person gave it; it may be revoked, and may
    expire."""

    qualification = models.ForeignKey(Qualification, models.CASCADE, related_name="grants")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="grants")
    attempt = models.OneToOneField(Attempt, models.CASCADE, null=True, blank=True, related_name="grant")
    granted_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = GrantQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["qualification", "worker"], condition=Q(revoked_at=None), name="grant_standing_once"
            )
        ]

    def __str__(self) -> str:
        return f"grant of {self.granted_at:%Y-%m-%d}"


class PrivacyReport(models.Model):
    """The counts of things that an erasure or a retention run removed; nothing of the person."""

    class Kind(models.TextChoices):
        ERASURE = "erasure"
        RETENTION = "retention"

    kind = models.CharField(max_length=16, choices=Kind.choices)
    requested_by = models.CharField(max_length=200)
    requested_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    removed = models.JSONField(default=dict, help_text="How many of each kind of thing.")

    def __str__(self) -> str:
        return f"{self.kind} of {self.requested_at:%Y-%m-%d}"
