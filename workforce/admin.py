"""Workers, what they agreed to and what they are owed, in the admin."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from common.admin import CarefulAdmin, ReadOnlyAdmin
from workforce import standing
from workforce.models import Consent, InformationPage, LedgerEntry, StandingEvent, Worker


@admin.register(Worker)
class WorkerAdmin(CarefulAdmin):
    """A block needs a reason, so it is made on the worker's staff page; unblocking is an action here too."""

    list_display = ("identity", "status", "is_simulated", "created_at")
    list_filter = ("status", "is_simulated", "platform")
    search_fields = ("external_id", "pseudonym")
    readonly_fields = ("platform", "external_id", "pseudonym", "status", "blocked_reason", "created_at")
    actions = ("unblock",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # A worker comes in by a link.

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    @admin.action(description="Unblock", permissions=["change"])
    def unblock(self, request: HttpRequest, workers: QuerySet[Worker]) -> None:
        for worker in workers:
            standing.unblock(worker=worker, by=request.user.get_username(), at=timezone.now())
        self.message_user(request, "They may work again.", messages.SUCCESS)


@admin.register(StandingEvent)
class StandingEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "worker", "kind", "by", "reason")
    list_filter = ("kind",)
    list_select_related = ("worker",)
    search_fields = ("worker__external_id", "by", "reason")
    ordering = ("-pk",)


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
    list_display = ("at", "worker", "kind", "amount", "currency", "reason")
    list_filter = ("kind", "currency")
    list_select_related = ("worker",)
    search_fields = ("worker__external_id", "reason")
    ordering = ("-pk",)
