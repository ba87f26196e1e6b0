"""The audit log in the admin, read only."""

from django.contrib import admin

from audit.models import AuditEvent
from common.admin import ReadOnlyAdmin


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "verb", "subject_kind", "subject", "project", "reason")
    list_filter = ("verb", "subject_kind")
    search_fields = ("actor", "subject", "project", "reason")
    ordering = ("-pk",)
