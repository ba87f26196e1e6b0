"""Staff accounts and groups in the admin, with Unfold's forms."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as PlainGroupAdmin
from django.contrib.auth.admin import UserAdmin as PlainUserAdmin
from django.contrib.auth.models import Group, User
from unfold.admin import ModelAdmin  # type: ignore[import-untyped]
from unfold.forms import (  # type: ignore[import-untyped]
    AdminPasswordChangeForm,
    UserChangeForm,
    UserCreationForm,
)

from web.staff.sign_in import admin as sign_in_admin  # noqa: F401

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(PlainUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(PlainGroupAdmin, ModelAdmin):  # type: ignore[misc]
    pass
