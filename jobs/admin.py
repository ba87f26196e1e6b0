"""Jobs, heartbeats and the identity of the installation in the admin, read only."""

from django.contrib import admin

from common.admin import ReadOnlyAdmin
from jobs.models import Heartbeat, Installation, Job


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("pk", "kind", "subject", "state", "progress", "attempts", "due_at", "finished_at")
    list_filter = ("state", "kind")
    search_fields = ("subject", "error")
    ordering = ("-pk",)


@admin.register(Installation)
class InstallationAdmin(ReadOnlyAdmin):
    list_display = ("identity", "stored_at")
    search_fields = ("identity",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("name", "at", "detail")
    search_fields = ("name", "detail")
    ordering = ("name",)
