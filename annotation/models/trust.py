"""Trust in workers: their records, the actions of gates, and changes of scores."""

from typing import Self

from django.db import models
from django.db.models import F, Q

from annotation.models.projects import Project
from annotation.models.work import Annotation, Enrolment
from audit.models import AuditEvent
from workforce.models import Worker

RECORD_SORTS = (
    "balanced_accuracy",
    "low",
    "references",
    "submitted",
    "reported",
    "agreement",
    "median_s",
    "speed_z",
    "moment_error_s",
    "drift",
    "last_at",
)
"""The columns by which the list of workers may be sorted, each with its index."""


class RecordQuerySet(models.QuerySet["Record"]):
    def outdated(self) -> Self:
        """Records whose worker handed something in, or had an answer judged again, since the record was measured."""
        return self.filter(last_at__gt=F("measured_at"))


class Record(models.Model):
    """The quality of a worker's work, in one project or (project empty) in all; computed from their annotations.

    A table, and not a query, so that a list of 100,000 workers sorts and filters by any of it.
    """

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="records", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="records", db_index=False)
    submitted = models.PositiveIntegerField(default=0)
    reported = models.PositiveIntegerField(default=0, help_text="How often they said that they cannot judge.")
    success_success = models.PositiveIntegerField(default=0, help_text="Truth first, answer second.")
    success_failure = models.PositiveIntegerField(default=0)
    failure_success = models.PositiveIntegerField(default=0)
    failure_failure = models.PositiveIntegerField(default=0)
    references = models.PositiveIntegerField(default=0, help_text="Answers to references that have a class.")
    balanced_accuracy = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    moments = models.PositiveIntegerField(default=0, help_text="Right answers with a time, to a truth with a time.")
    moment_offset_s = models.FloatField(null=True, help_text="Median signed error of the moment; positive is late.")
    moment_error_s = models.FloatField(null=True, help_text="Median absolute error of the moment.")
    compared = models.PositiveIntegerField(default=0, help_text="Answers on tasks that have a consensus of several.")
    agreement = models.FloatField(null=True, help_text="Share of these that agree with it.")
    median_s = models.FloatField(null=True, help_text="Median time per task.")
    speed_z = models.FloatField(null=True, help_text="Robust z of that among the project's; negative is fast.")
    drift = models.FloatField(null=True, help_text="CUSUM of the log likelihood ratio on references; high is worse.")
    last_at = models.DateTimeField(null=True)
    measured_at = models.DateTimeField(help_text="When all of it was; what references say is always up to date.")

    objects = RecordQuerySet.as_manager()

    class Meta:
        # Each ends in the id: a page of the list of workers, sorted by any of these, walks one of them and stops.
        indexes = [
            *(models.Index(fields=["project", name, "id"], name=f"record_by_{name}") for name in RECORD_SORTS),
            models.Index(fields=["project", "id"], name="record_by_beginning"),
            models.Index(fields=["measured_at"], condition=Q(last_at__gt=F("measured_at")), name="record_outdated"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["worker", "project"], name="record_once_per_project"),
            models.UniqueConstraint(fields=["worker"], condition=Q(project=None), name="record_once_overall"),
        ]

    def __str__(self) -> str:
        return f"record of {self.worker_id} in {self.project_id or 'all'}"


class GateActionQuerySet(models.QuerySet["GateAction"]):
    def pauses(self) -> Self:
        return self.filter(action=GateAction.Action.PAUSE)

    def current(self) -> Self:
        return self.filter(lifted_at=None)

    def waiting(self) -> Self:
        """Pauses without a decision, or whose evidence has changed since the decision."""
        return self.pauses().current().filter(Q(decision="") | Q(questioned_at__isnull=False))

    def warnings(self) -> Self:
        return self.filter(action=GateAction.Action.WARN)


class GateAction(models.Model):
    """A gate warned or paused a worker in a project. A person decides about it, once more after an appeal."""

    class Action(models.TextChoices):
        WARN = "warn"
        PAUSE = "pause"

    class Decision(models.TextChoices):
        NONE = "", "waits"
        UPHELD = "upheld"
        LIFTED = "lifted"

    enrolment = models.ForeignKey(Enrolment, models.CASCADE, related_name="gate_actions")
    action = models.CharField(max_length=8, choices=Action.choices)
    rule = models.JSONField(help_text="The gate as it was then, with its error rates.")
    evidence = models.JSONField(help_text="Which references, when, what was answered, and what the test made of it.")
    at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, help_text="When the worker closed the warning, or the word of a lift.")
    appeal = models.TextField(default="", blank=True)
    appealed_at = models.DateTimeField(null=True)
    decision = models.CharField(max_length=8, choices=Decision.choices, default=Decision.NONE, blank=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=200, default="", blank=True)
    decision_reason = models.TextField(default="", blank=True)
    lifted_at = models.DateTimeField(null=True)
    questioned_at = models.DateTimeField(
        null=True, help_text="When a reference in its evidence was corrected or retired; null once a person looked."
    )

    objects = GateActionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["at"], condition=Q(decision="", action="pause"), name="gate_action_waits"),
            models.Index(
                fields=["questioned_at"], condition=Q(questioned_at__isnull=False), name="gate_action_questioned"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["enrolment"], condition=Q(action="pause", lifted_at=None), name="gate_one_current_pause"
            ),
            models.CheckConstraint(
                condition=Q(appealed_at=None, appeal="") | (Q(appealed_at__isnull=False) & ~Q(appeal="")),
                name="gate_appeal_has_a_text",
            ),
            models.CheckConstraint(
                condition=Q(decision="", decided_at=None) | (~Q(decision="") & Q(decided_at__isnull=False)),
                name="gate_decision_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.at:%Y-%m-%d}"

    @property
    def is_current_pause(self) -> bool:
        return self.action == self.Action.PAUSE and self.lifted_at is None


class ScoreChange(models.Model):
    """An annotation's score changed because its reference was corrected or retired: append-only."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="score_changes")
    before = models.FloatField(null=True)
    after = models.FloatField(null=True)
    event = models.ForeignKey(AuditEvent, models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.before} to {self.after}"
