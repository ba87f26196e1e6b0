"""Suites of scenarios, their frozen versions, agents' episodes, and the projects that take episodes as tasks."""

from typing import Self

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from agents.models import Agent
from annotation.models import Project, Task
from common.data.values import opaque_id

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


class Upload(models.Model):
    """A file that arrives in parts."""

    class State(models.TextChoices):
        OPEN = "open"
        COMPLETE = "complete"

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    filename = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=State.choices, default=State.OPEN)
    file = models.CharField(max_length=255, default="", blank=True, help_text="Storage name of the whole file.")
    is_named = models.BooleanField(default=False, help_text="An episode has this file; else it is deleted in time.")
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], condition=Q(is_named=False), name="upload_unnamed"),
            models.Index(fields=["file"], name="upload_of_file"),
        ]

    def __str__(self) -> str:
        return self.filename


class UploadPart(models.Model):
    """A part that was received."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    etag = models.CharField(max_length=64)
    file = models.CharField(max_length=255)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "number"], name="upload_part_once")]

    def __str__(self) -> str:
        return f"part {self.number}"


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def listed(self) -> Self:
        """The episodes that lists show: those that are not archived."""
        return self.filter(archived_at=None)

    def ready(self) -> Self:
        """The episodes that may be watched and judged."""
        return self.listed().filter(status=Episode.Status.READY)

    def ranked(self) -> Self:
        """The episodes that a ranking counts: ready, and not references."""
        return self.ready().filter(reference__isnull=True)


class Episode(models.Model):
    """The recording of one continuation: an agent's try at a scenario."""

    class Status(models.TextChoices):
        PREPARING = "preparing"
        READY = "ready"
        FAILED = "failed"

    external_id = models.CharField(max_length=128, unique=True)
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="episodes")
    scenario = models.ForeignKey(Scenario, models.PROTECT, related_name="episodes")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="episodes")
    continuation = models.PositiveIntegerField()
    instruction = models.TextField()
    takeover_s = models.FloatField()
    transcript = models.JSONField(default=list, blank=True)
    step_frames = models.JSONField(default=list, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    reference = models.JSONField(null=True, blank=True)
    digest = models.CharField(
        max_length=64, editable=False, help_text="Digest of the data with defaults and of the video."
    )
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.PREPARING)
    problem_code = models.CharField(max_length=64, default="", blank=True)
    problem_detail = models.TextField(default="", blank=True)
    folder = models.CharField(max_length=64, default=opaque_id, editable=False)
    source = models.CharField(max_length=255, help_text="Storage name of the posted video.")
    source_sha256 = models.CharField(max_length=64)
    trajectory = models.CharField(max_length=255, default="", blank=True)
    created_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True, help_text="Since then hidden and not offered.")

    objects = EpisodeQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["scenario", "status"], name="episode_of_scenario"),
            models.Index(fields=["status", "created_at"], condition=Q(status="failed"), name="episode_failed"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["agent", "scenario", "continuation"], name="episode_once_per_try"),
            models.CheckConstraint(condition=Q(takeover_s__gte=0), name="episode_takeover_not_negative"),
            models.CheckConstraint(
                condition=(Q(status="failed") & ~Q(problem_code="")) | (~Q(status="failed") & Q(problem_code="")),
                name="episode_failed_has_a_problem",
            ),
            models.CheckConstraint(
                condition=Q(archived_at=None) | ~Q(status="preparing"), name="episode_archived_is_prepared"
            ),
            models.CheckConstraint(
                condition=Q(status="ready", ready_at__isnull=False) | (~Q(status="ready") & Q(ready_at=None)),
                name="episode_ready_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def deadline_s(self) -> float:
        """The second of the video at which the continuation ends; the video may end earlier."""
        return self.takeover_s + self.revision.continuation_s


class Film(models.Model):
    """The prepared video of an episode. Only `table` gives the time of a frame."""

    episode = models.OneToOneField(Episode, models.CASCADE, primary_key=True, related_name="film")
    table = models.JSONField(help_text="Frame table: the exact presentation time of each frame.")
    frames = models.PositiveIntegerField()
    duration_s = models.FloatField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    codec = models.CharField(max_length=32)
    proxy = models.CharField(max_length=255)
    proxy_sha256 = models.CharField(max_length=64)
    poster = models.CharField(max_length=255)
    filmstrip = models.JSONField()
    activity = models.JSONField(
        null=True,
        help_text="How much changes when, cuts, frozen and black stretches. Null: prepared before it was kept.",
    )
    prep_version = models.PositiveIntegerField()
    prepared_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(frames__gte=1), name="film_has_frames")]

    def __str__(self) -> str:
        return f"{self.frames} frames"


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
