"""Read a tree from JSON: either the tree, or all its faults with their places."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast, get_args

from lib.canonical_json import canonical, escaped
from lib.name_patterns import EXTERNAL_ID, NOT_BLANK, SLUG
from lib.trees.engine import PLACES
from lib.trees.graph import Edge, faults_of_graph
from lib.trees.tree import LONGEST_TEXT, MOST_CHOICES, MOST_NODES, Choice, Node, Op, Show, Tree, When

LONGEST_PATH = 200
LONGEST_VALUE = 2000
"""The most characters of the JSON of a `value`."""
_REQUIRED = "This field is required."
_OPS: tuple[str, ...] = get_args(Op)
_SHOWS: tuple[str, ...] = get_args(Show)


class Fault(NamedTuple):
    """One fault: its place (JSON Pointer), a sentence, and whether it is only an unknown field."""

    pointer: str
    detail: str
    is_unknown_field: bool = False


class NotATree(ValueError):
    """The JSON is not a valid tree."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.pointer}: {fault.detail}" for fault in faults))


def read_tree(content: Any) -> Tree:
    """The tree in `content` (parsed JSON, see CONTRACT section 6).

    Raises:
        NotATree: with all faults: unknown or missing fields, fields of a wrong type, texts that are too long, targets
            that do not exist, cycles, nodes that cannot be reached, paths without an outcome.
    """
    reader = _Reader()
    tree = reader.tree(content)
    if reader.faults:
        raise NotATree(reader.faults)
    return tree


def sketch(content: Any) -> tuple[Tree, tuple[Fault, ...]]:
    """A tree that may have faults, for a drawing, and its faults. It cannot be walked.

    Faulty parts are empty: a choice may have no target, the graph may have cycles, the start may not be a node.
    """
    reader = _Reader()
    tree = reader.tree(content)
    return tree, tuple(reader.faults)


class _Reader:
    """Collects the faults of one tree; faulty parts are read as empty, so that the rest can be read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.edges: dict[str, list[Edge]] = {}

    def fault(self, pointer: str, detail: str) -> None:
        self.faults.append(Fault(pointer, detail))

    def tree(self, content: Any) -> Tree:
        found = self.fields(content, "#", needed=("title", "start", "nodes"))
        title = self.text(found, "#", "title")
        nodes = found.get("nodes")
        if not isinstance(nodes, Mapping):
            if "nodes" in found:
                self.fault("#/nodes", "Give an object: each node under its name.")
            nodes = {}
        elif not 1 <= len(nodes) <= MOST_NODES:
            self.fault("#/nodes", f"A tree has 1 to {MOST_NODES} nodes, not {len(nodes)}.")
            nodes = {}
        self.edges = {str(name): [] for name in nodes}
        read = {str(name): self.node(str(name), node) for name, node in nodes.items()}
        start = self.place(found, "#", "start") if nodes or "nodes" not in found else None
        for pointer, detail in faults_of_graph(self.edges, start=start):
            self.fault(pointer, detail)
        return Tree(title=title, start=start or "", nodes=read)

    def node(self, name: str, content: Any) -> Node:
        at = f"#/nodes/{escaped(name)}"
        if not re.fullmatch(EXTERNAL_ID, name):
            self.fault(at, "Name a node by letters, digits, . _ : and - only; 128 at most.")
        found = self.fields(content, at, needed=("ask", "choices"), also=("help", "show", "when", "else"))
        show = found.get("show")
        if show is not None and show not in _SHOWS:
            self.fault(f"{at}/show", f"Use null or one of {', '.join(_SHOWS)}.")
        when = self.when(found["when"], f"{at}/when") if "when" in found else None
        is_skipped = "when" in found
        otherwise = self.place(found, at, "else", leaves=name) if "else" in found else None
        if is_skipped and "else" not in found:
            self.fault(f"{at}/else", "Say which node comes where `when` is false: this way has no outcome.")
        if "else" in found and not is_skipped:
            self.fault(f"{at}/else", "Only a node with `when` is ever skipped.")
        return Node(
            name=name,
            ask=self.text(found, at, "ask"),
            help=self.text(found, at, "help", may_be_blank=True),
            show=cast(Show | None, show) if show in _SHOWS else None,
            when=when,
            otherwise=otherwise,
            choices=self.choices(found, at, name),
        )

    def when(self, content: Any, at: str) -> When | None:
        """The condition; None after a fault of the operator, or of the list for "in"."""
        found = self.fields(content, at, needed=("path", "op"), also=("value",))
        path, op, value = found.get("path"), found.get("op"), found.get("value")
        if "path" in found:
            steps = path.split(".") if isinstance(path, str) and len(path) <= LONGEST_PATH else [""]
            if "" in steps:
                self.fault(
                    f"{at}/path", f"Give names and indexes with a dot between; {LONGEST_PATH} characters at most."
                )
            elif steps[0] not in PLACES:
                self.fault(f"{at}/path", f"Begin with one of {', '.join(PLACES)}.")
        if "op" in found and op not in _OPS:
            self.fault(f"{at}/op", f"Use one of {', '.join(_OPS)}.")
        elif op == "exists":
            value = found.get("value", True)
            if not isinstance(value, bool):
                self.fault(f"{at}/value", "Leave it out, or say true or false.")
        elif "op" in found and "value" not in found:
            self.fault(f"{at}/value", f"{_REQUIRED} It is what is compared with.")
        elif op == "in" and not isinstance(value, list):
            self.fault(f"{at}/value", "Give a list of what it may be.")
        if len(canonical(value)) > LONGEST_VALUE:
            self.fault(f"{at}/value", f"Use {LONGEST_VALUE} characters at most.")
        if op not in _OPS or (op == "in" and not isinstance(value, list)):
            return None
        return When(path=str(path), op=cast(Op, op), value=value)

    def choices(self, node: Mapping[str, Any], at: str, name: str) -> tuple[Choice, ...]:
        if "choices" not in node:
            return ()
        choices, at = node["choices"], f"{at}/choices"
        if not isinstance(choices, list):
            self.fault(at, "Give a list.")
            return ()
        if not choices:
            self.fault(at, "Without a choice this way has no outcome.")
        if len(choices) > MOST_CHOICES:
            self.fault(at, f"A question has {MOST_CHOICES} choices at most, not {len(choices)}.")
            return ()
        return tuple(self.choice(choice, f"{at}/{number}", name) for number, choice in enumerate(choices))

    def choice(self, content: Any, at: str, name: str) -> Choice:
        found = self.fields(content, at, needed=("label",), also=("next", "outcome", "text"))
        if isinstance(content, Mapping) and ("next" in found) == ("outcome" in found):
            self.fault(at, "A choice leads to a `next` node or to an `outcome`: give one of them.")
        outcome = found.get("outcome")
        if "outcome" in found and not (isinstance(outcome, str) and re.fullmatch(SLUG, outcome)):
            outcome = None
            self.fault(
                f"{at}/outcome", "Use a to z, 0 to 9, - and _ only, beginning with a letter or digit; 63 at most."
            )
        if not isinstance(found.get("text", False), bool):
            self.fault(f"{at}/text", "Say true or false.")
        elif "text" in found and "outcome" not in found:
            self.fault(f"{at}/text", "Only a choice with an outcome can ask for words.")
        return Choice(
            label=self.text(found, at, "label"),
            next=self.place(found, at, "next", leaves=name) if "next" in found else None,
            outcome=cast(str | None, outcome),
            has_text=found.get("text") is True,
        )

    def fields(self, content: Any, at: str, *, needed: Sequence[str], also: Sequence[str] = ()) -> Mapping[str, Any]:
        """The fields of an object; empty, with a fault, if the content is not an object."""
        if not isinstance(content, Mapping):
            self.fault(at, "Give an object.")
            return {}
        for name in content:
            if name not in needed and name not in also:
                self.faults.append(Fault(f"{at}/{escaped(name)}", f"There is no field {name!r} here.", True))
        for name in needed:
            if name not in content:
                self.fault(f"{at}/{name}", _REQUIRED)
        return content

    def text(self, found: Mapping[str, Any], at: str, name: str, *, may_be_blank: bool = False) -> str:
        value = found.get(name, "")
        if name not in found:
            return ""
        if not isinstance(value, str):
            self.fault(f"{at}/{name}", "Give a text.")
            return ""
        if len(value) > LONGEST_TEXT:
            self.fault(f"{at}/{name}", f"Use {LONGEST_TEXT} characters at most.")
        elif not may_be_blank and not re.search(NOT_BLANK, value):
            self.fault(f"{at}/{name}", "This may not be blank.")
        return value

    def place(self, found: Mapping[str, Any], at: str, name: str, *, leaves: str = "") -> str | None:
        """The name of the target node, and an edge from the node `leaves`; None, with a fault, without such a node."""
        if name not in found:
            return None
        target = found[name]
        if not isinstance(target, str) or target not in self.edges:
            self.fault(f"{at}/{name}", f"There is no node {target!r}." if isinstance(target, str) else "Name a node.")
            return None
        if leaves:
            self.edges[leaves].append(Edge(f"{at}/{name}", target))
        return target
