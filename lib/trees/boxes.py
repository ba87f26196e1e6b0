"""The boxes in the drawing of a tree: its questions, their answers and the targets of the answers.

The page lays them out (`frontend/src/page/tree_drawing.ts`). A tree with faults is drawn too: an answer whose target is
missing or would close a cycle has neither a target nor an outcome.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from lib.canonical_json import escaped
from lib.trees.engine import Turn
from lib.trees.graph import closing_edges, edges_of
from lib.trees.text import in_order
from lib.trees.tree import Choice, Node, Tree


class AnswerBox(NamedTuple):
    """One answer of a question.

    Attributes:
        target: The question that the answer leads to; empty if there is none in the drawing.
        is_lit: The shown walk took this answer.
    """

    choice: Choice
    target: str
    is_lit: bool


class QuestionBox(NamedTuple):
    """One question with its answers.

    Attributes:
        otherwise: The question that replaces this one (`else`); empty if there is none in the drawing.
        is_lit: The shown walk answered the question; `is_open`: it is waiting for an answer.
        is_faulty: The text of the question has a fault.
    """

    node: Node
    answers: list[AnswerBox]
    otherwise: str
    is_lit: bool
    is_open: bool
    is_faulty: bool


def boxes_of(
    tree: Tree, *, path: Sequence[Turn] = (), now: str = "", faulty: Collection[str] = ()
) -> list[QuestionBox]:
    """All questions with their answers, in the order of `in_order`.

    Args:
        path: The answers of the walk that is shown.
        now: The node whose question is open.
        faulty: The nodes with a fault.
    """
    edges = edges_of(tree)
    targets = {edge.pointer: edge.target for ways in edges.values() for edge in ways}
    for edge in closing_edges(edges, start=tree.start):
        del targets[edge.pointer]
    taken = {turn["node"]: turn["choice"] for turn in path}
    boxes = []
    for node in in_order(tree):
        name, at = node.name, f"#/nodes/{escaped(node.name)}"
        answers = [
            AnswerBox(choice, targets.get(f"{at}/choices/{number}/next", ""), taken.get(name) == number)
            for number, choice in enumerate(node.choices)
        ]
        otherwise = targets.get(f"{at}/else", "")
        boxes.append(QuestionBox(node, answers, otherwise, name in taken, name == now, name in faulty))
    return boxes
