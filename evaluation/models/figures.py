"""The projects that take episodes as tasks, the counts of their outcomes, kept figures and reports."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from agents.models import Agent
from annotation.models import Project, Task
from common.data.values import opaque_id
from evaluation.models.episodes import Episode
from evaluation.models.suites import Revision, Suite, Version


class Feed(models.Model):
    """A project that takes each ready episode of a suite as a task."""

    project = models.OneToOneField(Project, models.CASCADE, primary_key=True, related_name="feed")
    suite = models.ForeignKey(Suite, models.PROTECT, related_name="feeds")
    version = models.ForeignKey(Version, models.PROTECT, null=True, blank=True, related_name="feeds")
    agents = models.ManyToManyField(Agent, blank=True, related_name="feeds", help_text="Without any, every agent.")

    def __str__(self) -> str:
        return f"{self.suite} into {self.project}"


class ToldOfFeed(models.Model):
    """The ranking of one project as the last event told it: see `evaluation/announcements.py`."""

    feed = models.OneToOneField(Feed, models.CASCADE, primary_key=True, related_name="told")
    counts = models.CharField(max_length=64, default="", editable=False, help_text="Digest of what was ranked.")
    order = models.JSONField(default=list, help_text="Agents, best first; those of one rank together.")
    verdict = models.BooleanField(null=True, help_text="Whether the raters are good enough to rank.")
    complete = models.JSONField(default=list, help_text="Agent and version of each run that is complete.")

    def __str__(self) -> str:
        return f"told of {self.feed_id}"


class EpisodeTask(models.Model):
    """Links a task to the episode that it shows. The task itself, in a lower app, has no reference to episodes."""

    class Outcome(models.TextChoices):
        PENDING = "", "no outcome yet"
        SUCCESS = "success"
        FAILURE = "failure"
        UNJUDGEABLE = "unjudgeable"

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="shown")
    episode = models.ForeignKey(Episode, models.PROTECT, related_name="shown_in")
    counted_as = models.CharField(
        max_length=16,
        choices=Outcome.choices,
        default=Outcome.PENDING,
        blank=True,
        editable=False,
        help_text="What the tally of the episode counts it as.",
    )

    def __str__(self) -> str:
        return f"{self.episode_id} as {self.task_id}"


class Tally(models.Model):
    """How many continuations of an agent at one wording of a scenario are ready, or how a project judged them.

    The row without a project counts what is `ready`; the row of a project counts the outcomes that its own tasks gave.
    A ranking adds up these rows, and never reads the episodes. `evaluation/tallies.py` keeps them true.
    """

    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="+", db_index=False)
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="+", db_index=False)
    revision = models.ForeignKey(Revision, models.CASCADE, related_name="tallies", db_index=False)
    ready = models.PositiveIntegerField(default=0)
    success = models.PositiveIntegerField(default=0)
    failure = models.PositiveIntegerField(default=0)
    unjudgeable = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now, db_index=True, editable=False)

    class Meta:
        verbose_name_plural = "tallies"
        indexes = [
            # With all that a ranking reads, so that it reads nothing else.
            models.Index(
                fields=["revision", "project", "agent", "ready", "success", "failure", "unjudgeable"],
                name="tally_of_wording",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["revision", "project", "agent"], name="tally_once_per_project"),
            models.UniqueConstraint(
                fields=["revision", "agent"], condition=Q(project=None), name="tally_once_of_ready"
            ),
            models.CheckConstraint(
                condition=Q(project=None, success=0, failure=0, unjudgeable=0) | Q(project__isnull=False, ready=0),
                name="tally_counts_ready_or_outcomes",
            ),
        ]

    def __str__(self) -> str:
        return f"tally of {self.agent_id} at {self.revision_id}"


class KeptFigure(models.Model):
    """A figure that takes long, under a digest of all that it depends on. It may be deleted at any time."""

    key = models.CharField(max_length=64, unique=True)
    content = models.JSONField()
    made_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key


class Report(models.Model):
    """A report of a suite, frozen: an HTML file under the digest of its bytes, and a zip of its figures and tables."""

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    suite = models.ForeignKey(Suite, models.CASCADE, related_name="reports")
    sha256 = models.CharField(max_length=64, editable=False)
    inputs = models.JSONField(help_text="Version, project, and the digest of the counts.")
    file = models.CharField(max_length=255)
    files = models.CharField(
        max_length=255, default="", blank=True, help_text="Storage name of its figures and tables as a zip file."
    )
    made_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["suite", "sha256"], name="report_once_per_content")]

    def __str__(self) -> str:
        return self.sha256[:12]
