"""Staff accounts and groups in the admin, with Unfold's forms."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as PlainGroupAdmin
from django.contrib.auth.admin import UserAdmin as PlainUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.forms import ModelForm
from django.forms.models import model_to_dict
from django.http import HttpRequest
from unfold.admin import ModelAdmin  # type: ignore[import-untyped]
from unfold.forms import (  # type: ignore[import-untyped]
    AdminPasswordChangeForm,
    UserChangeForm,
    UserCreationForm,
)

from common.admin import ToldDeletions, tell_of_changes
from web.staff.sign_in import admin as sign_in_admin  # noqa: F401

RIGHTS = ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")
"""The fields that grant rights to an account. Names and addresses of people are not in the audit log."""

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(ToldDeletions, PlainUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]
    told_kind = "account"
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm

    def told_values(self, obj: Model) -> dict[str, Any]:
        return model_to_dict(obj, fields=["is_active", "is_staff", "is_superuser"])

    def save_model(self, request: HttpRequest, obj: Model, form: "ModelForm[User]", change: bool) -> None:
        super().save_model(request, obj, form, change)
        tell_of_changes(request, obj, form, change=change, names=RIGHTS, kind="account")


@admin.register(Group)
class GroupAdmin(PlainGroupAdmin, ModelAdmin):  # type: ignore[misc]
    pass
