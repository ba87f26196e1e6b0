"""Replays of campaigns: what their answers would have brought under another policy of buying them."""

from django.db import models
from django.db.models import Q

from learning.models.campaigns import Campaign
from learning.models.trainings import ENDED


class Replay(models.Model):
    """An ended campaign once more, for one module, under one policy: trained and tested after each iteration."""

    class Policy(models.TextChoices):
        IN_ORDER = "in_order", "all, as they came"
        ERRORS = "errors", "marked errors alone"
        RANDOM = "random", "at random"
        UNSURE = "unsure", "least certain first"

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="replays")
    module = models.CharField(max_length=63)
    policy = models.CharField(max_length=16, choices=Policy.choices)
    share = models.FloatField(help_text="Of what the annotations cost that may be spent.")
    seed = models.PositiveIntegerField()
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    steps = models.JSONField(default=list, help_text="[iteration, spent, items, left, value] after each iteration.")
    error = models.TextField(default="", blank=True)
    by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["campaign", "module", "share", "policy", "seed"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "module", "policy", "share", "seed"], name="replay_once"),
            models.CheckConstraint(condition=Q(share__gt=0, share__lte=1), name="replay_spends_a_share"),
            models.CheckConstraint(
                condition=Q(status__in=ENDED, ended_at__isnull=False) | (~Q(status__in=ENDED) & Q(ended_at=None)),
                name="replay_ended_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}/{self.module} {self.policy} {self.seed}"
