"""Serializers and fields of which the bodies of the API are made: strict bodies, ids, numbers, money."""

import dataclasses
import math
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, NoReturn, NotRequired, Union, cast, get_args, get_origin, get_type_hints

from rest_framework import serializers

from common.data.values import money
from lib.canonical_json import escaped
from lib.faults import Fault, Invalid, UnknownField
from lib.name_patterns import EXTERNAL_ID, SLUG
from lib.strict_json import unstorable

CURRENCY = r"[A-Z]{3}"
BIGGEST = 2**31 - 1
"""The largest whole number that an integer column holds."""


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses unknown fields, with a fault for each, instead of dropping them silently."""

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
    """A finite number. DRF's FloatField accepts true as 1.0 and "nan", and raises OverflowError for 10 ** 400."""

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
        raise AssertionError  # `fail` always raises, but its type does not declare it


class MoneySerializer(StrictSerializer):
    """`{"amount": "0.30", "currency": "USD"}`."""

    amount = serializers.DecimalField(max_digits=12, decimal_places=4, min_value=Decimal(0), coerce_to_string=True)
    currency = serializers.RegexField(rf"^{CURRENCY}\Z")

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
        return serializers.ChoiceField(choices=choices, **options)
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
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: NumberField,
    str: serializers.CharField,
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
