"""The shape of a template, and the parts that all templates share."""

import re
from dataclasses import dataclass

from annotation.projects.projects import AggregationBody, GateBody, ProjectBody, StartBody
from workforce.qualifications import QualificationBody
from workforce.questions import Question


@dataclass(frozen=True)
class Template:
    """A way to begin a project.

    Attributes:
        name: Stands in forms.
        question: What a person wants to know, in one sentence.
        answer: How the project answers it, in one sentence.
        quiz: The questions before the first task.
        body: The project that it makes, but for its title and its qualification.
        task_s: How many seconds an answer takes about, until answers tell it.
        answers_for_a_task: How many answers of a worker a posted task takes about.
    """

    name: str
    question: str
    answer: str
    quiz: QualificationBody
    body: ProjectBody
    task_s: int
    answers_for_a_task: int = 1

    @property
    def tool(self) -> str:
        return self.body.tool


GATES: list[GateBody] = [
    {"action": "warn", "below": 0.75, "minimum_n": 6},
    {"action": "pause", "below": 0.65, "minimum_n": 10},
]
"""A worker is warned first. A pause needs more answers, since it costs the worker more."""
START = StartBody(tasks=10, reference_rate=0.3)
"""More references at the start, so that the gates know a new worker early."""


def closing_early(method: str, *, most: int) -> AggregationBody:
    """Tasks close as soon as their consensus is 90 % sure, and ask more workers while it is not."""
    return AggregationBody(method=method, confidence=0.9, least=2, most=most)


def quiz(title: str, *questions: Question) -> QualificationBody:
    """A quiz of all these questions; a worker may miss one in four, and has three attempts."""
    return QualificationBody(
        title=title,
        pages=[],
        questions=list(questions),
        draw=None,
        pass_mark=0.75,
        attempts=3,
        cool_off_s=60,
        valid_s=None,
    )


def single(name: str, ask: str, right: str, *others: str) -> Question:
    """A question with one right option. The options are shuffled for each worker."""
    return Question(id=name, ask=ask, kind="single", options=[right, *others], accept=[right])


def pages(*texts: str) -> list[str]:
    """Pages of instructions, each paragraph on one line as a person would type it.

    >>> pages("# Head\\n\\nOne\\nline.\\n- a\\n  b")
    ['# Head\\n\\nOne line.\\n- a b']
    """
    return [re.sub(r"(?<!\n)\n(?!\n)\s*(?!\s|[-#] |\d+\. )", " ", text) for text in texts]
