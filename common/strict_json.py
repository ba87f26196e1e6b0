"""JSON as it may come in: readable, and such that every database can keep it and every program read it back."""

import json
import math
import re
from typing import Any, NoReturn

from common.errors import Fault
from common.values import escaped

DEEPEST = 64
"""How deep JSON that we keep may be nested."""
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """JSON as RFC 8259 has it: no NaN, no Infinity.

    Raises:
        ValueError: it is not JSON, not UTF-8, or nested too deeply to read.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def unstorable(value: Any) -> list[Fault]:
    """What in parsed JSON no database can keep or no program read back: at most one fault is named.

    NUL and half surrogate pairs are not text in PostgreSQL, 1e400 became infinity, and a thousand nested lists exhaust
    whoever walks them.

    >>> unstorable({"a": ["x" + chr(0)]})
    [Fault(pointer='#/a/0', detail='This text has a character that cannot be kept: NUL or half a surrogate pair.')]
    """
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
