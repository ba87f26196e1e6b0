"""A tree as JSON text for editing: its questions in order, and the line of each place."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lib.canonical_json import escaped
from lib.trees.graph import depths, edges_of
from lib.trees.tree import Choice, Node, Tree

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|\n')


def written(tree: Tree) -> str:
    """The tree as JSON text, first questions first, with one line for each choice; `read_tree` is the inverse.

    >>> print(written(Tree("T", "a", {"a": Node("a", "Done?", (Choice("Yes", outcome="ok"),))})))
    {
      "title": "T",
      "start": "a",
      "nodes": {
        "a": {
          "ask": "Done?",
          "show": null,
          "choices": [
            {"label": "Yes", "outcome": "ok"}
          ]
        }
      }
    }
    """
    nodes = ",\n".join(f"    {_json(node.name)}: {_node(node)}" for node in in_order(tree))
    return f'{{\n  "title": {_json(tree.title)},\n  "start": {_json(tree.start)},\n  "nodes": {{\n{nodes}\n  }}\n}}'


def in_order(tree: Tree) -> list[Node]:
    """The questions in an order in which they may be asked: each comes after all questions that lead to it.

    The order does not depend on the order in the JSON, which not every database keeps.
    """
    place = depths(edges_of(tree), start=tree.start)
    return [tree.nodes[name] for name in sorted(place, key=place.__getitem__)]


def _node(node: Node) -> str:
    fields = {"ask": _json(node.ask)}
    if node.help:
        fields["help"] = _json(node.help)
    fields["show"] = _json(node.show)
    if node.when is not None:
        when: dict[str, Any] = {"path": node.when.path, "op": node.when.op}
        if node.when.op != "exists" or node.when.value is not True:
            when["value"] = node.when.value
        fields |= {"when": _json(when), "else": _json(node.otherwise)}
    choices = ",\n".join(f"        {_json(_choice(choice))}" for choice in node.choices)
    fields["choices"] = f"[\n{choices}\n      ]"
    return "{\n" + ",\n".join(f"      {_json(name)}: {value}" for name, value in fields.items()) + "\n    }"


def _choice(choice: Choice) -> dict[str, Any]:
    found: dict[str, Any] = {"label": choice.label}
    found |= {"next": choice.next} if choice.next is not None else {"outcome": choice.outcome}
    return found | ({"text": True} if choice.has_text else {})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class Lines:
    """The lines of all places of a JSON text.

    Attributes:
        twice: The places that occur a second time; a JSON parser keeps only the last.

    >>> lines = Lines('{"a": [1,\\n 2],\\n "b": {}}')
    >>> lines.of("#/a/1"), lines.of("#/b/missing"), lines.twice
    (2, 3, [])
    """

    def __init__(self, text: str) -> None:
        """`text` must be valid JSON."""
        self._lines: dict[str, int] = {"#": 1}
        self.twice: list[str] = []
        for pointer, line in _places(text):
            if pointer in self._lines and pointer != "#":
                self.twice.append(pointer)
            self._lines[pointer] = line

    def of(self, pointer: str) -> int:
        """The line, from 1, of the place; if the place does not exist, the line of its container."""
        while pointer not in self._lines and "/" in pointer:
            pointer = pointer.rpartition("/")[0]
        return self._lines.get(pointer, 1)


def _places(text: str) -> Iterator[tuple[str, int]]:
    """Each place with its line: the line of its name in an object, or of its beginning in a list."""
    line, open_ones, name = 1, [_Open("#", None)], None
    is_name = False
    for piece in _TOKEN.findall(text):
        if piece == "\n":
            line += 1
        elif piece == ":":
            is_name = False
        elif piece == ",":
            is_name = open_ones[-1].count is None
            if open_ones[-1].count is not None:
                open_ones[-1].count += 1
        elif piece in "]}":
            open_ones.pop()
        elif is_name:
            name = json.loads(piece)
            yield open_ones[-1].below(name), line
        else:
            at = open_ones[-1]
            pointer = at.pointer if len(open_ones) == 1 else at.below(name)
            if at.count is not None or len(open_ones) == 1:
                yield pointer, line
            if piece in "[{":
                open_ones.append(_Open(pointer, 0 if piece == "[" else None))
                is_name = piece == "{"


class _Open:
    """An object or a list that is not closed yet; `count` is the number of earlier items, None for an object."""

    def __init__(self, pointer: str, count: int | None) -> None:
        self.pointer = pointer
        self.count = count

    def below(self, name: str | None) -> str:
        return f"{self.pointer}/{self.count if self.count is not None else escaped(name)}"
