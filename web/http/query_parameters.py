"""Query parameters of the API: an endpoint declares those that it takes, and every other one is refused."""

import re
from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from django.http import QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework.fields import empty

from common.serializers import IntegerField, MomentField, NumberField, PatternField, StrictSerializer, read
from lib.faults import Fault, Invalid

Handler = TypeVar("Handler", bound=Callable[..., Any])
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?")


class QuerySerializer(StrictSerializer):
    """Query parameters. The fields are those of a body; texts are converted to the numbers that a field takes."""

    noun = "query parameter"


class NoQuery(QuerySerializer):
    """No query parameters."""


class DayField(PatternField):
    """A day such as 2026-11-21."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "This is a day such as 2026-11-21."})
        super().__init__(r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}", **kwargs)

    def run_validation(self, data: Any = empty) -> Any:
        text = super().run_validation(data)
        try:
            return text and date.fromisoformat(text).isoformat()
        except ValueError:
            self.fail("invalid")


def asks(query: type[QuerySerializer]) -> Callable[[Handler], Handler]:
    """Declare the query parameters of a handler: for `Endpoint`, which reads them, and for the OpenAPI document."""

    def declared(handler: Handler) -> Handler:
        handler.query = query  # type: ignore[attr-defined]
        described: Handler = extend_schema(parameters=[query])(handler)
        return described

    return declared


def read_query(query: type[QuerySerializer], given: QueryDict) -> dict[str, Any]:
    """The validated query parameters of an address.

    Raises:
        Invalid: a parameter is not as declared, or is there twice.
        UnknownField: a parameter is not declared.
    """
    if query is NoQuery and not given:
        return {}
    twice = [Fault(f"#/{name}", "Give this query parameter once.") for name, values in given.lists() if len(values) > 1]
    if twice:
        raise Invalid(faults=twice)
    fields = query().fields
    return read(query, {name: _converted(fields.get(name), text) for name, text in given.items()})


def _converted(field: Any, text: Any) -> Any:
    """The text as the JSON value that the field takes; the same text if it is not written as one."""
    if isinstance(field, IntegerField) and _WHOLE.fullmatch(text):
        return int(text)
    if isinstance(field, NumberField) and _NUMBER.fullmatch(text):
        return float(text)
    # In an address an unescaped plus sign means a space.
    return text.replace(" ", "+") if isinstance(field, MomentField) else text
