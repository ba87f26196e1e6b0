"""What the admin can do about how somebody signs in: take it away. Never see a key, never make one."""

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
from config.sign_in.record import note

# Addresses and services come from the settings and the accounts; a row that could change them would be a way in.
for model in (EmailAddress, SocialApp, SocialToken, SocialAccount, Authenticator):
    admin.site.unregister(model)


class RemovableAdmin(ReadOnlyAdmin):
    """Seen and taken away, one by one and on record; whoever may depends on their permissions."""

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
    """For somebody who lost the phone: app and recovery codes away, and the password is enough again."""

    list_display = ("user", "type", "created_at", "last_used_at")
    fields = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    verb = "account.second_factor_removed"


@admin.register(SocialAccount)
class ServiceConnectionAdmin(RemovableAdmin):
    """For somebody whose id at the sign-in service changed: without it, the next sign-in ties the account anew."""

    list_display = ("user", "uid", "date_joined", "last_login")
    fields = ("user", "uid", "date_joined", "last_login")
    verb = "account.service_removed"
