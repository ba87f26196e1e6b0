"""Suites of scenarios, their wordings and their frozen versions."""

from typing import Self

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

CONTINUATIONS = 10
"""The number of tries at a scenario that a suite expects of each agent, where it names none."""


class SuiteQuerySet(models.QuerySet["Suite"]):
    def listed(self) -> Self:
        """The suites that lists show: those that are not archived."""
        return self.filter(archived_at=None)


class Suite(models.Model):
    """A Standardised Test Suite (paper 000): situations at which every agent is tried."""

    slug = models.SlugField(max_length=63, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(default="", blank=True)
    continuations = models.PositiveIntegerField(
        default=CONTINUATIONS,
        validators=[MinValueValidator(1)],
        help_text="Tries expected of each agent at a scenario.",
    )
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True, help_text="Since then hidden and not offered.")

    objects = SuiteQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(continuations__gte=1), name="suite_expects_a_continuation"),
        ]

    def __str__(self) -> str:
        return self.title


class Scenario(models.Model):
    """One situation of a suite; its revisions contain its wordings."""

    suite = models.ForeignKey(Suite, models.CASCADE, related_name="scenarios")
    key = models.CharField(max_length=128)
    current = models.ForeignKey("Revision", models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["suite", "key"], name="scenario_key_once_per_suite")]

    def __str__(self) -> str:
        return self.key


class Revision(models.Model):
    """One wording of a scenario. It never changes: a version freezes revisions, an episode is posted against one."""

    scenario = models.ForeignKey(Scenario, models.CASCADE, related_name="revisions")
    digest = models.CharField(max_length=64, editable=False)
    instruction = models.TextField()
    category = models.CharField(max_length=100)
    skill = models.CharField(max_length=100)
    takeover_s = models.FloatField()
    continuation_s = models.FloatField()
    criteria = models.TextField(default="", blank=True)
    prompt = models.TextField(default="", blank=True)
    tags = models.JSONField(default=list, blank=True)
    difficulty = models.JSONField(null=True, blank=True)
    chance = models.FloatField(null=True, blank=True, help_text="The share of successes by guessing.")
    media = models.JSONField(null=True, blank=True, help_text="The episode that shows what happens before.")
    source = models.JSONField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scenario", "digest"], name="revision_once_per_wording"),
            models.CheckConstraint(condition=Q(takeover_s__gte=0), name="revision_takeover_not_negative"),
            models.CheckConstraint(condition=Q(continuation_s__gt=0), name="revision_continuation_positive"),
            models.CheckConstraint(
                condition=Q(chance=None) | Q(chance__gte=0, chance__lte=1), name="revision_chance_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return self.instruction


class Version(models.Model):
    """A frozen set of revisions of a suite."""

    suite = models.ForeignKey(Suite, models.CASCADE, related_name="versions")
    slug = models.SlugField(max_length=63)
    revisions = models.ManyToManyField(Revision, related_name="versions")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["suite", "slug"], name="version_once_per_suite")]

    def __str__(self) -> str:
        return self.slug
