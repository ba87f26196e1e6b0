"""The text of a tree while it is written: its faults by line, and a drawing of as much as can be read."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from lib.canonical_json import escaped
from lib.strict_json import parse_json, unstorable
from lib.trees.boxes import QuestionBox, boxes_of
from lib.trees.parser import sketch
from lib.trees.text import Lines, in_order
from lib.trees.tree import Node, Tree

MOST_CHARACTERS = 200_000
MOST_FAULTS = 50
"""The number of faults that are shown, the first ones by line."""


class LineFault(NamedTuple):
    """One fault in the text."""

    line: int
    pointer: str
    detail: str


class Draft(NamedTuple):
    """A text, and the tree that was read from it.

    Attributes:
        content: The JSON of the text; None if it is no JSON.
        tree: The tree; None if the text has a fault.
        drawing: The boxes of the tree, or of the readable part of it; empty if nothing can be read.
    """

    text: str
    faults: Sequence[LineFault]
    content: Any = None
    tree: Tree | None = None
    drawing: Sequence[QuestionBox] = ()

    @property
    def shown(self) -> Sequence[LineFault]:
        return self.faults[:MOST_FAULTS]

    @property
    def nodes(self) -> list[Node]:
        return in_order(self.tree) if self.tree else []


def read_draft(text: str) -> Draft:
    """Read the text of a tree. Line ends are converted first."""
    text = text.replace("\r\n", "\n")
    if len(text) > MOST_CHARACTERS:
        return _unreadable(text, 1, f"Use {MOST_CHARACTERS} characters at most.")
    try:
        content = parse_json(text)
    except json.JSONDecodeError as error:
        return _unreadable(
            text, error.lineno, f"This is not JSON, at character {error.colno} of the line: {error.msg}."
        )
    except ValueError as error:
        return _unreadable(text, 1, f"This is not JSON: {error}.")
    lines = Lines(text)
    faults = [LineFault(lines.of(fault.pointer), fault.pointer, fault.detail) for fault in unstorable(content)]
    if faults:
        return Draft(text, faults)
    twice = [
        LineFault(lines.of(place), place, "This stands here twice; only the last one counts.") for place in lines.twice
    ]
    drawn, found = sketch(content)
    faults = sorted([*twice, *(LineFault(lines.of(one.pointer), one.pointer, one.detail) for one in found)])
    names = {name for name in drawn.nodes for fault in faults if _is_about(fault.pointer, name)}
    return Draft(text, faults, content, None if faults else drawn, boxes_of(drawn, faulty=names))


def _unreadable(text: str, line: int, detail: str) -> Draft:
    return Draft(text, [LineFault(line, "#", detail)])


def _is_about(pointer: str, name: str) -> bool:
    at = f"#/nodes/{escaped(name)}"
    return pointer == at or pointer.startswith(f"{at}/")
