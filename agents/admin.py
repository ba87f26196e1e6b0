"""Agents, their metrics, API keys and kept answers, in the admin."""

from django.contrib import admin

from agents.models import Agent, ApiKey, Metric, Reply
from common.admin import CarefulAdmin, ReadOnlyAdmin


@admin.register(Agent)
class AgentAdmin(CarefulAdmin):
    list_display = ("slug", "name", "created_at")
    search_fields = ("slug", "name")
    readonly_fields = ("created_at",)


@admin.register(Metric)
class MetricAdmin(CarefulAdmin):
    list_display = ("agent", "metric", "value", "n", "suite", "version", "created_at")
    list_select_related = ("agent",)
    list_filter = ("metric",)
    search_fields = ("agent__slug", "metric")
    autocomplete_fields = ("agent",)
    readonly_fields = ("created_at",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Keys are made, rotated and revoked on the staff page of keys, and stay: the audit log names them as actors."""

    list_display = ("name", "prefix", "owner", "scopes", "created_at", "expires_at", "used_at", "revoked_at")
    list_select_related = ("owner",)
    list_filter = ("revoked_at",)
    search_fields = ("name", "prefix")


@admin.register(Reply)
class ReplyAdmin(ReadOnlyAdmin):
    list_display = ("key", "status", "content_type", "created_at")
    list_filter = ("status",)
    search_fields = ("key",)
    ordering = ("-pk",)
