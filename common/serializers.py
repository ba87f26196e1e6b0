"""Serializers and fields of which the bodies of the API are made: strict bodies, ids, numbers, money.

DRF's own fields convert: 1 to "1", "yes" to true, " 1e1 " to 10. The fields here take the JSON type that they are
named after and nothing else, so that the OpenAPI document can say exactly what a body may contain.
"""

import dataclasses
import json
import math
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NotRequired,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from django.conf import settings
from rest_framework import serializers

from common.data.values import money
from lib.canonical_json import escaped
from lib.faults import Fault, Invalid, UnknownField
from lib.name_patterns import EXTERNAL_ID, NOT_BLANK, OPAQUE_ID, SLUG
from lib.strict_json import unstorable

CURRENCY = r"[A-Z]{3}"
AMOUNT = r"[0-9]{1,8}(\.[0-9]{1,4})?"
MOMENT = r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
"""A moment of RFC 3339; the years 1000 to 9999, without leap seconds, which no database stores."""
BIGGEST = 2**31 - 1
"""The largest whole number that an integer column holds."""
MOST_HINTS = 5
"""Unknown fields of one body that are compared with the known ones."""


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses unknown fields, with a fault for each, instead of dropping them silently."""

    noun: ClassVar[str] = "field"
    between_fields: ClassVar[Mapping[str, Any]] = {}
    """Rules between the fields, in terms of OpenAPI: only for its document."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(set(map(str, data)) - set(self.fields))
            if unknown:
                details = {name: self._unknown(name, has_hint=n < MOST_HINTS) for n, name in enumerate(unknown)}
                raise serializers.ValidationError(
                    {name: [serializers.ErrorDetail(text, UnknownField.code)] for name, text in details.items()}
                )
        return super().to_internal_value(data)

    def _unknown(self, name: str, *, has_hint: bool) -> str:
        hint = nearest(name, self.fields) if has_hint else None
        return f"There is no {self.noun} {name!r} here{f'; the nearest is {hint!r}' if hint else ''}."


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that is most similar to a misspelt one; None if nothing is known."""
    found = get_close_matches(name[:64], known, n=1, cutoff=0)
    return found[0] if found else None


class NoBody(StrictSerializer):
    """An empty object, or no body at all."""


class TextField(serializers.CharField):
    """A text. Unless `allow_blank`, it has a character that is neither white space nor a control character."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if isinstance(data, str):
            # The length is that of the text as it was sent: the document cannot say "without the spaces around it".
            if self.max_length is not None and len(data) > self.max_length:
                self.fail("max_length", max_length=self.max_length)
            if self.trim_whitespace and not self.allow_blank and not re.search(NOT_BLANK, data):
                self.fail("blank")
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        text: str = super().to_internal_value(data)
        return text


class PatternField(TextField, serializers.RegexField):
    """A text that matches a pattern from its first to its last character."""

    def __init__(self, pattern: str, **kwargs: Any) -> None:
        whole = f"(?:{pattern})" if "|" in pattern else pattern
        super().__init__(rf"^{whole}\Z", trim_whitespace=False, **kwargs)


class SlugField(PatternField):
    """`[a-z0-9][a-z0-9_-]{0,62}`."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault(
            "error_messages",
            {"invalid": "Use a to z, 0 to 9, - and _ only, beginning with a letter or digit; 63 at most."},
        )
        super().__init__(SLUG, **kwargs)


class ExternalIdField(PatternField):
    """`[A-Za-z0-9._:-]{1,128}`: external ids and task keys."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": "Use letters, digits, . _ : and - only; 128 at most."})
        super().__init__(EXTERNAL_ID, **kwargs)


class OpaqueIdField(PatternField):
    """An id that the server made."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(OPAQUE_ID, **kwargs)


class BooleanField(serializers.BooleanField):
    """true or false."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class IntegerField(serializers.IntegerField):
    """A whole number, which JSON may also write as 2.0 or 1e3."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, float) and data.is_integer():
            data = int(data)
        if type(data) is not int:
            self.fail("invalid")
        return data


class NumberField(serializers.FloatField):
    """A finite number; with `more_than`, one above this bound."""

    def __init__(self, *, more_than: float | None = None, **kwargs: Any) -> None:
        self.more_than = more_than
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float):
            self.fail("invalid")
        try:
            value = float(data)
        except OverflowError:
            self.fail("invalid")
        if not math.isfinite(value):
            self.fail("invalid")
        if self.more_than is not None and value <= self.more_than:
            raise serializers.ValidationError(f"Ensure this value is greater than {self.more_than}.")
        return value


class ChoiceField(serializers.ChoiceField):
    """One of some texts."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


class MomentField(serializers.DateTimeField):
    """A moment in RFC 3339 with an offset, converted to UTC."""

    def to_internal_value(self, value: Any) -> datetime:
        try:
            if isinstance(value, str) and re.fullmatch(MOMENT, value):
                return datetime.fromisoformat(value).astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise serializers.ValidationError("This is a moment such as 2026-11-21T12:00:00Z.")


class AmountField(serializers.DecimalField):
    """An amount of money as text, such as "0.30"."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_digits=12, decimal_places=4, coerce_to_string=True, **kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        if not isinstance(data, str) or not re.fullmatch(AMOUNT, data):
            raise serializers.ValidationError('This is an amount as text, such as "0.30"; 4 decimal places at most.')
        return Decimal(data)


class MetadataField(serializers.DictField):
    """An object of the client's own, kept as it is. It has a bound, `CROSSWALK_METADATA_MAX_KB`."""

    def to_internal_value(self, data: Any) -> Any:
        value = super().to_internal_value(data)
        if len(json.dumps(value)) > settings.METADATA_MAX_BYTES:
            raise serializers.ValidationError(f"This has at most {settings.METADATA_MAX_BYTES} bytes as JSON.")
        return value


class MoneySerializer(StrictSerializer):
    """`{"amount": "0.30", "currency": "USD"}`."""

    amount = AmountField()
    currency = PatternField(CURRENCY)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {**money(Decimal(instance["amount"]), instance["currency"])}


# Serializers made from types ------------------------------------------------------------------------------------


class Limits(NamedTuple):
    """The limits of a number, or of the length of a text or a list; for `Annotated` types of `serializer_for`."""

    least: float | None = None
    most: float | None = None


class Default(NamedTuple):
    """The value of a `TypedDict` key that is left out; for `Annotated` types of `serializer_for`."""

    value: Any


@cache
def serializer_for(shape: type) -> type[StrictSerializer]:
    """The serializer with the fields of a dataclass or a `TypedDict`, named like it.

    A type becomes a field: `X | None` allows null; `list`, `dict`, `bool`, `int`, `float`, `str`, and shapes in shapes.
    `Annotated` adds `Limits`, a `Default`, the choices (a `Choices` class) or the class of the field. A dataclass field
    with a default and a key of `NotRequired` may be left out.
    """
    return extended(shape.__name__, shape, {})


def extended(name: str, shape: type, more: Mapping[str, "_Field"], *, after: str = "") -> type[StrictSerializer]:
    """The serializer of a shape, or of another serializer, with more fields after this field or at the end.

    Faults are reported in the order of the fields.
    """
    declared: dict[str, _Field] = {}
    for key, field in _fields_of(shape).items():
        declared[key] = field
        if key == after:
            declared |= more
    made: type[StrictSerializer] = type(name, (StrictSerializer,), {"__doc__": shape.__doc__})
    # Set here, because a class body would put the fields in the order in which they were made.
    made._declared_fields = {**declared, **more}
    return made


_Field = serializers.Field[Any, Any, Any, Any]


def _fields_of(shape: type) -> "dict[str, _Field]":
    if issubclass(shape, serializers.Serializer):
        return dict(shape._declared_fields)
    optional: frozenset[str] = getattr(shape, "__optional_keys__", frozenset())
    options: dict[str, dict[str, Any]] = {key: {"required": False} for key in optional}
    for field in dataclasses.fields(shape) if dataclasses.is_dataclass(shape) else ():
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory
        if default is not dataclasses.MISSING:
            options[field.name] = {"default": default}
    hints = get_type_hints(shape, include_extras=True)
    return {key: _field_of(hint, **options.get(key, {})) for key, hint in hints.items()}


def _field_of(hint: Any, **options: Any) -> "_Field":
    limits, choices, of_class = Limits(), None, None
    while (origin := get_origin(hint)) in (Annotated, Union, UnionType, NotRequired):
        first, *rest = get_args(hint)
        if origin is Annotated:
            for extra in rest:
                if isinstance(extra, Limits):
                    limits = extra
                elif isinstance(extra, Default):
                    options["default"] = extra.value
                elif issubclass(extra, serializers.Field):
                    of_class = extra
                else:
                    choices = extra.choices
        elif origin is not NotRequired:
            options["allow_null"] = True
        hint = first
    if choices is not None:
        return ChoiceField(choices=choices, **options)
    is_number = hint in (int, float)
    names = ("min_value", "max_value") if is_number else ("min_length", "max_length")
    options |= {key: value for key, value in zip(names, limits, strict=True) if value is not None}
    if of_class is not None:
        return cast(_Field, of_class(**options))
    if origin is list:
        return serializers.ListField(child=_field_of(*get_args(hint)), **options)
    if origin is dict:
        return serializers.DictField(**options)
    if hint in _FIELDS:
        return _FIELDS[hint](**options)
    return serializer_for(hint)(**options)


_FIELDS: "dict[Any, type[_Field]]" = {
    bool: BooleanField,
    int: IntegerField,
    float: NumberField,
    str: TextField,
}


# Answers and reading --------------------------------------------------------------------------------------------


class Problem(serializers.Serializer[Any]):
    """RFC 9457 problem details, with our code and pointers."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    errors = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))  # type: ignore[assignment]


def read(serializer: type[serializers.BaseSerializer[Any]], data: Any) -> dict[str, Any]:
    """The validated content of a body.

    Raises:
        Invalid: the body has faults; each has its pointer.
        UnknownField: one of the faults is an unknown field.
    """
    faults = unstorable(data)
    if faults:
        raise Invalid(faults=faults)
    known = serializer(data=data)
    try:
        known.is_valid(raise_exception=True)
    except serializers.ValidationError as error:
        raise invalid_from(error) from None
    return known.validated_data  # type: ignore[no-any-return]


def invalid_from(error: serializers.ValidationError) -> Invalid:
    """DRF's validation error as an error of our own tree, with a JSON pointer for each fault."""
    known = UnknownField if any(_is_unknown(error.detail)) else Invalid
    return known(faults=list(_faults(error.detail)))


def _faults(detail: Any, pointer: str = "#") -> "list[Fault]":
    """DRF's nested details as a flat list of faults with pointers."""
    if isinstance(detail, dict):
        own = {"non_field_errors": pointer}
        return [
            f for key, value in detail.items() for f in _faults(value, own.get(str(key), f"{pointer}/{escaped(key)}"))
        ]
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        return [f for i, value in enumerate(detail) for f in _faults(value, f"{pointer}/{i}")]
    if isinstance(detail, list):
        return [Fault(pointer, str(item)) for item in detail]
    return [Fault(pointer, str(detail))]


def _is_unknown(detail: Any) -> "list[bool]":
    if isinstance(detail, dict):
        return [found for value in detail.values() for found in _is_unknown(value)]
    if isinstance(detail, list):
        return [found for value in detail for found in _is_unknown(value)]
    return [True] if getattr(detail, "code", "") == UnknownField.code else []
