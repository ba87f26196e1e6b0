"""The audit log, the verifications of its chain, and blocked content in the admin, read only."""

from django.contrib import admin

from audit.models import AuditEvent, BlockedContent, ChainCheck
from common.admin import ReadOnlyAdmin


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("number", "at", "actor", "verb", "subject_kind", "subject", "project", "reason")
    list_filter = ("verb", "subject_kind")
    search_fields = ("actor", "subject", "project", "reason")
    ordering = ("-pk",)


@admin.register(ChainCheck)
class ChainCheckAdmin(ReadOnlyAdmin):
    list_display = ("at", "number", "anchored", "unsealed", "fault_count")
    search_fields = ("digest",)
    ordering = ("-at",)


@admin.register(BlockedContent)
class BlockedContentAdmin(ReadOnlyAdmin):
    list_display = ("page", "directive", "blocked", "count", "first_at", "last_at")
    list_filter = ("directive",)
    search_fields = ("page", "blocked")
    ordering = ("-last_at",)
