"""Commands of live sessions: how far the agent came with them and when; and their films, posted as episodes."""

from django.db import models
from django.db.models import Q

from commands.models import Command
from interaction.models.sessions import Session


class LiveCommand(models.Model):
    """The part of a command that only a session knows: its place there, and how far the agent came and when."""

    class Status(models.TextChoices):
        SENT = "sent"
        RECEIVED = "received"
        THINKING = "thinking"
        ACTING = "acting"
        DONE = "done"
        FAILED = "failed"

    command = models.OneToOneField(Command, models.PROTECT, primary_key=True, related_name="live")
    session = models.ForeignKey(Session, models.PROTECT, related_name="commands")
    name = models.CharField(max_length=64, help_text="The id that the worker's page gave it.")
    seq = models.PositiveIntegerField(help_text="Its event in the log.")
    prompt = models.CharField(max_length=500, default="", blank=True, help_text="What it was improvised on.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.SENT)
    why_failed = models.CharField(max_length=200, default="", blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True, help_text="When the worker asked it to stop.")
    received_at = models.DateTimeField(null=True, blank=True)
    thinking_at = models.DateTimeField(null=True, blank=True)
    acting_at = models.DateTimeField(null=True, blank=True)
    over_at = models.DateTimeField(null=True, blank=True, help_text="When it was done or had failed.")
    judged_at = models.DateTimeField(
        null=True, blank=True, help_text="Written in the transaction that writes the command's outcome."
    )
    scores = models.JSONField(
        null=True, blank=True, help_text="How the stoplight scored it, by which version of the corpus."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "name"], name="live_command_once_per_session"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(judged_at=None), name="live_command_one_unjudged_per_session"
            ),
            models.CheckConstraint(
                condition=Q(judged_at=None) | Q(over_at__isnull=False), name="live_command_judged_is_over"
            ),
            models.CheckConstraint(
                condition=(Q(status__in=["done", "failed"]) & Q(over_at__isnull=False))
                | (~Q(status__in=["done", "failed"]) & Q(over_at=None)),
                name="live_command_over_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.name}"

    @property
    def is_over(self) -> bool:
        return self.over_at is not None


class Posting(models.Model):
    """A request to post the film of a command as an episode, and its result; at most one for each command."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        POSTED = "posted"
        FAILED = "failed"

    live = models.OneToOneField(LiveCommand, models.PROTECT, related_name="posting")
    number = models.PositiveIntegerField(help_text="Of the command within its session, from 1.")
    suite = models.CharField(max_length=63)
    scenario = models.CharField(max_length=128)
    continuation = models.PositiveIntegerField(null=True, blank=True, help_text="Null: the next that is free.")
    context_s = models.FloatField(help_text="How long before the command the film begins.")
    episode = models.CharField(max_length=128, unique=True, help_text="The episode's external id.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    problem = models.TextField(default="", blank=True)
    has_words = models.BooleanField(default=True, help_text="Whether the episode has what was said.")
    asked_by = models.CharField(max_length=200)
    asked_at = models.DateTimeField()
    posted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status="posted", posted_at__isnull=False) | (~Q(status="posted") & Q(posted_at=None)),
                name="posting_posted_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(status="failed") & ~Q(problem="") | ~Q(status="failed") & Q(problem=""),
                name="posting_failed_has_a_problem",
            ),
        ]

    def __str__(self) -> str:
        return self.episode
