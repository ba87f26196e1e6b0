"""Events, webhooks and deliveries in the admin, to read; the staff page of webhooks changes them."""

from django.contrib import admin

from common.admin import ReadOnlyAdmin
from events.models import Delivery, Event, Webhook


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("type", "subject", "scope", "at")
    list_filter = ("type",)
    search_fields = ("subject", "public_id")


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ("url", "events", "made_by", "status", "created_at")
    list_filter = ("status",)
    search_fields = ("url",)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("event", "webhook", "status", "attempts", "tried_at", "problem")
    list_select_related = ("event", "webhook")
    list_filter = ("status",)
    search_fields = ("subject",)
