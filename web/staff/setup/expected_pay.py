"""The cost of a project and the pay of an hour of its work: expected before there is work, measured after."""

from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.db.models import Count, Sum

from annotation.models import Project
from annotation.pay.hourly_rate import hourly_rate_of
from annotation.projects.templates.all import TEMPLATES

CENT = Decimal("0.01")
A_MINUTE = 60
MOST_REFERENCES = 0.9
"""A higher share is counted as this one: the answers to references have no end there."""


class Expected(NamedTuple):
    """The expected money of a project.

    Attributes:
        task_s: How many seconds a task takes.
        hourly: What an hour earns; None where nothing is paid.
        answers: How many answers are wanted, those to references included.
        total: What they cost.
        floor: What an hour should earn at least.
        fair: The pay for a task at which an hour earns that.
    """

    task_s: float
    hourly: Decimal | None
    tasks: int
    answers: int
    total: Decimal | None
    floor: Decimal
    fair: Decimal
    currency: str
    is_measured: bool

    @property
    def is_low(self) -> bool:
        return self.hourly is not None and self.hourly < self.floor


def expected_of(project: Project, *, task_s: float | None = None) -> Expected:
    """The expected money, by the seconds of an answer: these, or the measured ones, or the template's. 3 queries."""
    measured = hourly_rate_of(project)
    pay = project.base_pay
    template = TEMPLATES.get(project.tool)
    seconds = task_s or (measured.rates.seconds if measured else template.task_s if template else A_MINUTE)
    tasks, wanted = _wanted(project)
    # A reference takes the place of a task, which comes back later.
    rate = min(project.reference_rate, MOST_REFERENCES)
    answers = round(wanted * (template.answers_for_a_task if template else 1) / (1 - rate))
    floor: Decimal = settings.LEAST_HOURLY_PAY
    return Expected(
        task_s=seconds,
        hourly=(pay * 3600 / Decimal(seconds)).quantize(CENT) if pay is not None else None,
        tasks=tasks,
        answers=answers,
        total=(pay * answers).quantize(CENT) if pay is not None else None,
        floor=floor,
        fair=(floor * Decimal(seconds) / 3600).quantize(CENT),
        currency=project.currency,
        is_measured=measured is not None and task_s is None,
    )


def _wanted(project: Project) -> tuple[int, int]:
    """The tasks of the project, and the answers that they want. Tasks that are made when workers come count too."""
    found = project.tasks.ordinary().posted().aggregate(tasks=Count("pk"), wanted=Sum("wanted"))
    made, wanted = found["tasks"], found["wanted"] or 0
    to_come = max(0, int(project.settings.get("sessions", 0)) - made)
    return made + to_come, wanted + to_come * project.redundancy
