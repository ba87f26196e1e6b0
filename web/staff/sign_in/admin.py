"""The admin of second factors and connections: a superuser may remove them, but not see a key or create one."""

from typing import cast

import allauth.account.admin
import allauth.mfa.admin
import allauth.socialaccount.admin  # noqa: F401  # each registers its models, so that we can take them back
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest

from common.admin import ReadOnlyAdmin
from web.staff.sign_in.records import note

# Addresses and services come from the settings and the accounts. A row that could be edited here could open accounts.
for model in (EmailAddress, SocialApp, SocialToken, SocialAccount, Authenticator):
    admin.site.unregister(model)


class RemovableAdmin(ReadOnlyAdmin):
    """Rows that can be seen and removed one by one, with an entry in the audit log, by accounts with the permission."""

    search_fields = ("user__username", "user__email")
    list_select_related = ("user",)
    verb = ""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: object) -> None:
        for row in cast("list[Model]", queryset):
            self.delete_model(request, row)

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        owner = cast("User", obj.user)  # type: ignore[attr-defined]
        with transaction.atomic():
            note(self.verb, owner, by=cast("User", request.user))
            super().delete_model(request, obj)


@admin.register(Authenticator)
class SecondFactorAdmin(RemovableAdmin):
    """For accounts whose owner lost the phone.

    Removes the app and the recovery codes, so that the password is enough.
    """

    list_display = ("user", "type", "created_at", "last_used_at")
    fields = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    verb = "account.second_factor_removed"


@admin.register(SocialAccount)
class ServiceConnectionAdmin(RemovableAdmin):
    """For accounts whose id at the sign-in service changed: without the connection, the next sign-in connects anew."""

    list_display = ("user", "uid", "date_joined", "last_login")
    fields = ("user", "uid", "date_joined", "last_login")
    verb = "account.service_removed"
