"""Walk a tree: the first question, the step after an answer, one step back, and the state of a stored path.

The engine keeps no state. A walk is its path: the answers so far, in order. The facts of a command must stay the same
during its walk; otherwise questions that were answered might be skipped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NotRequired, TypedDict

from lib.canonical_json import plain_json
from lib.trees.tree import LONGEST_WORDS, Choice, Node, Show, Tree, When

PLACES = ("parse", "objects", "status", "reason")
"""The names of the facts; the path of a `when` begins with one of them."""


class FoundObject(TypedDict):
    """The blocks that the agent took a phrase for; no voxels mean that it found nothing."""

    phrase: str
    voxels: Sequence[Sequence[int]]


class Facts(TypedDict):
    """The facts of a command at the beginning of its questions."""

    parse: Mapping[str, Any] | None
    objects: Sequence[FoundObject]
    status: str
    reason: NotRequired[str]
    """Why the command failed, if it did."""


class Turn(TypedDict):
    """One answer of a path: the node, the index of the choice from 0, and a text if the choice asks for one."""

    node: str
    choice: int
    text: NotRequired[str]


class OfferedChoice(TypedDict):
    label: str
    text: bool


class QuestionBody(TypedDict):
    """A question as JSON for the worker's page."""

    node: str
    ask: str
    help: str
    show: Show | None
    choices: list[OfferedChoice]
    can_go_back: bool


@dataclass(frozen=True)
class Question:
    """The next question, after the answers of `path`."""

    node: Node
    path: tuple[Turn, ...]

    @property
    def can_go_back(self) -> bool:
        return bool(self.path)

    def as_json(self) -> QuestionBody:
        node = self.node
        return {
            "node": node.name,
            "ask": node.ask,
            "help": node.help,
            "show": node.show,
            "choices": [{"label": choice.label, "text": choice.has_text} for choice in node.choices],
            "can_go_back": self.can_go_back,
        }


@dataclass(frozen=True)
class Outcome:
    """The end of a walk, with its whole path and the worker's text if the last choice asked for one."""

    outcome: str
    path: tuple[Turn, ...]

    @property
    def text(self) -> str:
        return self.path[-1].get("text", "")


Step = Question | Outcome


class Refused(ValueError):
    """An answer that is not valid here, with a code for programs and a sentence for people."""

    code: ClassVar[str] = "refused"

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(sentence)


class WrongNode(Refused):
    """Another question is open."""

    code = "wrong_node"


class NoSuchChoice(Refused):
    """The question has no choice with this index."""

    code = "no_such_choice"


class TextMissing(Refused):
    """The choice needs a text."""

    code = "text_missing"


class TextTooLong(Refused):
    """The text is longer than `LONGEST_WORDS`."""

    code = "text_too_long"


class TextUnwanted(Refused):
    """The choice has no text."""

    code = "text_unwanted"


class NothingBefore(Refused):
    """There is no question before the first one."""

    code = "nothing_before"


class Ended(Refused):
    """The walk has reached an outcome; after it there is no answer and no step back."""

    code = "ended"


def begin(tree: Tree, facts: Facts) -> Question:
    """The first question that these facts do not skip."""
    return Question(_asked(tree, facts, tree.start), ())


def answer(tree: Tree, facts: Facts, path: Sequence[Turn], node: str, choice: int, text: str | None = None) -> Step:
    """The step after an answer to the question that is open after `path`; the step's path includes the answer.

    Args:
        choice: Index from 0.
        text: The worker's words; white space around them is removed.

    Raises:
        WrongNode, NoSuchChoice, TextMissing, TextTooLong, TextUnwanted, Ended: the answer is not valid here.
    """
    turn = Turn(node=node, choice=choice)
    words = (text or "").strip()
    if words:
        turn["text"] = words
    return _follow(tree, facts, now(tree, facts, path), turn)


def back(tree: Tree, facts: Facts, path: Sequence[Turn]) -> tuple[list[Turn], Question]:
    """The path without its last answer, and the question of that answer: the inverse of `answer`.

    Raises:
        NothingBefore: the first question is open.
        Ended: the walk has reached an outcome.
    """
    if isinstance(now(tree, facts, path), Outcome):
        raise Ended("The questions about this command are over.")
    if not path:
        raise NothingBefore("This is the first question.")
    before = now(tree, facts, path[:-1])
    assert isinstance(before, Question), "a path goes on only after questions"  # noqa: S101 - narrows the type
    return list(before.path), before


def now(tree: Tree, facts: Facts, path: Sequence[Turn]) -> Step:
    """The state of a stored path: the open question, or the outcome.

    Raises:
        Refused: the path is not valid for this tree and these facts.
    """
    step: Step = begin(tree, facts)
    for turn in path:
        step = _follow(tree, facts, step, turn)
    return step


def holds(when: When, facts: Facts) -> bool:
    """Whether a condition is true for these facts.

    A missing place counts as null. `*` in a path means each item of a list; one item that fulfils the condition is
    enough. `exists` is false for null and for empty values. `ne` is the opposite of `eq`. As in JSON, 1 is not true.

    >>> facts = Facts(parse=None, objects=[{"phrase": "it", "voxels": []}], status="done")
    >>> [holds(When("objects.0.voxels", "exists", True), facts), holds(When("status", "in", ["done"]), facts)]
    [False, True]
    """
    values = list(_values(facts, when.steps))
    match when.op:
        case "eq":
            return any(_is_same(value, when.value) for value in values)
        case "ne":
            return not any(_is_same(value, when.value) for value in values)
        case "in":
            return any(_is_same(value, one) for value in values for one in when.value)
        case "exists":
            return any(value not in (None, "", [], {}, ()) for value in values) is when.value


def _asked(tree: Tree, facts: Facts, name: str) -> Node:
    """The node, or the node that replaces it. There always is one: the tree has no cycle, each `when` has an `else`."""
    node = tree.nodes[name]
    while node.when is not None and node.otherwise is not None and not holds(node.when, facts):
        node = tree.nodes[node.otherwise]
    return node


def _follow(tree: Tree, facts: Facts, step: Step, turn: Turn) -> Step:
    if isinstance(step, Outcome):
        raise Ended("The questions about this command are over.")
    if turn["node"] != step.node.name:
        raise WrongNode(f"The question that is open is {step.node.name!r}.")
    choice = _chosen(step.node, turn["choice"])
    _check_words(choice, turn.get("text", ""))
    path = (*step.path, turn)
    if choice.next is not None:
        return Question(_asked(tree, facts, choice.next), path)
    return Outcome(choice.outcome or "", path)


def _chosen(node: Node, choice: int) -> Choice:
    # True is an int in Python, but not an index.
    if type(choice) is not int or not 0 <= choice < len(node.choices):
        raise NoSuchChoice(f"Choose by a number from 0 to {len(node.choices) - 1}.")
    return node.choices[choice]


def _check_words(choice: Choice, text: str) -> None:
    if choice.has_text and not text.strip():
        raise TextMissing("Please say it in a few words.")
    if text and not choice.has_text:
        raise TextUnwanted("This answer takes no words.")
    if len(text) > LONGEST_WORDS:
        raise TextTooLong(f"Use {LONGEST_WORDS} characters at most.")


def _values(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """The values at a path: one value, None for a missing place; with `*` one for each item."""
    if not steps:
        yield value
        return
    first, rest = steps[0], steps[1:]
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if first == "*":
        for item in value if is_list else ():
            yield from _values(item, rest)
    elif isinstance(value, Mapping):
        yield from _values(value.get(first), rest)
    elif is_list and first.isascii() and first.isdigit() and int(first) < len(value):
        yield from _values(value[int(first)], rest)
    else:
        yield None


def _is_same(one: Any, other: Any) -> bool:
    return plain_json(one) == plain_json(other)
