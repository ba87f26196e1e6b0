"""Strict reading of JSON: only JSON that every database can store and every program can read back."""

import json
import math
import re
from typing import Any, NoReturn

from lib.canonical_json import escaped
from lib.faults import Fault

DEEPEST = 64
"""The deepest nesting of JSON that we store."""
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """Parse JSON by RFC 8259: NaN and Infinity are refused.

    Raises:
        ValueError: the text is not JSON, not UTF-8, or nested too deeply for the parser.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        return _decoder.decode(text.decode() if isinstance(text, bytes) else text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


# Made once: `json.loads` makes one for each text.
_decoder = json.JSONDecoder(parse_constant=_no_constant)


def unstorable(value: Any) -> list[Fault]:
    """The first fault of parsed JSON that cannot be stored or read back; an empty list without one.

    NUL and half surrogate pairs are not text in PostgreSQL, 1e400 becomes infinity, and a thousand nested lists
    overflow a recursive walk.

    >>> unstorable({"a": ["x" + chr(0)]})
    [Fault(pointer='#/a/0', detail='This text has a character that cannot be kept: NUL or half a surrogate pair.')]
    """
    if _is_surely_storable(value):
        return []
    stack = [("#", value, 0)]
    while stack:
        pointer, item, depth = stack.pop()
        if depth > DEEPEST:
            return [Fault(pointer, f"This is nested more than {DEEPEST} levels deep.")]
        match item:
            case str() if _NOT_TEXT.search(item):
                detail = "This text has a character that cannot be kept: NUL or half a surrogate pair."
                return [Fault(pointer, detail)]
            case float() if not math.isfinite(item):
                return [Fault(pointer, "This number is too large.")]
            case dict():
                for key, inner in item.items():
                    if _NOT_TEXT.search(str(key)):
                        return [Fault(pointer, "A name here has a character that cannot be kept.")]
                    stack.append((f"{pointer}/{escaped(key)}", inner, depth + 1))
            case list():
                stack += [(f"{pointer}/{index}", inner, depth + 1) for index, inner in enumerate(item)]
    return []


def _is_surely_storable(value: Any) -> bool:
    """True only if no fault can be found. Most values have none, and without pointers they are read in a tenth of the
    time."""
    level, texts = [value], list[str]()
    for _ in range(DEEPEST):
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str:
                texts.append(item)
            elif kind is dict:
                below += item
                below += item.values()
            elif kind is list:
                below += item
            elif kind is float and not math.isfinite(item):
                return False
        if not below:
            return not _NOT_TEXT.search("".join(texts))
        level = below
    return False
