"""The differences between two versions of a tree, as sentences with the old and the new text."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from lib.canonical_json import canonical
from lib.trees.readout import SHOWN, condition, leads_to
from lib.trees.text import in_order
from lib.trees.tree import Choice, Node, Tree

Kind = Literal["added", "removed", "changed"]


class Difference(NamedTuple):
    """One change. `old` and `new` are the texts before and after it, empty where there is none.

    Attributes:
        node: The question that changed; empty for the tree itself.
    """

    node: str
    kind: Kind
    sentence: str
    old: str = ""
    new: str = ""


class OfNode(NamedTuple):
    """All changes of one question, or of the tree itself."""

    node: str
    kind: Kind
    differences: list[Difference]


def compare(before: Tree, after: Tree) -> list[Difference]:
    """All changes; empty if and only if both trees mean the same.

    Changes of the tree itself come first, then those of each question in order, then the removed questions.
    """
    found = []
    if before.title != after.title:
        found.append(Difference("", "changed", "The title is another.", before.title, after.title))
    if before.start != after.start:
        found.append(Difference("", "changed", "Another question comes first.", before.start, after.start))
    for node in in_order(after):
        old = before.nodes.get(node.name)
        if old is None:
            found.append(Difference(node.name, "added", "This question is new.", "", _whole(node)))
        else:
            found += _of_node(old, node)
    for node in in_order(before):
        if node.name not in after.nodes:
            found.append(Difference(node.name, "removed", "This question is gone.", _whole(node), ""))
    return found


def by_node(differences: list[Difference]) -> list[OfNode]:
    """The changes question by question, in the order in which they were found."""
    found: dict[str, list[Difference]] = {}
    for one in differences:
        found.setdefault(one.node, []).append(one)
    return [
        OfNode(node, "changed" if len(ones) > 1 or not node else _kind(ones[0]), ones) for node, ones in found.items()
    ]


def _kind(one: Difference) -> Kind:
    """The kind of change of the question itself; a new answer changes the question."""
    return one.kind if one.sentence.startswith("This question") else "changed"


def _of_node(old: Node, new: Node) -> Iterator[Difference]:
    def changed(sentence: str, before: str, after: str) -> Difference:
        return Difference(new.name, "changed", sentence, before, after)

    if old.ask != new.ask:
        yield changed("It is asked in other words.", old.ask, new.ask)
    if old.help != new.help:
        sentence = "The line below it is gone." if not new.help else "There is a line below it now."
        yield changed("The line below it is another." if old.help and new.help else sentence, old.help, new.help)
    if old.show != new.show:
        yield changed("Something else stands beside it.", SHOWN[old.show], SHOWN[new.show])
    # Compared as text, because 1 == True in Python.
    if _when(old) != _when(new):
        yield changed("It is asked under another condition.", _when(old), _when(new))
    if old.otherwise != new.otherwise:
        yield changed("Where it is skipped, another comes.", old.otherwise or "", new.otherwise or "")
    yield from _of_choices(new.name, old.choices, new.choices)


def _of_choices(node: str, old: tuple[Choice, ...], new: tuple[Choice, ...]) -> Iterator[Difference]:
    """Compare answers: those with equal labels are the same answer; replaced answers are paired in order."""
    matcher = SequenceMatcher(a=[choice.label for choice in old], b=[choice.label for choice in new], autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            for offset in range(a2 - a1):
                yield from _of_choice(node, a1 + offset, old[a1 + offset], new[b1 + offset])
            continue
        pairs = min(a2 - a1, b2 - b1)
        for offset in range(pairs):
            one, other = old[a1 + offset], new[b1 + offset]
            sentence = f"Answer {b1 + offset + 1} says something else."
            yield Difference(node, "changed", sentence, one.label, other.label)
            yield from _of_choice(node, b1 + offset, one, other)
        for number in range(a1 + pairs, a2):
            yield Difference(node, "removed", f"Answer {number + 1} is gone.", _line(old[number]), "")
        for number in range(b1 + pairs, b2):
            yield Difference(node, "added", f"Answer {number + 1} is new.", "", _line(new[number]))


def _of_choice(node: str, number: int, old: Choice, new: Choice) -> Iterator[Difference]:
    if (old.next, old.outcome, old.has_text) != (new.next, new.outcome, new.has_text):
        sentence = f"Answer {number + 1}, “{new.label}”, leads elsewhere."
        if (old.next, old.outcome) == (new.next, new.outcome):
            wants = "asks for words now" if new.has_text else "asks for no words any more"
            sentence = f"Answer {number + 1}, “{new.label}”, {wants}."
        yield Difference(node, "changed", sentence, leads_to(old), leads_to(new))


def _when(node: Node) -> str:
    """The condition in words, and in its exact form."""
    if node.when is None:
        return "always"
    value = "" if node.when.op == "exists" and node.when.value else f" {canonical(node.when.value)}"
    return f"only if {condition(node.when)} ({node.when.path} {node.when.op}{value})"


def _line(choice: Choice) -> str:
    return f"{choice.label} → {leads_to(choice)}"


def _whole(node: Node) -> str:
    """The question with its help, its condition and its answers, line by line."""
    lines = [node.ask]
    if node.help:
        lines.append(node.help)
    if node.show:
        lines.append(f"Shows {SHOWN[node.show]}.")
    if node.when is not None:
        lines.append(f"Asked {_when(node)}, otherwise {node.otherwise}.")
    return "\n".join([*lines, *(f"{number}. {_line(choice)}" for number, choice in enumerate(node.choices, start=1))])
