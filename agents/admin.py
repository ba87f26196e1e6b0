"""Agents, their metrics, API keys and kept answers, in the admin."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone

from agents.keys import create_key, key_digest
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


class ApiKeyForm(forms.ModelForm):  # type: ignore[type-arg]  # no generic at run time
    scopes = forms.MultipleChoiceField(choices=ApiKey.Scope.choices, widget=forms.CheckboxSelectMultiple)

    class Meta:
        model = ApiKey
        fields = ("name", "scopes")


@admin.register(ApiKey)
class ApiKeyAdmin(CarefulAdmin):
    """Adding a row creates a key and shows its text once; a revoked key stays revoked."""

    form = ApiKeyForm
    list_display = ("name", "prefix", "scopes", "created_at", "used_at", "revoked_at")
    list_filter = ("revoked_at",)
    search_fields = ("name", "prefix")
    readonly_fields = ("prefix", "created_at", "used_at", "revoked_at")
    actions = ("revoke",)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False  # Revoked keys stay: the audit log names them as actors.

    def save_model(self, request: HttpRequest, obj: Model, form: "ModelForm[Model]", change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        body: dict[str, Any] = form.cleaned_data
        key = create_key(name=body["name"], scopes=body["scopes"], at=timezone.now())
        # The admin uses this object for its log and its redirect, so it becomes the created row.
        obj.pk = ApiKey.objects.values_list("pk", flat=True).get(digest=key_digest(key))
        obj.refresh_from_db()
        self.message_user(request, f"The key is {key} . Copy it now: it is never shown again.", messages.WARNING)

    @admin.action(description="Revoke", permissions=["change"])
    def revoke(self, request: HttpRequest, keys: "QuerySet[ApiKey]") -> None:
        count = keys.filter(revoked_at=None).update(revoked_at=timezone.now())
        self.message_user(request, f"Revoked: {count}. Their programs get 401 from now on.", messages.SUCCESS)


@admin.register(Reply)
class ReplyAdmin(ReadOnlyAdmin):
    list_display = ("key", "status", "content_type", "created_at")
    list_filter = ("status",)
    search_fields = ("key",)
    ordering = ("-pk",)
