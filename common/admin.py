"""Base classes for the admin of every app: one writes only changed columns, the other is read only."""

from typing import TYPE_CHECKING, Any

from django.core.validators import RegexValidator
from django.db.models import Field, Model
from django.forms import Field as FormField
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone

from lib.name_patterns import SLUG

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    Base = ModelAdmin[Model]
else:
    # Unfold brings no types; its class is Django's with other templates and widgets.
    from unfold.admin import ModelAdmin as Base

_is_slug = RegexValidator(rf"^{SLUG}\Z", "Use a to z, 0 to 9, - and _ only, beginning with a letter or digit.")


class CarefulAdmin(Base):
    """Rows that staff may change. Only changed columns are written, since the code counts other columns meanwhile."""

    list_per_page = 50
    show_full_result_count = False

    def save_model(self, request: HttpRequest, obj: Model, form: "ModelForm[Model]", change: bool) -> None:
        if change:
            obj.save(update_fields=[name for name in form.changed_data if name in _columns(obj)])
            return
        if "created_at" in _columns(obj):
            obj.created_at = timezone.now()  # type: ignore[attr-defined]
        obj.save()

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> FormField | None:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name == "slug":
            # Addresses of pages and of the API accept no other slugs.
            field.validators.append(_is_slug)
        return field


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
