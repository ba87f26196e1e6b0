"""From answers to a form, and from a form to answers: the questions that the grammar asks, node by node.

What is known of a command is a record: the answers of its steps, by their keys. A walk goes over the grammar from the
root, reads from the record what was answered, and stops wherever it was not: there a step is open. What depends on no
open answer is asked at the same time. So the form, the open steps and what stands so far all follow from the record,
and a record can be cut anywhere and asked again.

A walk that knows the form answers its own steps: so truths, references and the tests of this file are made.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.logical_form import Form
from annotation.logical_form.asking import Where
from annotation.logical_form.questions import Answers, Step
from annotation.logical_form.types import Of
from annotation.logical_form.values_asked import UNKNOWN, Clash, NotYet
from annotation.logical_form.walker import Walker

Record = Mapping[str, Answers]
"""The answers of a command's steps, by the keys of the steps."""


@dataclass
class Walked:
    """Where a command stands.

    Attributes:
        form: What is known so far; the whole form once nothing is open.
        open: The steps that can be asked now, in order.
        done: The steps that were answered, in order.
        faults: Answers that contradict each other, or say nothing where something must be said. A record with any
            gives no valid form, so the last step's answers are refused if they bring one.
    """

    form: Form
    open: list[Step] = field(default_factory=list)
    done: list[Step] = field(default_factory=list)
    faults: list[Clash] = field(default_factory=list)


def walk(record: Record) -> Walked:
    """Where a command with these answers stands. What the record has beside is left alone.

    Args:
        record: Answers that are valid for their steps (`questions.answer_faults`).
    """
    walker = Walker(dict(record), knows=False)
    form = walker.visit(Of("ROOT"), "", UNKNOWN, Where())
    return Walked({} if isinstance(form, NotYet) else form, walker.open, walker.done, walker.faults)


def record_of(form: Form) -> dict[str, dict[str, Any]]:
    """The answers of somebody who knows the form, which is valid: walked, they give a form that is the same."""
    walker = Walker({}, knows=True)
    walker.visit(Of("ROOT"), "", form, Where())
    return {key: dict(answers) for key, answers in walker.record.items()}


def cut(record: Record, key: str) -> dict[str, Answers]:
    """The record without this step and all that followed from it, so that it is asked again; the rest stays."""
    without = {name: answers for name, answers in record.items() if name != key}
    reached = {step.key for step in walk(record).done} - {step.key for step in walk(without).done}
    return {name: answers for name, answers in without.items() if name not in reached}
