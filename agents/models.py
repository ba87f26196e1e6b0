"""Agents under test, their metrics that were measured elsewhere, API keys, and kept answers of the API."""

from typing import Self

from django.db import models
from django.db.models import Q


class Agent(models.Model):
    """A program under test, never a person. `metadata` holds its checkpoint, seed and settings."""

    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(default="", blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


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
    def usable(self) -> Self:
        return self.filter(revoked_at=None)


class ApiKey(models.Model):
    """The credential of a program. Only the digest of the key is stored."""

    class Scope(models.TextChoices):
        READ = "read", "read everything but identities"
        WRITE = "write", "post agents, suites, episodes, projects and tasks"
        WORKERS = "workers", "make links, block and unblock"
        IDENTITY = "identity", "see workers' platform ids in exports"
        AGENTS = "agents", "run an agent on the gateway"

    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=12, help_text="The first characters, by which staff recognise a key.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiKeyQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def allows(self, scope: str) -> bool:
        return scope in self.scopes


class Reply(models.Model):
    """The first answer to a POST with an Idempotency-Key; a repeat within a day gets the same answer."""

    credential = models.CharField(max_length=64, help_text="Digest of the Authorization header.")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="Digest of method, path and body.")
    status = models.PositiveSmallIntegerField(null=True, help_text="Null while the first request is being answered.")
    content_type = models.CharField(max_length=100, default="")
    body = models.TextField(default="")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "replies"
        constraints = [models.UniqueConstraint(fields=["credential", "key"], name="reply_once_per_credential")]

    def __str__(self) -> str:
        return self.key
