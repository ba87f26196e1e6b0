"""Questions and steps of small tasks: their words, and the check of answers.

A key of the grammar that has a question of its own (`ask`) is asked with that; others are asked with its label.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lib.logical_form.asking.context import NAME, capital
from lib.logical_form.grammar.types import Key, Node, Option, Tagged
from lib.logical_form.spans import joined
from lib.logical_form.validate import MOST_FIXED, Fault

Kind = Literal["choice", "choices", "spans", "yes_no", "text"]
Answers = Mapping[str, Any]
"""The answers of one step by question id; an omitted question means that the command does not mention it."""


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        path: JSON pointer to the place in the form that the answer fills.
        needed: Whether the question must be answered.
        name: The part that the answer describes, as a short name: “what to build”.
    """

    id: str
    path: str
    ask: str
    kind: Kind
    options: tuple[Option, ...] = ()
    needed: bool = True
    example: str = ""
    name: str = ""


@dataclass(frozen=True)
class Step:
    """One to three questions about one node.

    Attributes:
        key: The step's name within its command, PATH#PART; it is always the same for the same questions.
        path: JSON pointer to the node in the form.
        noun: The name of the node in words: “the place”.
        trail: Labels of the parts that contain the node, outermost first: “where to build it”.
    """

    key: str
    path: str
    noun: str
    trail: tuple[str, ...]
    questions: tuple[Question, ...]


def words_question(key: Key, *, part: str = "", is_the_part: bool = False) -> str:
    """Ask which words of the command say this.

    Args:
        part: The part that it is told of, in a short phrase: “what to build”.
        is_the_part: Whether the key stands for the part itself.
    """
    label = part if part and (is_the_part or key.name == NAME) else key.label
    return key.ask or (f"Which words say {label}?" if label else "Which words say it?")


def text_question(key: Key, *, is_the_part: bool) -> str:
    """Ask for a text that does not stand in the command. See `words_question`."""
    return key.ask or ("Write it down." if is_the_part else f"Write down {key.label}.")


def number_question(key: Key, many: str) -> str:
    """Ask how many items there are; `many` is their name in the plural."""
    return key.ask or f"How many {many}?"


def choice_question(key: Key, tag: str, *, is_the_part: bool) -> str:
    """Ask which option it is; `tag` is the question of a tagged union, or "". See `words_question`."""
    return key.ask or tag or ("Which of these?" if is_the_part else f"{capital(key.label)}?")


def mentions_question(node: Node | Tagged, *, has_more: bool) -> str:
    """Ask which optional parts of the node the command mentions; `has_more`: besides those that are asked anyway."""
    return node.tells or f"What {'else ' if has_more else ''}do the words say about it?"


def answer_faults(step: Step, answers: Any, *, words: int) -> list[Fault]:
    """The faults of the answers of a step; pointers begin at the answers: `/ID`."""
    if not isinstance(answers, dict):
        return [Fault("", "The answers are an object with one member for each question.")]
    known = {question.id: question for question in step.questions}
    faults = [
        Fault(f"/{name}", f"There is no question {name!r} here; there is {', '.join(known)}.")
        for name in answers
        if name not in known
    ]
    for question in step.questions:
        value = answers.get(question.id)
        if value is None or value == []:
            if question.needed:
                faults.append(Fault(f"/{question.id}", "This question needs an answer."))
        elif reason := _wrong(question, value, words):
            faults.append(Fault(f"/{question.id}", reason))
    return faults


def tidy(step: Step, answers: Answers) -> dict[str, Any]:
    """Valid answers in a normal form, equal for equal answers: without empty ones, choices and spans in order."""
    found = {}
    for question in step.questions:
        value = answers.get(question.id)
        if value is None or value == []:
            continue
        if question.kind == "choices":
            value = [option.value for option in question.options if option.value in value]
        elif question.kind == "spans":
            value = [list(piece) for piece in joined(value)]
        elif question.kind == "text":
            value = value.strip()
        found[question.id] = value
    return found


def _wrong(question: Question, value: Any, words: int) -> str | None:
    values = [option.value for option in question.options]
    match question.kind:
        case "yes_no":
            return None if isinstance(value, bool) else "Say true or false."
        case "choice":
            return None if value in values else f"{value!r} is not one of {', '.join(values)}."
        case "choices":
            if not isinstance(value, list) or any(one not in values for one in value) or len(set(value)) < len(value):
                return f"Name some of {', '.join(values)}, each once."
            return None
        case "text":
            fine = isinstance(value, str) and 0 < len(value.strip()) <= MOST_FIXED
            return None if fine else f"Write 1 to {MOST_FIXED} characters."
        case "spans":
            return _wrong_words(value, words)


def _wrong_words(value: Any, words: int) -> str | None:
    shape = "Words are named as [[first, last], …], counted from 0, inclusive."
    if not isinstance(value, list):
        return shape
    for piece in value:
        if not isinstance(piece, list) or len(piece) != 2 or any(type(place) is not int for place in piece):
            return shape
        if not 0 <= piece[0] <= piece[1]:
            return f"The words {piece[0]} to {piece[1]} are no range."
        if piece[1] >= words:
            return f"The command has no word {piece[1]}; its last is {words - 1}."
    return None
