"""Decisions of reviewers: adjudications, and findings in two taxonomies."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.tasks import Task
from annotation.models.work import Annotation


class Adjudication(models.Model):
    """A reviewer's answer to a task, with the reason; under the two-person rule it waits for a second reviewer."""

    class Status(models.TextChoices):
        PROPOSED = "proposed"
        STANDING = "standing"
        REFUSED = "refused"
        REPLACED = "replaced"

    task = models.ForeignKey(Task, models.CASCADE, related_name="adjudications")
    answer = models.JSONField()
    reason = models.TextField()
    status = models.CharField(max_length=16, choices=Status.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()
    second = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    second_at = models.DateTimeField(null=True)
    second_reason = models.TextField(default="", blank=True)

    class Meta:
        indexes = [models.Index(fields=["at"], condition=Q(status="proposed"), name="adjudication_waits")]
        constraints = [
            # One of each: what stands goes on standing until a proposal against it is confirmed.
            models.UniqueConstraint(
                fields=["task", "status"],
                condition=Q(status__in=["proposed", "standing"]),
                name="adjudication_one_in_force",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudication_has_a_reason"),
            models.CheckConstraint(
                condition=Q(second=None) | ~Q(second=models.F("by")), name="adjudication_second_is_another_person"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} on {self.task_id}"


class Category(models.Model):
    """One entry of a taxonomy; retired instead of deleted, because findings point at it."""

    class Taxonomy(models.TextChoices):
        HUMAN_ERROR = "human_error", "Why a judgement was wrong or a human attempt failed"
        AGENT_FAILURE = "agent_failure", "How agents fail"

    taxonomy = models.CharField(max_length=16, choices=Taxonomy.choices)
    group = models.CharField(
        max_length=64, default="", blank=True, help_text="As the error's source: player, annotator."
    )
    code = models.SlugField(max_length=63)
    label = models.CharField(max_length=100)
    description = models.TextField(default="", blank=True)
    position = models.PositiveIntegerField(default=0)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "categories"
        ordering = ["taxonomy", "position", "pk"]
        constraints = [models.UniqueConstraint(fields=["taxonomy", "code"], name="category_code_once_per_taxonomy")]

    def __str__(self) -> str:
        return self.label


class Finding(models.Model):
    """A reviewer put one answer, or the content of the task, into a category."""

    category = models.ForeignKey(Category, models.PROTECT, related_name="findings")
    task = models.ForeignKey(Task, models.CASCADE, related_name="findings")
    annotation = models.ForeignKey(
        Annotation,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="findings",
        help_text="Empty: of the task itself.",
    )
    note = models.TextField(default="", blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["category", "task", "annotation"], name="finding_once_per_annotation"),
            models.UniqueConstraint(
                fields=["category", "task"], condition=Q(annotation=None), name="finding_once_per_task"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.category_id} on {self.task_id}"
