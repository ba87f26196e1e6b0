"""Commands: what a worker told the agent, how it went, and what the worker said of it; and their films."""

from django.db import models
from django.db.models import Q

from agents.models import Agent
from annotation.models import Project
from common.values import opaque_id
from interaction.models.sessions import Session
from workforce.models import Worker


class Command(models.Model):
    """What the worker told the agent, how it went, and what the worker said of it."""

    class Status(models.TextChoices):
        SENT = "sent"
        RECEIVED = "received"
        THINKING = "thinking"
        ACTING = "acting"
        DONE = "done"
        FAILED = "failed"

    public_id = models.CharField(
        max_length=128, default=opaque_id, editable=False, help_text="A posted one has the id that was posted."
    )
    project = models.ForeignKey(Project, models.PROTECT, related_name="commands")
    session = models.ForeignKey(
        Session, models.PROTECT, null=True, blank=True, related_name="commands", help_text="Null: it was posted."
    )
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, blank=True, related_name="commands")
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, blank=True, related_name="commands")
    name = models.CharField(max_length=64, default="", blank=True, help_text="The id that the worker's page gave it.")
    seq = models.PositiveIntegerField(null=True, blank=True, help_text="Its event in the log.")
    text = models.CharField(max_length=500)
    plain_text = models.CharField(
        max_length=500,
        default="",
        blank=True,
        editable=False,
        help_text="Without case, marks and markup: what is equal here is said again.",
    )
    fault = models.CharField(max_length=32, default="", blank=True, help_text="Why it is no valid command.")
    digest = models.CharField(max_length=64, default="", blank=True, editable=False, help_text="Of what was posted.")
    prompt = models.CharField(max_length=500, default="", blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.SENT)
    why_failed = models.CharField(max_length=200, default="", blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True, help_text="When the worker asked it to stop.")
    form = models.JSONField(null=True, blank=True, help_text="The agent's parse.")
    form_version = models.CharField(max_length=100, default="", blank=True)
    objects_found = models.JSONField(default=list, help_text="What the agent took phrases for.")
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField(null=True, blank=True)
    thinking_at = models.DateTimeField(null=True, blank=True)
    acting_at = models.DateTimeField(null=True, blank=True)
    over_at = models.DateTimeField(null=True, blank=True, help_text="When it was done or had failed.")
    path = models.JSONField(default=list, help_text="The worker's way through the decision tree.")
    outcome = models.CharField(max_length=63, default="", blank=True)
    feedback = models.TextField(default="", blank=True)
    judged_at = models.DateTimeField(null=True, blank=True)
    scores = models.JSONField(
        null=True, blank=True, help_text="What the stoplight made of it, by which version of the corpus."
    )
    truth = models.JSONField(null=True, blank=True, help_text="The true form, once it is known.")
    is_misread = models.BooleanField(
        null=True, blank=True, help_text="Whether the agent's parse is another; null: the true form is not known."
    )

    class Meta:
        indexes = [
            models.Index(fields=["sent_at"], name="command_by_time"),
            models.Index(fields=["project", "sent_at"], name="command_of_project"),
            models.Index(fields=["project", "plain_text"], name="command_said_again"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["session", "name"], name="command_once_per_session"),
            models.UniqueConstraint(
                fields=["session"], condition=Q(outcome=""), name="command_one_unjudged_per_session"
            ),
            models.UniqueConstraint(fields=["project", "public_id"], name="command_once_per_project"),
            models.CheckConstraint(
                condition=Q(session=None, seq=None) | Q(session__isnull=False, seq__isnull=False, agent__isnull=False),
                name="command_of_a_session_has_a_place",
            ),
            models.CheckConstraint(
                condition=Q(truth__isnull=True, is_misread=None) | Q(truth__isnull=False, is_misread__isnull=False),
                name="command_misread_by_its_truth",
            ),
            models.CheckConstraint(
                condition=Q(outcome="", judged_at=None) | (~Q(outcome="") & Q(judged_at__isnull=False)),
                name="command_judged_has_a_time",
            ),
            models.CheckConstraint(
                condition=(Q(status__in=["done", "failed"]) & Q(over_at__isnull=False))
                | (~Q(status__in=["done", "failed"]) & Q(over_at=None)),
                name="command_over_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def is_over(self) -> bool:
        return self.over_at is not None

    @property
    def given_in(self) -> Session:
        """The session of one that was not posted."""
        if self.session is None:
            raise LookupError(f"the command {self.public_id} was posted and has no session")
        return self.session

    @property
    def place(self) -> int:
        """The number of its event in the log of its session."""
        if self.seq is None:
            raise LookupError(f"the command {self.public_id} was posted and is in no log")
        return self.seq


class Posting(models.Model):
    """A command whose film is posted as an episode, or is to be: once for each command."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        POSTED = "posted"
        FAILED = "failed"

    command = models.OneToOneField(Command, models.PROTECT, related_name="posting")
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
