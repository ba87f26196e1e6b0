"""The usual answers to a question, commonest first: for the order of options, and for answers of several choices.

They are counted over real commands whose forms are known (`scripts/usual_answers.py`), never over the command at hand.
A question is told by its place in the grammar and by its options.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lib.logical_form.asking.questions import Question
from lib.logical_form.grammar.types import Option

FILE = Path(__file__).with_name("usual.json")
MOST = 6
"""Most usual answers of several choices: with the way to any other answer they are seven."""
_NAMES = 2
"""So many names of the path tell the place of a question."""


def place_of(question: Question) -> str:
    """The name under which the answers to such a question are counted."""
    names = [name for name in question.path.split("/") if name and not name.isdigit()]
    options = "|".join(option.value for option in question.options)
    return f"{'/'.join(names[-_NAMES:])}:{question.id}:{options}"


@cache
def _counted() -> dict[str, list[list[str]]]:
    """The answers by place, commonest first, each as the list of its values."""
    found: dict[str, list[list[str]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def in_usual_order(question: Question) -> Sequence[Option]:
    """The options, commonest first; those that nobody chose yet keep their order."""
    chosen = [value for values in _counted().get(place_of(question), ()) for value in values]
    ranks = {value: rank for rank, value in enumerate(dict.fromkeys(chosen))}
    return sorted(question.options, key=lambda option: ranks.get(option.value, len(ranks)))


def usual_answers(question: Question) -> list[list[str]]:
    """The commonest answers of several choices, each the list of its values; an empty list chooses nothing."""
    if question.kind != "choices":
        return []
    found = _counted().get(place_of(question), [])
    return [values for values in found if values or not question.needed][:MOST]
