"""Tranches, trainings, models and campaigns in the admin, to be read only: each follows from answers."""

from django.contrib import admin

from common.admin import ReadOnlyAdmin
from learning.models import Campaign, Item, Iteration, Replay, TrainedModel, Training, Tranche


@admin.register(Tranche)
class TrancheAdmin(ReadOnlyAdmin):
    list_display = ("module", "number", "project", "status", "train", "valid", "test", "closed_at")
    list_filter = ("module", "status")
    list_select_related = ("project",)
    search_fields = ("project__slug", "sha256")
    ordering = ("module", "number")


@admin.register(Item)
class ItemAdmin(ReadOnlyAdmin):
    list_display = ("item", "tranche", "split", "origin")
    list_filter = ("split", "origin")
    list_select_related = ("tranche",)
    search_fields = ("item",)
    ordering = ("-pk",)


@admin.register(Training)
class TrainingAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "module", "kind", "trainer", "seeds", "status", "created_at")
    list_filter = ("module", "kind", "status")
    search_fields = ("public_id",)
    ordering = ("-pk",)


@admin.register(TrainedModel)
class TrainedModelAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "module", "kind", "seed", "status", "created_at", "marked_at")
    list_filter = ("module", "kind", "status")
    search_fields = ("public_id", "sha256")
    ordering = ("-pk",)


@admin.register(Campaign)
class CampaignAdmin(ReadOnlyAdmin):
    list_display = ("slug", "project", "status", "created_at", "started_at", "ended_at")
    list_filter = ("status",)
    list_select_related = ("project",)
    search_fields = ("slug", "project__slug")
    ordering = ("-pk",)


@admin.register(Iteration)
class IterationAdmin(ReadOnlyAdmin):
    list_display = ("campaign", "number", "module", "step", "outcome", "spent", "started_at")
    list_filter = ("module", "step", "outcome")
    list_select_related = ("campaign",)
    search_fields = ("campaign__slug",)
    ordering = ("-pk",)


@admin.register(Replay)
class ReplayAdmin(ReadOnlyAdmin):
    list_display = ("campaign", "module", "policy", "share", "seed", "status", "created_at")
    list_filter = ("module", "policy", "status")
    list_select_related = ("campaign",)
    search_fields = ("campaign__slug",)
    ordering = ("-pk",)
