"""Verdicts of the gate, deployments, and which models act now and in each session."""

from django.db import models
from django.db.models import Q

from interaction.models import Session
from learning.models.trained import TrainedModel
from learning.models.tranches import Tranche


class GateVerdict(models.Model):
    """One look of the gate: a model compared with the one that acted then, on one frozen test set."""

    model = models.ForeignKey(TrainedModel, models.CASCADE, related_name="verdicts")
    against = models.ForeignKey(TrainedModel, models.PROTECT, null=True, blank=True, related_name="+")
    tranche = models.ForeignKey(Tranche, models.PROTECT, related_name="verdicts", help_text="Whose test items.")
    look = models.PositiveIntegerField(help_text="1, 2, 3… on this test set.")
    passed = models.BooleanField()
    content = models.JSONField(help_text="The verdict with its reasons, as the API shows it.")
    by = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.model_id}: {'passed' if self.passed else 'not passed'}"


class Deployment(models.Model):
    """One act: a model was deployed, shadowed, given a share, or rolled back. Append-only."""

    class Act(models.TextChoices):
        DEPLOY = "deploy"
        SHARE = "share"
        SHADOW = "shadow"
        ROLLBACK = "rollback"

    module = models.CharField(max_length=63)
    act = models.CharField(max_length=16, choices=Act.choices)
    model = models.ForeignKey(TrainedModel, models.PROTECT, related_name="deployments")
    before = models.ForeignKey(TrainedModel, models.PROTECT, null=True, blank=True, related_name="+")
    share = models.FloatField(default=1.0)
    forced_because = models.TextField(default="", blank=True)
    by = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(share__gt=0, share__lte=1), name="deployment_share_is_a_share")
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.model_id}"


class Serving(models.Model):
    """The models of one module that sessions begin with. This one row is what a deployment switches.

    A null `model` means what the agent has of its own.
    """

    module = models.CharField(max_length=63, unique=True)
    model = models.ForeignKey(TrainedModel, models.PROTECT, null=True, blank=True, related_name="+")
    tried = models.ForeignKey(
        TrainedModel, models.PROTECT, null=True, blank=True, related_name="+", help_text="Acts in a share of sessions."
    )
    share = models.FloatField(default=0, help_text="Of sessions that begin with `tried`.")
    shadow = models.ForeignKey(
        TrainedModel, models.PROTECT, null=True, blank=True, related_name="+", help_text="Predicts, and does not act."
    )
    changed_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "serving"
        constraints = [
            models.CheckConstraint(condition=Q(share__gte=0, share__lt=1), name="serving_share_is_below_one"),
            models.CheckConstraint(
                condition=Q(tried=None, share=0) | Q(tried__isnull=False, share__gt=0), name="serving_tried_has_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.module


class SessionModels(models.Model):
    """The models of one session, fixed when an agent first gets it."""

    session = models.OneToOneField(Session, models.CASCADE, primary_key=True, related_name="given_models")
    content = models.JSONField(help_text="By module, as the agent gets it.")
    given = models.ManyToManyField(TrainedModel, related_name="sessions")

    class Meta:
        verbose_name_plural = "session models"

    def __str__(self) -> str:
        return f"models of {self.session_id}"
