"""Agents' episodes, the files that they arrive as, and their prepared videos."""

from typing import Self

from django.db import models
from django.db.models import F, Q

from agents.models import Agent
from common.data.values import opaque_id
from evaluation.models.suites import Revision, Scenario


class Upload(models.Model):
    """A file that arrives in parts, or that the server copies from a bucket."""

    class State(models.TextChoices):
        OPEN = "open"
        COMPLETE = "complete"
        FAILED = "failed"
        """Only of a copy."""

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    filename = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=State.choices, default=State.OPEN)
    file = models.CharField(max_length=255, default="", blank=True, help_text="Storage name of the whole file.")
    is_named = models.BooleanField(default=False, help_text="An episode has this file; else it is deleted in time.")
    source = models.CharField(
        max_length=1200, default="", blank=True, help_text="Address in a bucket, as `s3://…`, of which this is a copy."
    )
    source_etag = models.CharField(max_length=128, default="", blank=True, help_text="ETag of that file.")
    problem_code = models.CharField(max_length=64, default="", blank=True)
    problem_detail = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], condition=Q(is_named=False), name="upload_unnamed"),
            models.Index(fields=["file"], name="upload_of_file"),
            models.Index(fields=["source"], condition=~Q(source=""), name="upload_of_source"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(Q(state="failed") & ~Q(problem_code="")) | (~Q(state="failed") & Q(problem_code="")),
                name="upload_failed_has_a_problem",
            ),
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
    trajectory_sha256 = models.CharField(max_length=64, default="", blank=True, editable=False)
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
    picture_hash = models.CharField(
        max_length=1024,
        default="",
        blank=True,
        editable=False,
        help_text="Perceptual hashes of pictures after the takeover. Empty: prepared before they were kept.",
    )
    prep_version = models.PositiveIntegerField()
    prepared_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(frames__gte=1), name="film_has_frames")]

    def __str__(self) -> str:
        return f"{self.frames} frames"


class Resemblance(models.Model):
    """Two continuations of one agent at one wording that are the same, or look the same; see `evaluation/repeats/`."""

    class Kind(models.TextChoices):
        IDENTICAL = "identical"
        NEAR = "near"

    later = models.ForeignKey(Episode, models.CASCADE, related_name="resembles", db_index=False)
    earlier = models.ForeignKey(Episode, models.CASCADE, related_name="resembled_by")
    kind = models.CharField(max_length=16, choices=Kind.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["later", "earlier"], name="resemblance_once_per_pair"),
            models.CheckConstraint(condition=~Q(later=F("earlier")), name="resemblance_of_two"),
        ]

    def __str__(self) -> str:
        return f"{self.later_id} {self.kind} to {self.earlier_id}"
