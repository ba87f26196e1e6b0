"""Live sessions: processes of agents, sessions, and the append-only log of their events."""

from datetime import datetime
from decimal import Decimal
from typing import Self

from django.db import models
from django.db.models import Q

from agents.models import Agent
from annotation.models import Assignment, KeptScene, Project
from common.data.values import opaque_id
from routing.models import TreeVersion


class AgentProcess(models.Model):
    """One running process of an agent on the gateway; its memory of a session ends with it."""

    agent = models.ForeignKey(Agent, models.PROTECT, related_name="processes")
    resume = models.CharField(max_length=64, help_text="Chosen by the process when it began.")
    capacity = models.PositiveIntegerField(help_text="Sessions that it takes at a time.")
    projects = models.JSONField(
        default=list, blank=True, help_text="The projects that its key is limited to, by slug; empty: all."
    )
    epoch = models.PositiveIntegerField(default=0, help_text="Counts its connections: only the last one may write.")
    is_connected = models.BooleanField(default=False)
    seen_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["agent"], condition=Q(is_connected=True), name="agentprocess_connected")]
        verbose_name_plural = "agent processes"
        constraints = [
            models.UniqueConstraint(fields=["agent", "resume"], name="agentprocess_once"),
            models.CheckConstraint(condition=Q(capacity__gte=1), name="agentprocess_takes_at_least_one"),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id}: {self.resume[:8]}"

    def reaches(self, session: "Session") -> bool:
        """True if the process may take the session, which comes with its project."""
        return not self.projects or session.project.slug in self.projects


class SessionQuerySet(models.QuerySet["Session"]):
    def unended(self) -> Self:
        return self.filter(ended_at=None)


class Session(models.Model):
    """One live interaction HIT: an assignment of the tool `interaction`.

    The last message of each side is counted in this row, so that a message is appended with one UPDATE, which also
    checks that it is the next one, and one INSERT.
    """

    class Reason(models.TextChoices):
        FINISHED = "finished"
        LEFT = "left"
        EXPIRED = "expired"
        AGENT_LOST = "agent_lost"
        STAFF = "staff"

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="sessions")
    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="session")
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="sessions")
    tree = models.ForeignKey(TreeVersion, models.PROTECT, related_name="+", help_text="What is asked after a command.")
    scene = models.ForeignKey(KeptScene, models.PROTECT, related_name="+", help_text="The world as it was at first.")
    minimum_s = models.PositiveIntegerField()
    capabilities = models.JSONField(default=list)
    prompts = models.JSONField(default=list, blank=True)
    is_evaluation = models.BooleanField(default=False, help_text="Its outcomes count as the agent's metric.")
    arm = models.CharField(max_length=63, default="", blank=True, help_text="Of the project's experiment, if any.")
    base_pay = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, help_text="What it earns when it is handed in."
    )
    stoplight = models.JSONField(
        null=True, blank=True, help_text="How its commands are scored, every default spelled out; null: not at all."
    )
    score = models.FloatField(default=0, help_text="After its last command, 0 to 10.")
    bonus_expected = models.DecimalField(
        max_digits=12, decimal_places=4, default=Decimal(0), help_text="By its score, until it is fixed."
    )
    bonus = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, help_text="Fixed when the session was accepted."
    )
    reason = models.CharField(max_length=16, choices=Reason.choices, default="", blank=True, help_text="Why it ended.")
    last_seq = models.PositiveIntegerField(default=0)
    log_bytes = models.PositiveBigIntegerField(default=0, help_text="Of all its events; a session has a quota.")
    blocks_changed = models.PositiveIntegerField(default=0, help_text="By both sides; a session has a quota.")
    worker_cseq = models.PositiveIntegerField(default=0)
    worker_epoch = models.PositiveIntegerField(default=0)
    worker_resume = models.CharField(max_length=64, default="", blank=True)
    worker_wrote = models.CharField(
        max_length=64, default="", blank=True, help_text="The page that sent the last message of the worker's."
    )
    worker_here = models.BooleanField(default=False)
    worker_seen_at = models.DateTimeField(null=True, blank=True)
    process = models.ForeignKey(AgentProcess, models.SET_NULL, null=True, blank=True, related_name="sessions")
    agent_cseq = models.PositiveIntegerField(default=0)
    agent_seen_at = models.DateTimeField(null=True, blank=True)
    asked = models.JSONField(null=True, blank=True, help_text="The agent's question that waits for a choice.")
    prompt = models.CharField(max_length=500, default="", blank=True, help_text="What to improvise on now.")
    may_finish = models.BooleanField(default=False)
    reflection = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    moved_at = models.DateTimeField(help_text="When its log last grew, or its agent changed.")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When the server must look at it by itself.")
    owed_s = models.FloatField(null=True, blank=True, help_text="Time to be paid where it was not finished.")

    objects = SessionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["moved_at"], name="session_moved"),
            models.Index(fields=["due_at"], condition=Q(ended_at=None), name="session_due"),
            models.Index(fields=["agent", "created_at"], name="session_of_agent"),
            models.Index(fields=["project", "created_at"], name="session_of_project"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at=None, reason="") | (Q(ended_at__isnull=False) & ~Q(reason="")),
                name="session_ended_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(reason="finished") | Q(started_at__isnull=False, reflection__isnull=False),
                name="session_finished_was_started",
            ),
            models.CheckConstraint(condition=Q(score__gte=0, score__lte=10), name="session_score_of_ten"),
            models.CheckConstraint(condition=Q(bonus=None) | Q(bonus__gte=0), name="session_bonus_not_negative"),
        ]

    def __str__(self) -> str:
        return self.public_id

    def elapsed_s(self, at: datetime) -> float:
        """Seconds on the clock at that time; the clock stops at the end of the session."""
        if self.started_at is None:
            return 0.0
        return round((min(at, self.ended_at or at) - self.started_at).total_seconds(), 1)


class Event(models.Model):
    """One event of a session's log, which is append-only; all else in a session can be derived from it."""

    class Role(models.TextChoices):
        WORKER = "worker"
        AGENT = "agent"
        SERVER = "server"

    session = models.ForeignKey(Session, models.PROTECT, related_name="events", db_index=False)
    seq = models.PositiveIntegerField(help_text="1, 2, 3… within the session.")
    role = models.CharField(max_length=8, choices=Role.choices)
    cseq = models.PositiveIntegerField(null=True, blank=True, help_text="1, 2, 3… of this side; null: the server's.")
    type = models.CharField(max_length=16)
    body = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="event_seq_once"),
            models.UniqueConstraint(
                fields=["session", "role", "cseq"], condition=Q(cseq__isnull=False), name="event_once_per_message"
            ),
            models.CheckConstraint(
                condition=Q(role="server", cseq=None) | (~Q(role="server") & Q(cseq__isnull=False)),
                name="event_of_a_side_is_counted",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id}/{self.seq} {self.type}"
