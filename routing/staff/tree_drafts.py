"""A tree as somebody writes it: what is wrong with the text and in which line, and what can be drawn of it."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from common.strict_json import parse_json, unstorable
from common.values import escaped
from routing.trees.drawing import Drawing, draw
from routing.trees.reading import sketch
from routing.trees.text import Lines, in_order
from routing.trees.tree import Node, Tree

MOST_CHARACTERS = 200_000
MOST_FAULTS = 50
"""That are shown; the first ones, by line."""


class LineFault(NamedTuple):
    """One thing wrong with a text."""

    line: int
    pointer: str
    detail: str


class Draft(NamedTuple):
    """A text, and what was made of it.

    Attributes:
        content: The JSON that it says; None where it is none.
        tree: The tree; None where anything is wrong.
        drawing: Of the tree, or of as much of it as can be read; None where nothing can.
    """

    text: str
    faults: Sequence[LineFault]
    content: Any = None
    tree: Tree | None = None
    drawing: Drawing | None = None

    @property
    def shown(self) -> Sequence[LineFault]:
        return self.faults[:MOST_FAULTS]

    @property
    def nodes(self) -> list[Node]:
        return in_order(self.tree) if self.tree else []


def read_draft(text: str) -> Draft:
    """What a text says; lines end as they do on this server, wherever it was typed."""
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
    drawing = draw(drawn, faulty=names) if drawn.nodes else None
    return Draft(text, faults, content, None if faults else drawn, drawing)


def _unreadable(text: str, line: int, detail: str) -> Draft:
    return Draft(text, [LineFault(line, "#", detail)])


def _is_about(pointer: str, name: str) -> bool:
    at = f"#/nodes/{escaped(name)}"
    return pointer == at or pointer.startswith(f"{at}/")
