"""JSON that is read, and JSON that may be stored."""

from typing import Any

import pytest

from lib.strict_json import DEEPEST, parse_json, unstorable


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ("\0", "#"),
        ({"a": "x\0"}, "#/a"),
        ({"a": [1, {"b/c~d": "\ud800"}]}, "#/a/1/b~1c~0d"),
        (["ok", "\udfff"], "#/1"),
        ({"\0": 1}, "#"),
        ({"a": {"\ud800": 1}}, "#/a"),
        ([float("inf")], "#/0"),
        ([float("nan")], "#/0"),
        (_nested(DEEPEST + 1), "#" + "/0" * (DEEPEST + 1)),
    ],
)
def test_an_unstorable_value_is_pointed_at(value: Any, pointer: str) -> None:
    assert [fault.pointer for fault in unstorable(value)] == [pointer]


@pytest.mark.parametrize(
    "value",
    [None, True, 0, 10**400, 1e308, "", "\x01\x1f\x7f\ufffe\U0001f916", {"": {"a": []}}, _nested(DEEPEST), object()],
    ids=lambda value: str(value)[:20],
)
def test_every_other_value_is_storable(value: Any) -> None:
    assert unstorable(value) == []


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", "[Infinity]", "1 2", b"\xff", "\ufeff1", "[" * 100_000, "1" * 5000, "{'a': 1}"]
)
def test_text_that_is_not_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1), (b'"\xc3\xa9"', "é"), ('"\\ud83e\\udd16"', "\U0001f916"), (" [null] ", [None])]
)
def test_json_is_read(text: str | bytes, value: Any) -> None:
    assert parse_json(text) == value
