"""The audit log, whose events are only added; and counts of what browsers blocked by the content security policy."""

from typing import Any, NoReturn

from django.db import models
from django.db.models import Q


class AppendOnly(Exception):
    """A program tried to change or delete audit events."""


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise AppendOnly("audit events are written once")

    def delete(self) -> NoReturn:
        raise AppendOnly("audit events are never deleted")


class AuditEvent(models.Model):
    """One act of a person, a key or an automatic rule.

    The object of the act is named by kind and id, not by a foreign key: this app lies below the apps whose acts it
    records, and an event outlives the row that it names. Triggers of the database refuse changes too, except for two:
    the place in the hash chain, once, and the redaction that the erasure of a person needs.
    """

    at = models.DateTimeField()
    actor = models.CharField(max_length=200, help_text="`staff:NAME`, `key:NAME`, `worker:ID`, `rule:NAME`, `system`.")
    verb = models.CharField(max_length=64, help_text="The kind of object and the act: `worker.blocked`.")
    subject_kind = models.CharField(max_length=32, help_text="Kind of the object: worker, task, project, reference…")
    subject = models.CharField(max_length=128, help_text="The id of the object.")
    project = models.CharField(max_length=63, default="", blank=True, help_text="The slug of the project, if any.")
    reason = models.TextField(default="", blank=True)
    detail = models.JSONField(default=dict, blank=True)
    redacted_at = models.DateTimeField(null=True, blank=True)
    # The place in the hash chain, written just after the act has committed; see `audit/chain.py`.
    number = models.BigIntegerField(null=True, unique=True, help_text="From 1, without gaps; empty: not sealed yet.")
    salt = models.CharField(max_length=32, default="", blank=True)
    texts_digest = models.CharField(max_length=64, default="", blank=True)
    digest = models.CharField(max_length=64, default="", blank=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        # Each of the first six ends in time and id: a page of the log, filtered or not, walks one of them and stops.
        indexes = [
            models.Index(fields=["at", "id"], name="audit_by_time"),
            models.Index(fields=["subject_kind", "at", "id"], name="audit_of_kind"),
            models.Index(fields=["subject_kind", "subject", "at", "id"], name="audit_of_subject"),
            models.Index(fields=["project", "at", "id"], name="audit_of_project"),
            models.Index(fields=["verb", "at", "id"], name="audit_of_verb"),
            models.Index(fields=["actor", "at", "id"], name="audit_of_actor"),
            models.Index(fields=["id"], name="audit_unsealed", condition=Q(number=None)),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject_kind} {self.subject}"


class ChainCheck(models.Model):
    """The result of one verification of the hash chain, for the staff pages."""

    at = models.DateTimeField()
    number = models.BigIntegerField(help_text="Of the last event in the chain; 0: the chain is empty.")
    digest = models.CharField(max_length=64, blank=True)
    anchored = models.BigIntegerField(help_text="Of the last event that the anchor file names.")
    unsealed = models.BigIntegerField(help_text="Events that had no place in the chain yet.")
    fault_count = models.BigIntegerField()
    faults = models.JSONField(help_text="The sentences of the first faults.")

    class Meta:
        indexes = [models.Index(fields=["at"], name="chain_check_by_time")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.number}"


class BlockedContent(models.Model):
    """A kind of content that browsers blocked by the content security policy, and how often.

    Nothing in a row tells of a person: the page is a route as the code writes it, never an address.
    """

    page = models.CharField(max_length=200, help_text="The route of the page.")
    directive = models.CharField(max_length=40, help_text="The directive of the policy that forbade it.")
    blocked = models.CharField(max_length=200, help_text="A word such as `inline`, a scheme, or an origin.")
    count = models.BigIntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["page", "directive", "blocked"], name="blocked_content_once_per_kind"),
            models.CheckConstraint(condition=Q(count__gte=1), name="blocked_content_is_counted"),
        ]
        indexes = [models.Index(fields=["last_at", "id"], name="blocked_content_by_time")]

    def __str__(self) -> str:
        return f"{self.page} {self.directive} {self.blocked}"
