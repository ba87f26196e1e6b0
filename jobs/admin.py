"""Jobs in the admin, read only."""

from django.contrib import admin

from common.admin import ReadOnlyAdmin
from jobs.models import Job


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("pk", "kind", "subject", "state", "progress", "attempts", "due_at", "finished_at")
    list_filter = ("state", "kind")
    search_fields = ("subject", "error")
    ordering = ("-pk",)
