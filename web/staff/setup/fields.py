"""Forms about a JSON body, as data: what each field shows, how it is read, and the error beside it.

A field stands for one place in the body, and its path there is its name in the form. So a fault of the API's own check
finds its field by the pointer, and every form makes the body that the API would take.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, NamedTuple

from django.http import QueryDict

from annotation.tool_registry import Json
from lib.faults import CrosswalkError, Fault, Invalid


class Kind(StrEnum):
    """How a value is typed."""

    TEXT = "text"
    AREA = "area"
    NUMBER = "number"
    WHOLE = "whole"
    PERCENT = "percent"
    AMOUNT = "amount"
    CHOICE = "choice"
    YES = "yes"
    SLUGS = "slugs"
    LINES = "lines"
    JSON = "json"


Choices = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes:
        path: The place in the body, as in a JSON Pointer: `pay/base/amount`.
        does: What the field does and what it costs, in a sentence.
        choices: The options of a choice: value and words. The value "" stands for null.
        empty: The value of an empty field.
        rows: The height of an area.
    """

    path: str
    label: str
    kind: Kind = Kind.TEXT
    does: str = ""
    unit: str = ""
    choices: Choices = ()
    is_needed: bool = False
    empty: Any = None
    rows: int = 4
    placeholder: str = ""

    @property
    def is_number(self) -> bool:
        return self.kind in {Kind.NUMBER, Kind.WHOLE, Kind.PERCENT, Kind.AMOUNT}

    @property
    def is_area(self) -> bool:
        return self.kind in {Kind.AREA, Kind.LINES, Kind.JSON}

    def read(self, form: QueryDict) -> Any:
        """The typed value.

        Raises:
            Invalid: it is no such value.
        """
        text = form.get(self.path, "").replace("\0", "").replace("\r\n", "\n").strip()
        if self.kind == Kind.YES:
            return text == "yes"
        if self.kind == Kind.SLUGS:
            return [word for word in text.replace(",", " ").split() if word] or self.empty
        if self.kind == Kind.LINES:
            return [line.strip() for line in text.splitlines() if line.strip()] or self.empty
        if not text:
            if self.is_needed:
                raise Invalid.at(f"#/{self.path}", "This is needed.")
            return self.empty
        return self._value(text)

    def _value(self, text: str) -> Any:
        try:
            match self.kind:
                case Kind.WHOLE:
                    return int(text)
                case Kind.NUMBER:
                    return float(_number(text))
                case Kind.PERCENT:
                    return float(_number(text.removesuffix("%")) / 100)
                case Kind.AMOUNT:
                    return str(_number(text))
                case Kind.JSON:
                    return json.loads(text)
        except (ValueError, InvalidOperation):
            raise Invalid.at(f"#/{self.path}", _WRONG[self.kind]) from None
        return text

    def show(self, value: Any) -> str:
        """A value of the body as it stands in the field."""
        if value is None or value == []:
            return ""
        match self.kind:
            case Kind.YES:
                return "yes" if value else ""
            case Kind.PERCENT:
                return f"{value * 100:.10g}"
            case Kind.NUMBER:
                return f"{value:.10g}"
            case Kind.SLUGS:
                return ", ".join(value)
            case Kind.LINES:
                return "\n".join(value)
            case Kind.JSON:
                return json.dumps(value, indent=2, ensure_ascii=False) if value else ""
        return str(value)


_WRONG = {
    Kind.WHOLE: "Write a whole number.",
    Kind.NUMBER: "Write a number, such as 12.5.",
    Kind.PERCENT: "Write a share in percent, such as 10.",
    Kind.AMOUNT: "Write an amount, such as 0.15.",
    Kind.JSON: "This is not JSON.",
}


def _number(text: str) -> Decimal:
    found = Decimal(text.replace(",", ".").strip())
    if not found.is_finite():
        raise ValueError
    return found


class Shown(NamedTuple):
    """A field as a page draws it: the typed or stored text, and the error about it."""

    field: Field
    text: str
    error: str = ""

    @property
    def id(self) -> str:
        """The name of the field in ids of the page."""
        return f"field-{self.field.path.replace('/', '-')}"

    @property
    def described(self) -> str:
        """The ids of the texts about the field."""
        about = [f"{self.id}-error"] if self.error else []
        return " ".join([*about, f"{self.id}-does"] if self.field.does else about)


class Typed(NamedTuple):
    """A posted form: the changed body, or the errors that hinder it, by the paths of the fields."""

    body: Json
    errors: dict[str, str]


def read_form(fields: Iterable[Field], form: QueryDict, body: Json) -> Typed:
    """The body with the typed values in it. The body that was given stays as it is."""
    changed: Json = json.loads(json.dumps(body))
    errors: dict[str, str] = {}
    for field in fields:
        try:
            put_at(changed, field.path, field.read(form))
        except Invalid as error:
            errors[field.path] = error.faults[0].detail
    return Typed(changed, errors)


def shown(fields: Iterable[Field], body: Json) -> list[Shown]:
    """The fields with the values of a stored body."""
    return [Shown(field, field.show(value_at(body, field.path))) for field in fields]


def shown_again(fields: Iterable[Field], form: QueryDict, errors: Mapping[str, str]) -> list[Shown]:
    """The fields as they were typed, each with its error, so that nothing is lost."""
    return [Shown(field, form.get(field.path, ""), errors.get(field.path, "")) for field in fields]


def highest_row(form: QueryDict, name: str) -> int:
    """The highest number of a row of this list in a posted form; 0 where it has none."""
    numbers = [int(found[1]) for key in form if (found := re.match(rf"{name}/(\d{{1,3}})(/|$)", key))]
    return max(numbers, default=0)


def with_choices(fields: Iterable[Field], path: str, choices: Choices) -> list[Field]:
    """The fields, with these options at one of them."""
    return [replace(field, choices=choices) if field.path == path else field for field in fields]


OTHER = ""
"""The place of the errors that belong to no field."""


def errors_of(error: CrosswalkError, fields: Iterable[Field]) -> dict[str, str]:
    """The faults by the paths of their fields; those that belong to none are under `OTHER`."""
    paths = sorted((field.path for field in fields), key=len, reverse=True)
    found: dict[str, str] = {}
    for fault in error.faults or [Fault("#", error.detail)]:
        place = _path_of(fault.pointer.removeprefix("#/").removeprefix("#"), paths)
        where = f"{fault.pointer}: " if place == OTHER and fault.pointer not in ("#", "") else ""
        found[place] = f"{found[place]} {fault.detail}" if place in found else f"{where}{fault.detail}"
    return found


def _path_of(pointer: str, paths: Iterable[str]) -> str:
    """The field at the pointer, around it, or inside it."""
    known = list(paths)
    around = next((path for path in known if f"{pointer}/".startswith(f"{path}/")), None)
    inside = next((path for path in known if pointer and path.startswith(f"{pointer}/")), None)
    return around or inside or OTHER


def value_at(body: Json, path: str) -> Any:
    """The value at a path; None where a part of the path is null or absent."""
    found: Any = body
    for name in path.split("/"):
        if not isinstance(found, dict):
            return None
        found = found.get(name)
    return found


def put_at(body: Json, path: str, value: Any) -> None:
    """Put a value at a path. Objects on the way that are null are made."""
    *way, last = path.split("/")
    place = body
    for name in way:
        if not isinstance(place.get(name), dict):
            place[name] = {}
        place = place[name]
    place[last] = value
