"""What every endpoint shares: strict bodies, money, ids, cursor pages, PUT answers."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import IO, Any, NoReturn, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.exceptions import NotAcceptable, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from common.errors import Invalid, Malformed, TooLarge, UnknownField
from common.strict_json import parse_json, unstorable
from common.values import EXTERNAL_ID, SLUG, money

CURRENCY = r"[A-Z]{3}"
BIGGEST = 2**31 - 1
"""The greatest whole number that a column of counts holds."""
M = TypeVar("M", bound=Model)


class JsonParser(JSONParser):
    """JSON as RFC 8259 has it, of a bounded size."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(most + 1)
        if len(body) > most:
            raise TooLarge(f"A JSON body has at most {most} bytes.")
        try:
            return parse_json(body)
        except ValueError as error:
            raise Malformed(f"The body is not JSON: {error}.") from None


class Negotiation(DefaultContentNegotiation):
    """Each address has one kind of answer, whatever `Accept` says: a refusal would help nobody."""

    def select_renderer(  # type: ignore[override]
        self, request: Request, renderers: Sequence[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
            return chosen
        except NotAcceptable:
            return renderers[0], str(renderers[0].media_type)


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
        super().__init__(rf"^{SLUG}\Z", trim_whitespace=False, **kwargs)


class ExternalIdField(serializers.RegexField):
    """`[A-Za-z0-9._:-]{1,128}`: external ids and task keys."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "Use letters, digits, . _ : and - only; 128 at most."})
        super().__init__(rf"^{EXTERNAL_ID}\Z", trim_whitespace=False, **kwargs)


class NumberField(serializers.FloatField):
    """A finite number. Plain FloatField takes true for 1.0, "nan" for a number, and falls over 10 ** 400."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool):
            self._refuse()
        try:
            value: float = super().to_internal_value(data)
        except OverflowError:
            self._refuse()
        if not math.isfinite(value):
            self._refuse()
        return value

    def _refuse(self) -> NoReturn:
        self.fail("invalid")
        raise AssertionError  # `fail` always raises, but does not say so


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

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The place that the address names; plain DRF hands any text on to the database."""
        try:
            cursor = super().decode_cursor(request)
        except NotFound:
            raise _no_cursor() from None
        if cursor and cursor.position is not None and not re.fullmatch(r"[0-9]{1,18}", str(cursor.position)):
            raise _no_cursor()
        return cursor


def _no_cursor() -> Invalid:
    return Invalid.at("#/cursor", "Use the addresses in `next` and `previous` as they are.")


def page_of(request: Request, rows: QuerySet[M], show: Callable[[M], Any]) -> Response:
    """One page of `rows`, oldest first, each as `show` gives it."""
    return page_of_many(request, rows, lambda found: [show(row) for row in found])


def page_of_many(request: Request, rows: QuerySet[M], show: Callable[[list[M]], list[dict[str, Any]]]) -> Response:
    """One page of `rows`, oldest first; `show` gets all rows of the page at once, so it can load what they share."""
    pages = Pages()
    return pages.get_paginated_response(show(list(pages.paginate_queryset(rows, request) or [])))


def asked(request: Request, name: str) -> str:
    """What the address asks for under `name`; "" where it says nothing.

    Raises:
        Invalid: no database could compare it with anything.
    """
    value = request.query_params.get(name, "")
    if "\0" in value or len(value) > 200:
        raise Invalid.at(f"#/{name}", "Use at most 200 characters, none of them NUL.")
    return value


def read(serializer: type[serializers.BaseSerializer[Any]], data: Any) -> dict[str, Any]:
    """The validated content of a body.

    Raises:
        ValidationError, Invalid: with a pointer to each fault.
    """
    faults = unstorable(data)
    if faults:
        raise Invalid(faults=faults)
    known = serializer(data=data)
    known.is_valid(raise_exception=True)
    return known.validated_data  # type: ignore[no-any-return]
