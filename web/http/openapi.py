"""How endpoints describe themselves in the OpenAPI document."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers

from common.serializers import (
    AMOUNT,
    MOMENT,
    AmountField,
    MomentField,
    NumberField,
    PatternField,
    Problem,
    TextField,
)
from lib import name_patterns
from web.http.cursor_pages import PageQuery
from web.http.query_parameters import DayField, asks

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    location=OpenApiParameter.HEADER,
    description="A repeated request with the same key and body gets the first answer again, for 24 hours at least.",
    pattern=f"^{name_patterns.IDEMPOTENCY_KEY}$",
)
View = TypeVar("View", bound=Callable[..., Any])


def listed(operation_id: str, answer: type[serializers.Serializer[Any]]) -> Callable[[View], View]:
    """Describe a `get` that answers with pages of `answer`. One that declares its own query has `PageQuery` in it."""
    fields = {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": answer(many=True),
    }
    paged = type(f"{answer.__name__}Page", (serializers.Serializer,), fields)

    def described(handler: View) -> View:
        asking = handler if hasattr(handler, "query") else asks(PageQuery)(handler)
        made: View = extend_schema(operation_id=operation_id, responses=paged)(asking)
        return made

    return described


class Schema(AutoSchema):
    """Adds to every endpoint the problem that any call may answer with, and a tag from the first word of its path."""

    def get_tags(self) -> list[str]:
        words = self.path.removeprefix("/api/v1/").split("/")
        return [words[0].split(".")[0]]

    def get_override_parameters(self) -> list[Any]:
        declared: list[Any] = super().get_override_parameters()
        return [*declared, IDEMPOTENCY_KEY] if self.method == "POST" else declared

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        bodies["default"] = self._get_response_for_code(  # type: ignore[no-untyped-call]
            Problem, "default", ["application/problem+json"], direction
        )
        return bodies


class StrictObjects(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Forbids further fields in a body. Answers forbid none, because they may get more fields."""

    target_class = "common.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)  # type: ignore[no-untyped-call]
        if not type(self.target).__doc__:
            schema.pop("description", None)
        if direction == "request":
            schema |= {"additionalProperties": False, **self.target.between_fields}
        return schema


class StrictFields(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Adds to the fields of a request the facts that drf-spectacular does not know."""

    target_class = "rest_framework.fields.Field"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer_field(self.target, direction, bypass_extensions=True)  # type: ignore[no-untyped-call]
        return {**schema, **_more(self.target)} if direction == "request" else schema


_NOT_NULL = ("object", "string", "number", "boolean")


def _more(field: Any) -> dict[str, Any]:
    match field:
        case DayField():
            return {"format": "date"}
        case PatternField():
            return {}  # the pattern is a validator, which drf-spectacular reads
        case TextField() if field.trim_whitespace and not field.allow_blank:
            return {"pattern": name_patterns.NOT_BLANK}
        case NumberField() if field.more_than is not None:
            return {"minimum": field.more_than, "exclusiveMinimum": True}
        case MomentField():
            return {"pattern": f"^{MOMENT}$"}
        case serializers.JSONField() if not field.allow_null:
            return {"oneOf": [{"type": "array", "items": {}}, *({"type": name} for name in _NOT_NULL)]}
        case AmountField():
            return {"pattern": f"^{AMOUNT}$"}
    return {}
