"""Jobs: background work as rows, and what the processes of the server tell each other of themselves."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Q

FURTHEST = timedelta(hours=1)
"""No job waits, or is leased, for so long at once. A later time was written while the clock was ahead, and nobody waits
for it."""


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> Self:
        return self.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])

    def due(self, *, at: datetime) -> Self:
        """Waiting jobs whose time has come, and running jobs whose lease has ended because their worker died."""
        return self.unfinished().filter(Q(due_at__lte=at) | Q(due_at__gt=at + FURTHEST))

    def unsent(self, *, since: datetime, at: datetime) -> Self:
        """Jobs for which no message was sent since that time; one of a time after `at` does not count."""
        return self.filter(Q(sent_at=None) | Q(sent_at__lte=since) | Q(sent_at__gt=at))

    def failed(self) -> Self:
        return self.filter(state=Job.State.FAILED)

    def held(self) -> Self:
        """Unfinished jobs that wait because of a fault of the server's own."""
        return self.unfinished().filter(held_since__isnull=False)


class Job(models.Model):
    """One piece of background work: its kind, its object, when it is due, and its result."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    kind = models.CharField(max_length=64)
    subject = models.CharField(max_length=200, help_text="The id of the object, as the handler reads it.")
    # Null and not "": many jobs have none, and the database holds only real keys apart.
    unique_key = models.CharField(max_length=200, null=True, help_text="At most one unfinished job has this key.")  # noqa: DJ001
    state = models.CharField(max_length=16, choices=State.choices, default=State.WAITING)
    due_at = models.DateTimeField(help_text="When the job may run; while it runs, when its lease ends.")
    fence = models.CharField(
        max_length=32, default="", help_text="Random id of the present run; an earlier run has another."
    )
    attempts = models.PositiveIntegerField(default=0)
    max_attempts = models.PositiveIntegerField(default=3)
    progress = models.FloatField(default=0)
    error = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the last message about the job was sent.")
    finished_at = models.DateTimeField(null=True, blank=True)
    held_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when a fault of the server's own keeps it from running."
    )

    objects = JobQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=Q(state__in=["waiting", "running"]), name="job_unfinished_due"),
            models.Index(fields=["kind", "subject"], name="job_subject"),
            models.Index(
                fields=["held_since"],
                condition=Q(state__in=["waiting", "running"], held_since__isnull=False),
                name="job_held",
            ),
            models.Index(fields=["kind"], condition=Q(state="failed"), name="job_failed"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["unique_key"],
                condition=Q(state__in=["waiting", "running"]),
                name="job_unique_while_unfinished",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed"], finished_at__isnull=False)
                | Q(state__in=["waiting", "running"], finished_at=None),
                name="job_finished_has_a_time",
            ),
            models.CheckConstraint(condition=Q(progress__gte=0, progress__lte=1), name="job_progress_is_a_fraction"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Installation(models.Model):
    """The identity of this installation, one row; `jobs/identity.py` says what it is for."""

    identity = models.CharField(max_length=32)
    stored_at = models.DateTimeField(null=True, blank=True, help_text="When the storage of files got it, too.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(pk=1), name="installation_is_one")]

    def __str__(self) -> str:
        return self.identity


class Heartbeat(models.Model):
    """The time when a kind of process was last at work; one row for each."""

    class Name(models.TextChoices):
        SWEEP = "sweep"
        """A worker swept, on a message that came through the broker."""
        JOB = "job"
        """A worker ran a job."""
        PROBE = "probe"
        """`/readyz` tried whether the database takes a row."""
        MISPLACED = "misplaced"
        """A process refused to work, for its files do not belong to this database."""

    name = models.CharField(max_length=16, choices=Name.choices, unique=True)
    at = models.DateTimeField()
    detail = models.TextField(default="", blank=True)

    def __str__(self) -> str:
        return self.name
