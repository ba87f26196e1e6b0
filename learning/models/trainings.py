"""Trainings, and the runs that each consists of."""

from typing import Self

from django.db import models
from django.db.models import Q, TextChoices

from common.data.values import opaque_id
from learning.models.tranches import Tranche

ENDED = ("done", "failed", "cancelled")


class Kind(TextChoices):
    """The data that a model learns from."""

    BASELINE = "baseline", "R_0 alone"
    UPDATED = "updated", "R_0 and all later tranches"
    REBIASED = "rebiased", "updated, then R_0 again"


class Training(models.Model):
    """A wish for models: of one module and kind, from these tranches, one model for each seed."""

    class Status(TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    module = models.CharField(max_length=63)
    trainer = models.CharField(max_length=63)
    is_external = models.BooleanField(default=False, help_text="A program elsewhere trains.")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    tranches = models.ManyToManyField(Tranche, related_name="trainings")
    seeds = models.PositiveSmallIntegerField()
    settings = models.JSONField(default=dict)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["-created_at", "-id"], name="training_newest_first")]
        constraints = [
            models.CheckConstraint(condition=Q(seeds__gte=1), name="training_has_a_seed"),
            models.CheckConstraint(
                condition=Q(status__in=ENDED, ended_at__isnull=False) | (~Q(status__in=ENDED) & Q(ended_at=None)),
                name="training_ended_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.module} {self.kind} {self.public_id}"


class RunQuerySet(models.QuerySet["Run"]):
    def waiting(self) -> Self:
        """Runs of trainings here that nobody has begun; those that others continue come first."""
        found = self.filter(status=Run.Status.WAITING, training__is_external=False)
        return found.exclude(training__status__in=ENDED).order_by("training__created_at", "number")


class Run(models.Model):
    """One (kind, seed) of a training: it makes one model."""

    class Status(TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    training = models.ForeignKey(Training, models.CASCADE, related_name="runs")
    number = models.PositiveSmallIntegerField(help_text="1, 2, 3… in the order in which they are trained.")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    seed = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.WAITING)
    share = models.FloatField(default=0, help_text="How far it is, in 0..1.")
    curve = models.JSONField(default=list, help_text="[step, loss, valid] for each report.")
    error = models.TextField(default="", blank=True)
    claimed_by = models.CharField(max_length=200, default="", blank=True, help_text="The external trainer that has it.")
    reported = models.JSONField(null=True, blank=True, help_text="What an external trainer measured by itself.")
    token_digest = models.CharField(max_length=64, default="", blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["training", "number"]
        constraints = [
            models.UniqueConstraint(fields=["training", "kind", "seed"], name="run_once_per_kind_and_seed"),
            models.UniqueConstraint(fields=["training", "number"], name="run_number_once"),
            models.CheckConstraint(condition=Q(share__gte=0, share__lte=1), name="run_share_is_a_fraction"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}, seed {self.seed}"
