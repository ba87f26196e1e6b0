"""Error reports: commands that a worker marked as gone wrong, and how far their repair is."""

from django.db import models
from django.db.models import Q

from annotation.models import KeptScene, Project
from commands.models import Command
from common.data.values import opaque_id
from routing.models.trees import TreeVersion


class ErrorReport(models.Model):
    """One for each command that was judged to have gone wrong, written in the transaction that judged it.

    `project` and `outcome` repeat the command's, which never change, for the indexes of the list of reports.
    """

    class State(models.TextChoices):
        NEW = "new"
        ROUTED = "routed"
        ANNOTATED = "annotated"
        DISMISSED = "dismissed"

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", help_text="Where the command was given.")
    command = models.OneToOneField(Command, models.PROTECT, related_name="report")
    tree = models.ForeignKey(TreeVersion, models.PROTECT, null=True, blank=True, related_name="+")
    outcome = models.CharField(max_length=63)
    scene = models.ForeignKey(
        KeptScene,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The world when the command was given, with the poses of agent and worker.",
    )
    state = models.CharField(max_length=16, choices=State.choices, default=State.NEW)
    why_dismissed = models.TextField(default="", blank=True)
    is_dropped = models.BooleanField(
        default=False,
        help_text="Dismissed since the data of its session is dropped; taken up again by itself if that is overturned.",
    )
    merged_into = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="merged")
    at = models.DateTimeField(help_text="When it was marked.")
    state_at = models.DateTimeField(help_text="When it came to its present state.")

    class Meta:
        indexes = [
            models.Index(fields=["project", "state", "at"], name="errorreport_of_project"),
            models.Index(fields=["state", "at"], name="errorreport_by_state"),
            models.Index(fields=["outcome", "at"], name="errorreport_by_outcome"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(outcome__in=["", "ok"]), name="errorreport_of_an_error"),
            models.CheckConstraint(
                condition=Q(state="dismissed") & ~Q(why_dismissed="") | ~Q(state="dismissed") & Q(why_dismissed=""),
                name="errorreport_dismissed_says_why",
            ),
            models.CheckConstraint(
                condition=Q(is_dropped=False) | Q(state="dismissed", merged_into=None),
                name="errorreport_dropped_is_dismissed",
            ),
            models.CheckConstraint(
                condition=Q(merged_into=None) | Q(state="dismissed"),
                name="errorreport_merged_is_dismissed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome}: {self.public_id}"
