"""How endpoints describe themselves in the OpenAPI document."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers

from common.serializers import Problem

View = TypeVar("View", bound=Callable[..., Any])


def listed(operation_id: str, answer: type[serializers.Serializer[Any]]) -> Callable[[View], View]:
    """Describe a `get` that answers with pages of `answer`."""
    fields = {
        "next": serializers.URLField(allow_null=True),
        "previous": serializers.URLField(allow_null=True),
        "results": answer(many=True),
    }
    paged = type(f"{answer.__name__}Page", (serializers.Serializer,), fields)
    described: Callable[[View], View] = extend_schema(
        operation_id=operation_id,
        parameters=[
            OpenApiParameter("cursor", OpenApiTypes.STR, description="As in `next` and `previous`."),
            OpenApiParameter("page_size", OpenApiTypes.INT, description="100 by default, 1000 at most."),
        ],
        responses=paged,
    )
    return described


class Schema(AutoSchema):
    """Adds to every endpoint the problem that any call may answer with, and a tag from the first word of its path."""

    def get_tags(self) -> list[str]:
        words = self.path.removeprefix("/api/v1/").split("/")
        return [words[0].split(".")[0]]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        bodies["default"] = self._get_response_for_code(  # type: ignore[no-untyped-call]
            Problem, "default", ["application/problem+json"], direction
        )
        return bodies
