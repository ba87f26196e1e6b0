"""What every endpoint shares: strict bodies, money, ids, cursor pages, PUT answers."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from common.errors import UnknownField
from common.values import EXTERNAL_ID, SLUG, money

CURRENCY = r"[A-Z]{3}"
M = TypeVar("M", bound=Model)


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that names every field it does not know, instead of dropping it silently."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(set(map(str, data)) - set(self.fields))
            if unknown:
                raise serializers.ValidationError(
                    {
                        name: [serializers.ErrorDetail(f"There is no field {name!r} here.", UnknownField.code)]
                        for name in unknown
                    }
                )
        return super().to_internal_value(data)


class SlugField(serializers.RegexField):
    """`[a-z0-9][a-z0-9_-]{0,62}`."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault(
            "error_messages",
            {"invalid": "Use a to z, 0 to 9, - and _ only, beginning with a letter or digit; 63 at most."},
        )
        super().__init__(rf"^{SLUG}\Z", **kwargs)


class ExternalIdField(serializers.RegexField):
    """`[A-Za-z0-9._:-]{1,128}`: external ids and task keys."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "Use letters, digits, . _ : and - only; 128 at most."})
        super().__init__(rf"^{EXTERNAL_ID}\Z", **kwargs)


class MoneySerializer(StrictSerializer):
    """`{"amount": "0.30", "currency": "USD"}`."""

    amount = serializers.DecimalField(max_digits=12, decimal_places=4, min_value=Decimal(0), coerce_to_string=True)
    currency = serializers.RegexField(rf"^{CURRENCY}\Z")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {**money(Decimal(instance["amount"]), instance["currency"])}


class Problem(serializers.Serializer[Any]):
    """RFC 9457 problem details, with our code and pointers."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    errors = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))  # type: ignore[assignment]


class Pages(CursorPagination):
    """Lists in cursor pages: stable while rows are added, and as quick on the last page as on the first."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000
    ordering = "pk"


def page_of(request: Request, rows: QuerySet[M], show: Callable[[M], Any], *, ordering: str = "pk") -> Response:
    """One page of `rows`, each as `show` gives it."""
    pages = Pages()
    pages.ordering = ordering
    found = pages.paginate_queryset(rows, request)
    return pages.get_paginated_response([show(row) for row in found or []])


def read(serializer: type[serializers.BaseSerializer[Any]], data: Any) -> dict[str, Any]:
    """The validated content of a body."""
    known = serializer(data=data)
    known.is_valid(raise_exception=True)
    return known.validated_data  # type: ignore[no-any-return]
