"""The consensus of tasks, and the estimates of raters."""

from typing import Any, Self

from django.db import models
from django.db.models import Q

from annotation.models.projects import Project
from annotation.models.tasks import Task
from workforce.models import Worker


class ConsensusQuerySet(models.QuerySet["Consensus"]):
    def settled(self) -> Self:
        """Consensus that pipelines receive; all other rows may still change with each annotation."""
        return self.filter(settled_at__isnull=False)

    def true(self) -> Self:
        """Settled consensus that may serve as a truth: no guess was in view when its answers were given."""
        return self.settled().filter(with_guess=False)


class Consensus(models.Model):
    """The merged answer of a task: provisional until `settled_at`, then used by exports and rankings."""

    class Method(models.TextChoices):
        MAJORITY = "majority"
        WEIGHTED = "weighted"
        DAWID_SKENE = "dawid_skene"
        ADJUDICATED = "adjudicated"
        ASSEMBLED = "assembled"

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="consensus")
    # The task's own, repeated: the review queue walks one index instead of joining a million tasks.
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    answer = models.JSONField()
    method = models.CharField(max_length=32, choices=Method.choices)
    confidence = models.FloatField()
    probability = models.FloatField(null=True, help_text="Of yes, where the tool knows yes and no.")
    low = models.FloatField(null=True, help_text="95 % interval of the probability.")
    high = models.FloatField(null=True)
    annotations = models.PositiveIntegerField()
    with_guess = models.BooleanField(
        default=False, help_text="It rests on answers that were given with a guess in view, so it is no truth."
    )
    needs_review = models.BooleanField(default=False, help_text="A tie, or less sure than the project wants.")
    updated_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(null=True, help_text="When a reviewer let it stand, unsure as it is.")

    objects = ConsensusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "consensus"
        indexes = [
            models.Index(
                fields=["project", "confidence"], condition=Q(needs_review=True), name="consensus_needs_review"
            ),
            # Over all projects at once, in the very order of the queue: its first page stops after as many rows.
            models.Index(
                fields=["confidence", "task", "project"], condition=Q(needs_review=True), name="consensus_worst_first"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="consensus_confidence_is_a_fraction"
            ),
            models.CheckConstraint(
                condition=Q(probability=None) | Q(probability__gte=0, probability__lte=1),
                name="consensus_probability_is_a_fraction",
            ),
            models.CheckConstraint(
                condition=Q(needs_review=False) | Q(settled_at__isnull=False), name="consensus_reviewed_once_settled"
            ),
        ]

    def __str__(self) -> str:
        return f"consensus of {self.task_id}"

    def as_answer(self) -> dict[str, Any]:
        """The answer, with the number of annotations that it rests on."""
        return {**self.answer, "annotations": self.annotations}


class Fit(models.Model):
    """The last fit of a project's raters and tasks together (Dawid & Skene 1979)."""

    project = models.OneToOneField(Project, models.CASCADE, primary_key=True, related_name="fit")
    prior = models.FloatField(help_text="Share of tasks whose answer is yes.")
    tasks = models.PositiveIntegerField()
    annotations = models.PositiveIntegerField()
    iterations = models.PositiveIntegerField()
    through = models.PositiveIntegerField(help_text="Number of the last annotation that it knows.")
    fitted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"fit of {self.project_id}"


class Rater(models.Model):
    """A worker as the fit of a project estimates them; used for answers that arrive before the next fit."""

    fit = models.ForeignKey(Fit, models.CASCADE, related_name="raters")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="+")
    sensitivity = models.FloatField()
    specificity = models.FloatField()
    positives = models.FloatField(help_text="Expected number of answers to true yes.")
    negatives = models.FloatField(help_text="Expected number of answers to true no.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["fit", "worker"], name="rater_once_per_fit")]

    def __str__(self) -> str:
        return f"{self.worker_id} in the fit of {self.fit_id}"
