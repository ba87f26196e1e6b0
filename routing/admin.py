"""Trees, routes and error reports in the admin, to be read only. Trees and routes are put through the API or their own
pages, which name each fault; staff work on reports on the pages of reports."""

from django.contrib import admin

from common.admin import ReadOnlyAdmin
from routing.models import ErrorReport, Route, Sending, Tree, TreeVersion


@admin.register(Tree)
class TreeAdmin(ReadOnlyAdmin):
    list_display = ("slug", "created_at")
    search_fields = ("slug",)


@admin.register(TreeVersion)
class TreeVersionAdmin(ReadOnlyAdmin):
    list_display = ("tree", "number", "by", "created_at")
    list_select_related = ("tree",)
    list_filter = ("tree",)
    search_fields = ("tree__slug", "by")
    ordering = ("-pk",)


@admin.register(ErrorReport)
class ErrorReportAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "outcome", "command", "project", "state", "at")
    list_select_related = ("command", "project")
    list_filter = ("state",)
    search_fields = ("public_id", "command__public_id", "command__text")
    ordering = ("-pk",)


@admin.register(Route)
class RouteAdmin(ReadOnlyAdmin):
    list_display = ("slug", "outcome", "project", "rate", "created_at")
    list_select_related = ("project",)
    search_fields = ("slug", "outcome")


@admin.register(Sending)
class SendingAdmin(ReadOnlyAdmin):
    list_display = ("command", "to", "route", "task", "why_not", "at")
    list_select_related = ("command", "to", "route", "task")
    list_filter = ("why_not",)
    search_fields = ("command__public_id", "task__key")
    ordering = ("-pk",)
