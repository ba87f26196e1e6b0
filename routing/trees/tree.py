"""What a decision tree is: questions, what they show, when they are skipped, and where each answer leads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Show = Literal["parse", "object"]
"""What stands beside a question: the parse in words, or what the agent took the words for, flashing in the world."""
Op = Literal["eq", "ne", "in", "exists"]

MOST_NODES = 100
MOST_CHOICES = 9
"""One for each digit key."""
LONGEST_TEXT = 500
"""Characters of a title, a question, its help or a choice."""
LONGEST_WORDS = 2000
"""Characters of a worker's own words."""

OK = "ok"
NLU_ERROR = "nlu_error"
CAPABILITY_ERROR = "capability_error"
KNOWN_OUTCOMES: Mapping[str, str] = MappingProxyType(
    {
        OK: "the command was carried out",
        "nlu_error": "the agent misunderstood the words",
        "vision_error": "it perceived the wrong object, or none",
        "memory_error": "it forgot or mixed something up",
        "capability_error": "it cannot do such things",
        "task_error": "it did it badly",
        "agent_error": "it froze or crashed",
        "other_error": "something else, told in words",
    }
)
"""The outcomes that routing knows; a tree may have others, which are slugs too."""


@dataclass(frozen=True)
class When:
    """On what a question depends: the place `path` in the facts, compared with `value` by `op`."""

    path: str
    op: Op
    value: Any = None

    @property
    def steps(self) -> tuple[str, ...]:
        return tuple(self.path.split("."))


@dataclass(frozen=True)
class Choice:
    """One answer: it leads to the node `next` or to an `outcome`, never both; with `has_text` it wants words too."""

    label: str
    next: str | None = None
    outcome: str | None = None
    has_text: bool = False


@dataclass(frozen=True)
class Node:
    """One question. Where `when` is false it is skipped, and `otherwise` (the JSON's `else`) comes in its place."""

    name: str
    ask: str
    choices: tuple[Choice, ...]
    help: str = ""
    show: Show | None = None
    when: When | None = None
    otherwise: str | None = None


@dataclass(frozen=True)
class Tree:
    """A valid tree: acyclic, each node reachable from `start`, each way from there ends in an outcome."""

    title: str
    start: str
    nodes: Mapping[str, Node] = field(hash=False)

    def as_json(self) -> dict[str, Any]:
        """The tree with every default spelled out: equal for trees that mean the same.

        >>> node = Node("done", "Done?", (Choice("Yes", outcome="ok"),))
        >>> Tree("T", "done", {"done": node}).as_json()["nodes"]["done"]["choices"]
        [{'label': 'Yes', 'next': None, 'outcome': 'ok', 'text': False}]
        """
        return {
            "title": self.title,
            "start": self.start,
            "nodes": {name: _node(node) for name, node in self.nodes.items()},
        }


def _node(node: Node) -> dict[str, Any]:
    when = node.when
    return {
        "ask": node.ask,
        "help": node.help,
        "show": node.show,
        "when": None if when is None else {"path": when.path, "op": when.op, "value": when.value},
        "else": node.otherwise,
        "choices": [
            {"label": choice.label, "next": choice.next, "outcome": choice.outcome, "text": choice.has_text}
            for choice in node.choices
        ],
    }
