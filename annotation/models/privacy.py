"""Versions of the information page of a project, and workers' free text that seems to hold personal data."""

from django.db import models
from django.db.models import Q

from annotation.models.projects import Project
from annotation.models.trust import GateAction
from annotation.models.work import Assignment
from workforce.models import Attempt, InformationPage


class InformationVersion(models.Model):
    """The information page that a project shows from a time on; the last version is the present one."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="information_versions")
    number = models.PositiveIntegerField(help_text="1, 2, 3… within the project.")
    page = models.ForeignKey(InformationPage, models.PROTECT, related_name="+")
    by = models.CharField(max_length=200, help_text="The person, the key or the rule that brought it.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="information_number_once_per_project")
        ]

    def __str__(self) -> str:
        return f"information {self.number} of {self.project_id}"


class FlaggedText(models.Model):
    """A worker's free text that seems to hold personal data; shown flagged until a person decides.

    The row points at the text and keeps no copy: the text is stored in the assignment, the gate action or the attempt
    alone.
    """

    class Kind(models.TextChoices):
        REPORT = "report", "report of a problem"
        APPEAL = "appeal", "appeal"
        QUIZ = "quiz", "answer in a quiz"

    class State(models.TextChoices):
        NEW = "new"
        REDACTED = "redacted"
        DISMISSED = "dismissed"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    project = models.ForeignKey(
        Project, models.CASCADE, null=True, related_name="+", help_text="Empty: of a quiz, which belongs to none."
    )
    assignment = models.OneToOneField(Assignment, models.CASCADE, null=True, related_name="flagged_text")
    gate_action = models.OneToOneField(GateAction, models.CASCADE, null=True, related_name="flagged_text")
    attempt = models.ForeignKey(Attempt, models.CASCADE, null=True, related_name="flagged_texts")
    question = models.CharField(max_length=200, default="", blank=True, help_text="The question's id, in a quiz.")
    flags = models.JSONField(help_text="`[{kind, start, end}]`: places in the text, in characters.")
    state = models.CharField(max_length=16, choices=State.choices, default=State.NEW)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        indexes = [models.Index(fields=["created_at"], condition=Q(decided_at=None), name="flagged_text_waits")]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "question"], name="flagged_text_once_per_question"),
            models.CheckConstraint(
                condition=Q(kind="report", assignment__isnull=False, gate_action=None, attempt=None)
                | Q(kind="appeal", assignment=None, gate_action__isnull=False, attempt=None)
                | Q(kind="quiz", assignment=None, gate_action=None, attempt__isnull=False),
                name="flagged_text_has_one_subject",
            ),
            models.CheckConstraint(
                condition=Q(state="new", decided_at=None) | (~Q(state="new") & Q(decided_at__isnull=False)),
                name="flagged_text_decision_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} flagged {self.created_at:%Y-%m-%d}"
