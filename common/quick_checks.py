"""Quick checks of many bodies of one shape: a serializer of DRF takes a tenth of a millisecond for the smallest object.

A check is made of a serializer, so that a shape is written down once. It passes what is surely valid; about everything
else it says nothing, and the serializer itself decides, and words the refusal.
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.core.exceptions import ValidationError as ModelValidationError
from django.core.validators import RegexValidator
from rest_framework import serializers
from rest_framework.fields import _UnvalidatedField

from common.serializers import BooleanField, IntegerField, StrictSerializer, TextField, read
from lib.faults import Invalid
from lib.strict_json import unstorable

Check = Callable[[Any], bool]
_Field = serializers.Field[Any, Any, Any, Any]


class QuickSerializer(StrictSerializer):
    """A strict serializer that returns a value which is surely valid as it is, without the defaults of its fields."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return data if quick_check(type(self))(data) else super().run_validation(data)


class QuickListField(serializers.ListField):
    """A list whose items are looked at only together where all of them are surely valid."""

    def __init__(self, *, child: QuickSerializer, **kwargs: Any) -> None:
        super().__init__(child=child, **kwargs)
        self._is_valid = quick_check(type(child))

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        if all(map(self._is_valid, data)):
            return data
        checked: list[Any] = super().run_child_validation(data)
        return checked


def errors_of_each(serializer: type[StrictSerializer], values: Sequence[Any]) -> dict[int, Invalid]:
    """The errors with which `read` refuses some of these values, by their places."""
    is_valid, are_storable = quick_check(serializer), not unstorable(list(values))
    errors: dict[int, Invalid] = {}
    for place, value in enumerate(values):
        if not (are_storable and is_valid(value)):
            try:
                read(serializer, value)
            except Invalid as error:
                errors[place] = error
    return errors


@cache
def quick_check(serializer: type[StrictSerializer]) -> Check:
    """True only for values that the serializer accepts, and returns unchanged but for defaults."""
    return _of_object(serializer())


def _of_object(serializer: StrictSerializer) -> Check:
    if not _has(type(serializer), StrictSerializer, "to_internal_value", "validate", "get_validators"):
        return _is_never_sure
    fields = serializer.fields
    checks = {name: _with_rule_of(serializer, name, _of(field)) for name, field in fields.items()}
    needed = {name for name, field in fields.items() if field.required}

    def check(value: Any) -> bool:
        if type(value) is not dict or not needed <= value.keys():
            return False
        for name, inner in value.items():
            rule = checks.get(name)
            if rule is None or not rule(inner):
                return False
        return True

    return check


def _with_rule_of(serializer: StrictSerializer, name: str, check: Check) -> Check:
    """The check, and the serializer's own rule `validate_NAME` if there is one."""
    rule = getattr(serializer, f"validate_{name}", None)
    return check if rule is None else lambda value: check(value) and _passes(rule, value)


def _of(field: _Field) -> Check:
    kind = type(field)
    if isinstance(field, TextField) and _has(kind, TextField, "run_validation", "to_internal_value"):
        check = _of_text(field)
    elif isinstance(field, IntegerField):
        check = _of_whole(field.min_value, field.max_value)
    elif kind is BooleanField:
        check = _is_boolean
    elif isinstance(field, serializers.DictField) and kind is serializers.DictField and _takes_anything(field):
        check = _is_object
    elif isinstance(field, serializers.ListField) and kind is serializers.ListField and field.allow_empty:
        check = _of_list(field)
    elif isinstance(field, StrictSerializer):
        check = _of_object(field)
    else:
        check = _of_any(field)
    return (lambda value: value is None or check(value)) if field.allow_null else check


def _takes_anything(field: serializers.DictField) -> bool:
    return isinstance(field.child, _UnvalidatedField) and field.allow_empty


def _has(kind: type, base: type, *methods: str) -> bool:
    """True if the class has these methods of its base unchanged."""
    return all(getattr(kind, name) is getattr(base, name) for name in methods)


def _of_text(field: TextField) -> Check:
    patterns = [one.regex for one in field.validators if isinstance(one, RegexValidator)]
    rules = [re.compile(one).search if isinstance(one, str) else one.search for one in patterns]
    most, least = field.max_length or sys.maxsize, max(field.min_length or 0, 1)

    def check(value: Any) -> bool:
        if type(value) is not str or not least <= len(value) <= most:
            return False
        # Not printable are control characters, line ends among them, half surrogate pairs, and all white space but the
        # plain one. So a text that is printable, and does not begin with a space, is not blank.
        if not value.isprintable() or value[0] == " " or value[-1] == " ":
            return False
        return not rules or all(rule(value) for rule in rules)

    return check


def _of_whole(least: int | None, most: int | None) -> Check:
    return lambda value: type(value) is int and (least is None or value >= least) and (most is None or value <= most)


def _of_list(field: "serializers.ListField") -> Check:
    inner = None if isinstance(field.child, _UnvalidatedField) else _of(field.child)
    least, most = field.min_length or 0, field.max_length

    def check(value: Any) -> bool:
        if type(value) is not list or len(value) < least or (most is not None and len(value) > most):
            return False
        return inner is None or all(map(inner, value))

    return check


def _of_any(field: _Field) -> Check:
    """The check of a field of any other kind. A value that the field changes is left to the serializer."""
    return lambda value: _passes(field.run_validation, value)


def _passes(rule: Callable[[Any], Any], value: Any) -> bool:
    try:
        return rule(value) is value
    except (serializers.ValidationError, serializers.SkipField, ModelValidationError):
        return False


def _is_never_sure(value: Any) -> bool:
    return False


def _is_object(value: Any) -> bool:
    return type(value) is dict


def _is_boolean(value: Any) -> bool:
    return type(value) is bool
