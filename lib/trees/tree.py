"""The data of a decision tree: its questions, their conditions, and the targets of their answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Show = Literal["parse", "object"]
"""The thing beside a question: the parse in words, or the blocks that the agent found, which flash."""
Op = Literal["eq", "ne", "in", "exists"]

MOST_NODES = 100
MOST_CHOICES = 9
"""The most choices of a question: one for each digit key."""
LONGEST_TEXT = 500
"""The most characters of a title, a question, its help or a choice."""
LONGEST_WORDS = 2000
"""The most characters of a worker's own words."""

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
"""The outcomes that routing knows. A tree may have other outcomes; all are slugs."""


@dataclass(frozen=True)
class When:
    """The condition of a question: the value at `path` in the facts, compared with `value` by `op`."""

    path: str
    op: Op
    value: Any = None

    @property
    def steps(self) -> tuple[str, ...]:
        return tuple(self.path.split("."))


@dataclass(frozen=True)
class Choice:
    """One answer: it leads either to the node `next` or to an `outcome`; with `has_text` the worker adds a text."""

    label: str
    next: str | None = None
    outcome: str | None = None
    has_text: bool = False


@dataclass(frozen=True)
class Node:
    """One question. Where `when` is false, the node `otherwise` (`else` in JSON) is asked instead."""

    name: str
    ask: str
    choices: tuple[Choice, ...]
    help: str = ""
    show: Show | None = None
    when: When | None = None
    otherwise: str | None = None


@dataclass(frozen=True)
class Tree:
    """A valid tree: it has no cycle, each node can be reached from `start`, and each path ends in an outcome."""

    title: str
    start: str
    nodes: Mapping[str, Node] = field(hash=False)

    def as_json(self) -> dict[str, Any]:
        """The tree as JSON with all defaults, equal for equal trees.

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
