"""Agents under test, their metrics that were measured elsewhere, API keys, and kept answers of the API."""

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Agent(models.Model):
    """A program under test; or people, or guessing, to which programs are compared.

    `metadata` holds its checkpoint, seed and settings.
    """

    class Kind(models.TextChoices):
        AGENT = "agent", "a program"
        HUMAN = "human", "people"
        EXPERT = "expert", "people who know the task well"
        GUESS = "guess", "guessing"

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(default="", blank=True)
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.AGENT)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["agent", "human", "expert", "guess"]), name="agent_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_ranked(self) -> bool:
        """False for people and guessing: they are drawn as lines beside the programs."""
        return self.kind == Agent.Kind.AGENT


class Metric(models.Model):
    """A number of an agent that was measured elsewhere; `suite` and `version` are free texts of the client."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="metrics")
    metric = models.CharField(max_length=100)
    value = models.FloatField()
    n = models.PositiveIntegerField(null=True, blank=True)
    standard_error = models.FloatField(null=True, blank=True)
    suite = models.CharField(max_length=63, default="", blank=True)
    version = models.CharField(max_length=63, default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["agent", "metric"], name="metric_of_agent")]
        constraints = [
            models.CheckConstraint(
                condition=Q(standard_error=None) | Q(standard_error__gte=0),
                name="metric_standard_error_not_negative",
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.value}"


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    def usable(self, *, at: datetime) -> Self:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=at), revoked_at=None)


class ApiKey(models.Model):
    """The credential of a program. Only the digest of the key is stored.

    The limits name things by slug, since their apps lie above this one. Where both `projects` and `suites` are empty,
    the key reaches everything; otherwise it reaches these and nothing else. Where `agents` is empty, the key may act as
    any agent.
    """

    class Scope(models.TextChoices):
        READ = "read", "read everything but identities"
        WRITE = "write", "post agents, suites, episodes, projects and tasks"
        WORKERS = "workers", "make links, block and unblock"
        IDENTITY = "identity", "see workers' platform ids in exports"
        AGENTS = "agents", "run an agent on the gateway"

    name = models.CharField(max_length=200)
    prefix = models.CharField(
        max_length=12, blank=True, help_text="The first characters of a random key, by which staff recognise it."
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="api_keys",
        help_text="The staff account that answers for the program.",
    )
    projects = models.JSONField(default=list, blank=True)
    suites = models.JSONField(default=list, blank=True)
    agents = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="Up to a minute late.")
    used_from = models.CharField(max_length=64, default="", blank=True, help_text="The address of that use.")
    revoked_at = models.DateTimeField(null=True, blank=True)
    rotated_into = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="rotated_from", help_text="The key that follows."
    )

    objects = ApiKeyQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["-created_at", "-id"], name="api_key_newest_first")]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gte=F("created_at")),
                name="api_key_expires_after_it_is_made",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)" if self.prefix else self.name

    def allows(self, scope: str) -> bool:
        return scope in self.scopes

    @property
    def is_limited(self) -> bool:
        return bool(self.projects or self.suites)

    def reaches_project(self, slug: str | None) -> bool:
        return not self.is_limited or slug in self.projects

    def reaches_suite(self, slug: str | None) -> bool:
        return not self.is_limited or slug in self.suites

    def acts_as(self, agent: str | None) -> bool:
        return not self.agents or agent in self.agents

    def state(self, *, at: datetime) -> str:
        """`usable`, `ending` (rotated, and still usable), `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= at:
            return "expired"
        return "ending" if self.rotated_into_id else "usable"


class Reply(models.Model):
    """The first answer to a POST with an Idempotency-Key; a repeat within a day or more gets the same answer."""

    credential = models.CharField(max_length=64, help_text="Digest of the Authorization header.")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="Digest of method, path and body.")
    status = models.PositiveSmallIntegerField(null=True, help_text="Null while the first request is being answered.")
    content_type = models.CharField(max_length=100, default="")
    body = models.TextField(default="")
    is_secret = models.BooleanField(default=False, help_text="The answer had a secret, so its body is not kept.")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "replies"
        constraints = [
            models.UniqueConstraint(fields=["credential", "key"], name="reply_once_per_credential"),
            models.CheckConstraint(condition=Q(is_secret=False) | Q(body=""), name="reply_keeps_no_secret"),
        ]

    def __str__(self) -> str:
        return self.key
