"""Workers, what they agreed to and what they are owed, in the admin."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from audit.log import staff_actor
from common.admin import CarefulAdmin, ReadOnlyAdmin
from workforce import blocking
from workforce.models import (
    Attempt,
    Consent,
    Grant,
    InformationPage,
    LedgerEntry,
    PrivacyReport,
    Qualification,
    Worker,
)


@admin.register(Worker)
class WorkerAdmin(CarefulAdmin):
    """A block needs a reason, so it is made on the worker's staff page; unblocking is an action here too."""

    list_display = ("identity", "status", "is_simulated", "created_at")
    list_filter = ("status", "is_simulated", "platform")
    search_fields = ("external_id", "pseudonym")
    readonly_fields = (
        "platform",
        "external_id",
        "pseudonym",
        "status",
        "blocked_reason",
        "weighting",
        "erased_at",
        "created_at",
    )
    actions = ("unblock",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # A worker comes in by a link.

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    @admin.action(description="Unblock", permissions=["change"])
    def unblock(self, request: HttpRequest, workers: QuerySet[Worker]) -> None:
        for worker in workers:
            blocking.unblock(worker=worker, by=staff_actor(request.user), at=timezone.now())
        self.message_user(request, "They may work again.", messages.SUCCESS)


@admin.register(InformationPage)
class InformationPageAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "created_at")
    search_fields = ("text",)
    ordering = ("-pk",)


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ("worker", "page", "given_at", "withdrawn_at")
    list_select_related = ("worker", "page")
    search_fields = ("worker__external_id",)
    ordering = ("-pk",)


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "worker", "kind", "amount", "currency", "state", "account", "reason")
    list_filter = ("state", "kind", "currency")
    list_select_related = ("worker",)
    search_fields = ("worker__external_id", "account", "reason")
    ordering = ("-pk",)


@admin.register(Qualification)
class QualificationAdmin(ReadOnlyAdmin):
    list_display = ("slug", "title", "pass_mark", "attempts", "cool_off_s", "valid_s", "created_at")
    search_fields = ("slug", "title")
    ordering = ("-pk",)


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("started_at", "qualification", "worker", "score", "passed", "finished_at")
    list_filter = ("passed",)
    list_select_related = ("qualification", "worker")
    search_fields = ("worker__external_id", "qualification__slug")
    ordering = ("-pk",)


@admin.register(Grant)
class GrantAdmin(ReadOnlyAdmin):
    list_display = ("granted_at", "qualification", "worker", "expires_at", "revoked_at")
    list_select_related = ("qualification", "worker")
    search_fields = ("worker__external_id", "qualification__slug")
    ordering = ("-pk",)


@admin.register(PrivacyReport)
class PrivacyReportAdmin(ReadOnlyAdmin):
    list_display = ("requested_at", "kind", "requested_by", "finished_at", "removed")
    list_filter = ("kind",)
    search_fields = ("requested_by",)
    ordering = ("-pk",)
