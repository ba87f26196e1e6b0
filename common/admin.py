"""Base classes for the admin of every app: one writes only changed columns, the other is read only."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.core.validators import RegexValidator
from django.db import transaction
from django.db.models import Field, Model, QuerySet
from django.dispatch import Signal
from django.forms import Field as FormField
from django.forms import ModelForm
from django.forms.models import model_to_dict
from django.http import HttpRequest
from django.utils import timezone

from lib.name_patterns import SLUG

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    Base = ModelAdmin[Model]
else:
    # Unfold brings no types; its class is Django's with other templates and widgets.
    from unfold.admin import ModelAdmin as Base

saved_in_admin = Signal()
"""Sent after a row was added or changed in the admin: `instance`, `kind`, `user`, and the values `before` and `after`
of the fields that the form changed."""
deleted_in_admin = Signal()
"""Sent before a row is deleted in the admin, in the same transaction: `instance`, `kind`, `user` and, as `before`, the
values that are told of it."""
_is_slug = RegexValidator(rf"^{SLUG}\Z", "Use a to z, 0 to 9, - and _ only, beginning with a letter or digit.")


class ToldDeletions(Base):
    """Sends `deleted_in_admin` for each row that is deleted. `told_kind` names the row, by default as its model."""

    told_kind = ""

    def told_values(self, obj: Model) -> dict[str, Any]:
        """The values of a deleted row that are told; by default none, since they may name a person."""
        return {}

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        with transaction.atomic():
            self._tell(request, obj)
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> None:
        with transaction.atomic():
            for obj in queryset:
                self._tell(request, obj)
            super().delete_queryset(request, queryset)

    def _tell(self, request: HttpRequest, obj: Model) -> None:
        kind = self.told_kind or obj._meta.model_name
        before = self.told_values(obj)
        deleted_in_admin.send(sender=type(obj), instance=obj, kind=kind, user=request.user, before=before)


class CarefulAdmin(ToldDeletions):
    """Rows that staff may change. Only changed columns are written, since the code counts other columns meanwhile."""

    list_per_page = 50
    show_full_result_count = False

    def told_values(self, obj: Model) -> dict[str, Any]:
        return model_to_dict(obj, fields=_columns(obj))

    def save_model(self, request: HttpRequest, obj: Model, form: "ModelForm[Model]", change: bool) -> None:
        if change:
            obj.save(update_fields=[name for name in form.changed_data if name in _columns(obj)])
        else:
            if "created_at" in _columns(obj):
                obj.created_at = timezone.now()  # type: ignore[attr-defined]
            obj.save()
        tell_of_changes(request, obj, form, change=change, names=form.changed_data)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> FormField | None:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name == "slug":
            # Addresses of pages and of the API accept no other slugs.
            field.validators.append(_is_slug)
        return field


def tell_of_changes(
    request: HttpRequest,
    obj: Model,
    form: "ModelForm[Any]",
    *,
    change: bool,
    names: Sequence[str],
    kind: str = "",
) -> None:
    """Send `saved_in_admin` with those of the named fields that the form has changed."""
    changed = [name for name in form.changed_data if name in names]
    saved_in_admin.send(
        sender=type(obj),
        instance=obj,
        kind=kind or obj._meta.model_name,
        user=request.user,
        before={name: _plain(form.initial.get(name)) for name in changed} if change else {},
        after={name: _plain(form.cleaned_data.get(name)) for name in changed},
    )


def _plain(value: Any) -> Any:
    return sorted(str(one) for one in value) if isinstance(value, QuerySet | list) else value


class ReadOnlyAdmin(Base):
    """Logs, and rows that only the API or workers create: staff can read and search them, and change none."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def _columns(obj: Model) -> set[str]:
    return {field.name for field in obj._meta.get_fields() if isinstance(field, Field) and field.concrete}
