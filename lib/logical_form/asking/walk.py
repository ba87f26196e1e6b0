"""Turn answers into a form, and a form into answers: the walk over the grammar, node by node.

The state of a command is a record: the answers of its steps by step key. A walk goes over the grammar from the root and
reads the answers from the record. Where an answer is missing, a step is open. All steps that depend on no open answer
are open at the same time. So the partial form and the open steps follow from the record alone, and any step can be
removed from the record and asked again.

A walk that knows the form answers its own steps; truths, references and tests are made so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lib.logical_form import Form
from lib.logical_form.asking.context import Where
from lib.logical_form.asking.questions import Answers, Step
from lib.logical_form.asking.values import UNKNOWN, Clash, NotYet
from lib.logical_form.asking.walker import Walker
from lib.logical_form.grammar.types import Of

Record = Mapping[str, Answers]
"""The answers of a command's steps by step key."""


@dataclass
class Walked:
    """The state of a command.

    Attributes:
        form: The form so far; it is complete when no step is open.
        open: The steps that can be asked now, in order.
        done: The answered steps, in order.
        faults: Answers that contradict each other, or lack a needed part. A record with a fault gives no valid form, so
            the caller refuses answers of the last step that cause one.
    """

    form: Form
    open: list[Step] = field(default_factory=list)
    done: list[Step] = field(default_factory=list)
    faults: list[Clash] = field(default_factory=list)


def walk(record: Record) -> Walked:
    """The state of a command with these answers. Answers that no step asks for are ignored.

    Args:
        record: Answers that are valid for their steps (`questions.answer_faults`).
    """
    walker = Walker(dict(record), knows=False)
    form = walker.visit(Of("ROOT"), "", UNKNOWN, Where())
    return Walked({} if isinstance(form, NotYet) else form, walker.open, walker.done, walker.faults)


def record_of(form: Form, *, joins: bool = True) -> dict[str, dict[str, Any]]:
    """The answers that give a valid form: `walk` of them gives a form with the same meaning.

    Args:
        joins: Name a command of one action by that action at once; otherwise answer that it is a command, of one
            thing to do, and which: these answers are right too.
    """
    walker = Walker({}, knows=True, joins=joins)
    walker.visit(Of("ROOT"), "", form, Where())
    return {key: dict(answers) for key, answers in walker.record.items()}


def cut(record: Record, key: str) -> dict[str, Answers]:
    """The record without this step and the steps that depend on it, so it is asked again; other answers stay."""
    without = {name: answers for name, answers in record.items() if name != key}
    reached = {step.key for step in walk(record).done} - {step.key for step in walk(without).done}
    return {name: answers for name, answers in without.items() if name not in reached}
