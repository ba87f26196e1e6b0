"""Live sessions in the admin, to be read only: they are a log. Staff end a session on its own page."""

from django.contrib import admin

from common.admin import ReadOnlyAdmin
from interaction.models import AgentProcess, Event, LiveCommand, Posting, Session


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "project", "agent", "reason", "last_seq", "created_at", "started_at", "ended_at")
    list_filter = ("reason", "is_evaluation", "agent")
    list_select_related = ("project", "agent")
    search_fields = ("public_id", "assignment__public_id")
    ordering = ("-pk",)


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("session", "seq", "role", "cseq", "type", "at")
    list_filter = ("role", "type")
    list_select_related = ("session",)
    search_fields = ("session__public_id", "type")
    ordering = ("-pk",)


@admin.register(LiveCommand)
class LiveCommandAdmin(ReadOnlyAdmin):
    list_display = ("command", "session", "status", "received_at", "over_at", "judged_at")
    list_filter = ("status",)
    list_select_related = ("command", "session")
    search_fields = ("command__text", "command__public_id", "session__public_id")
    ordering = ("-pk",)


@admin.register(AgentProcess)
class AgentProcessAdmin(ReadOnlyAdmin):
    list_display = ("agent", "resume", "capacity", "is_connected", "epoch", "seen_at", "created_at")
    list_filter = ("is_connected", "agent")
    list_select_related = ("agent",)
    search_fields = ("resume", "agent__slug")
    ordering = ("-pk",)


@admin.register(Posting)
class PostingAdmin(ReadOnlyAdmin):
    list_display = ("episode", "suite", "scenario", "continuation", "status", "problem", "asked_by", "asked_at")
    list_filter = ("status", "suite")
    search_fields = ("episode", "scenario")
    ordering = ("-pk",)
