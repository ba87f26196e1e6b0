"""The end of a worker's work in a project: its figures, and the sentences that tell them.

The sentences stand here alone: the page `/work/{project}/summary/` shows them, and the tools get them from the API.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.utils import dateformat

from annotation.models import Consensus, Enrolment
from annotation.projects.progress import progress_for
from annotation.work import messages, summaries
from learning.taught import Taught, taught_by
from lib.task_nouns import TaskNoun, task_noun
from web.templatetags.figures import amount

LEAST_TASKS, MOST_TASKS = 50, 20_000
"""In a project of so many tasks a worker is told how much of it is judged; more are not counted for one worker."""


@dataclass(frozen=True)
class WorkerSummary:
    """The figures of a worker's last page.

    Attributes:
        noun: The worker's word for a task.
        judged_in_ten: Of ten tasks of the project, how many had all their answers before the present day; None where
            it has few tasks, or very many.
    """

    noun: TaskNoun
    done: int
    left: int
    worked_s: float
    earned: Decimal
    currency: str
    owed: summaries.Owed
    compared: summaries.Comparison
    judged_in_ten: int | None
    taught: Taught | None
    messages: list[messages.Message]


def summary_of(enrolment: Enrolment, *, at: datetime) -> WorkerSummary:
    """The summary of a worker's work in one project. At most 24 queries, however much was done."""
    done, left = progress_for(enrolment)
    return WorkerSummary(
        noun=task_noun(enrolment.project.tool),
        done=done,
        left=left,
        worked_s=summaries.worked_s(enrolment),
        earned=enrolment.earned,
        currency=enrolment.project.currency,
        owed=summaries.owed_to(enrolment),
        compared=summaries.comparison_for(enrolment, at=at),
        judged_in_ten=_judged_in_ten(enrolment, at=at),
        taught=taught_by(enrolment.project),
        messages=messages.messages_for(enrolment),
    )


def _judged_in_ten(enrolment: Enrolment, *, at: datetime) -> int | None:
    """Rounded down, and only once a day: a count that moved with each answer would tell tasks from references.

    2 queries.
    """
    tasks = enrolment.project.tasks.posted().ordinary()[: MOST_TASKS + 1].count()
    if not LEAST_TASKS <= tasks <= MOST_TASKS:
        return None
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    judged = Consensus.objects.filter(
        project=enrolment.project_id, settled_at__lt=day, task__part_of=None, task__is_reference=False
    )
    return min(10, 10 * judged.count() // tasks)


class Said(NamedTuple):
    """A part of what is told at the end, with its heading."""

    title: str
    sentences: Sequence[str]


def said_at_the_end(found: WorkerSummary) -> list[Said]:
    """All sentences about the work; a part of which nothing is known yet is left out."""
    parts = [
        Said("What you did", [_done_in_words(found), *_compared_in_words(found)]),
        Said("Your pay", _owed_in_words(found)),
        Said("What came of it", _came_of_it_in_words(found)),
    ]
    return [part for part in parts if part.sentences]


def _done_in_words(found: WorkerSummary) -> str:
    if not found.done:
        return f"You did no {found.noun.one} yet."
    worked = worked_in_words(found.worked_s)
    return f"You did {found.noun.counted(found.done)}{f' in {worked} of work' if worked else ''}. Thank you."


def worked_in_words(seconds: float) -> str:
    """A span of work in words; "" for nothing.

    >>> worked_in_words(0), worked_in_words(29), worked_in_words(90), worked_in_words(3 * 3600 + 300)
    ('', '29 seconds', '2 minutes', '3 hours and 5 minutes')
    """
    if seconds < 60:
        return f"{seconds:.0f} seconds" if seconds >= 1 else ""
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} minute{'s' if minutes != 1 else ''}"
    hours, rest = divmod(minutes, 60)
    whole = f"{hours} hour{'s' if hours != 1 else ''}"
    return f"{whole} and {rest} minute{'s' if rest != 1 else ''}" if rest else whole


def _compared_in_words(found: WorkerSummary) -> list[str]:
    """How the work compares with other people's; empty while there is too little to say."""
    mine = found.compared
    said = []
    if mine.my_s is not None and mine.their_s is not None:
        said.append(
            f"You take about {mine.my_s:.0f} seconds for a {found.noun.one}. Most people take about {mine.their_s:.0f}."
        )
    if mine.same_in_ten is not None:
        said.append(f"About {mine.same_in_ten} in 10 of your answers are like those of most other people.")
    return said


def _owed_in_words(found: WorkerSummary) -> list[str]:
    """How far the worker's money has come; empty without any."""
    if not found.earned and not any((found.owed.waits, found.owed.approved, found.owed.sent, found.owed.arrived)):
        return []

    def money(sum_: Decimal) -> str:
        return f"{amount(sum_)} {found.currency}"

    owed = found.owed
    said = [f"You earned {money(found.earned)} so far."]
    if owed.bonus:
        said.append(f"{money(owed.bonus)} of it is bonus.")
    if owed.waits:
        said.append(f"{money(owed.waits)} waits for a look.")
        if owed.decided_by:
            by = dateformat.format(owed.decided_by, "j F Y, H:i")
            said[-1] += f" It is accepted by {by} UTC at the latest, then it is paid."
        else:
            said[-1] += " What is accepted is paid then."
    if owed.approved:
        said.append(f"{money(owed.approved)} is accepted and will be paid.")
    if owed.sent:
        said.append(f"{money(owed.sent)} is on its way to you.")
    if owed.arrived:
        said.append(f"{money(owed.arrived)} has arrived.")
    return said


def _came_of_it_in_words(found: WorkerSummary) -> list[str]:
    """The results of all people's work in the project; empty while there is too little to say."""
    said = []
    if found.judged_in_ten:
        many = found.noun.many
        said.append(f"About {found.judged_in_ten} in 10 {many} of this project have all the answers that they need.")
    taught = found.taught
    if taught is None:
        return said
    said.append(f"The agent can learn from {taught.examples} examples that people gave here.")
    if taught.is_in_use:
        said.append("The agent that people meet now has learnt from them.")
    if taught.right is not None and taught.before is not None:
        said.append(f"In a test it gets {taught.right:.0%} right. Before, it was {taught.before:.0%}.")
    return said
