"""Samples of failed continuations, and what two people say of each (paper 000, table 1)."""

from django.db import models
from django.db.models import F, Q

from agents.models import Agent
from annotation.models import Project
from evaluation.models.episodes import Episode
from evaluation.models.suites import Suite, Version


class FailureSample(models.Model):
    """A random sample of the continuations that a project judged as failures. It never changes.

    `first_coder` and `second_coder` are the two people who code it: the first two who began.
    """

    suite = models.ForeignKey(Suite, models.CASCADE, related_name="failure_samples")
    project = models.ForeignKey(Project, models.CASCADE, related_name="failure_samples")
    version = models.ForeignKey(Version, models.SET_NULL, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=16, choices=Agent.Kind.choices, help_text="Of those who failed.")
    seed = models.PositiveBigIntegerField()
    failures = models.PositiveIntegerField(help_text="From so many it was drawn.")
    categories = models.JSONField(help_text="`{source, name}` of each category, in the order of the table.")
    first_coder = models.CharField(max_length=200, default="", blank=True)
    second_coder = models.CharField(max_length=200, default="", blank=True)
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(second_coder="") | ~Q(first_coder="") & ~Q(first_coder=F("second_coder")),
                name="failure_sample_two_coders",
            ),
        ]

    def __str__(self) -> str:
        return f"failures of {self.suite_id}, seed {self.seed}"

    @property
    def names(self) -> list[str]:
        """The categories in one string each, as codes have them."""
        return [f"{one['source']}: {one['name']}" for one in self.categories]


class SampledFailure(models.Model):
    """One failure of a sample, with the codes of both people; `decided` settles two codes that differ."""

    sample = models.ForeignKey(FailureSample, models.CASCADE, related_name="sampled")
    episode = models.ForeignKey(Episode, models.PROTECT, related_name="+")
    first_code = models.CharField(max_length=200, default="", blank=True)
    second_code = models.CharField(max_length=200, default="", blank=True)
    decided = models.CharField(max_length=200, default="", blank=True)
    decided_by = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "episode"], name="sampled_failure_once"),
            models.CheckConstraint(
                condition=Q(decided="") | ~Q(first_code="") & ~Q(second_code="") & ~Q(first_code=F("second_code")),
                name="sampled_failure_decided_differs",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.episode_id} in {self.sample_id}"

    @property
    def is_coded(self) -> bool:
        return bool(self.first_code and self.second_code)

    @property
    def final(self) -> str:
        """The category that counts; "" while there is none."""
        if not self.is_coded:
            return ""
        return self.first_code if self.first_code == self.second_code else self.decided
