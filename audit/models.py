"""The audit log: each act with its actor, object, time and reason. Events are only added."""

from typing import Any, NoReturn

from django.db import models


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
    records, and an event outlives the row that it names. A trigger of the database refuses changes too, except for the
    redaction that the erasure of a person needs.
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

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        # Each ends in time and id: a page of the log, filtered or not, walks one of them and stops.
        indexes = [
            models.Index(fields=["at", "id"], name="audit_by_time"),
            models.Index(fields=["subject_kind", "at", "id"], name="audit_of_kind"),
            models.Index(fields=["subject_kind", "subject", "at", "id"], name="audit_of_subject"),
            models.Index(fields=["project", "at", "id"], name="audit_of_project"),
            models.Index(fields=["verb", "at", "id"], name="audit_of_verb"),
            models.Index(fields=["actor", "at", "id"], name="audit_of_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject_kind} {self.subject}"
