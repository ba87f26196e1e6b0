"""Functions that the demo's loaders share: projects, quizzes, and simulated crowds that answer in turns."""

import random
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol, TypeVar

from django.db import transaction

from annotation.models import Assignment, Enrolment, Project, Task
from annotation.offer.experiments import MoneyBody, PayBody
from annotation.projects.projects import ProjectBody, put_project
from annotation.tool_registry import Json, tool_named
from annotation.work import claims, leases
from annotation.work.enrolments import enrol
from annotation.work.submissions import submit
from demo.crowds.simulation import PLATFORM
from lib.faults import Invalid
from workforce.blocking import worker_on
from workforce.qualifications import QualificationBody, put_qualification
from workforce.questions import Question

GAP_S = 40.0
"""Average seconds between two answers of a crowd."""


@transaction.atomic
def put_demo_project(*, slug: str, pay: str, at: datetime, **rest: Any) -> Project:
    """Make a live project. `rest` has the fields that differ from the usual ones; `pay` is US dollars for an answer."""
    base = MoneyBody(amount=Decimal(pay), currency="USD")
    body = ProjectBody(pay=PayBody(base=base), status=Project.Status.LIVE, **rest)
    project, _ = put_project(slug=slug, body=body, by="system", at=at)
    return Project.objects.get(pk=project.pk)


def put_demo_quiz(
    *, slug: str, title: str, pages: list[str], questions: list[Question], pass_mark: float, at: datetime
) -> None:
    """Make a quiz that asks all its questions and allows three attempts."""
    body = QualificationBody(
        title=title,
        pages=pages,
        questions=questions,
        draw=None,
        pass_mark=pass_mark,
        attempts=3,
        cool_off_s=60,
        valid_s=None,
    )
    put_qualification(slug=slug, body=body, by="system", at=at)


def enrol_crowd(project: Project, names: Iterable[str], *, at: datetime) -> dict[str, Enrolment]:
    """Enrol simulated workers, by the names that they have in this project's crowd."""
    return {
        name: enrol(
            project=project, worker=worker_on(PLATFORM, f"{project.slug}-{name}", at=at, is_simulated=True), at=at
        )
        for name in names
    }


class SimulatedWorker(Protocol):
    """A program in the place of a worker."""

    def takes_s(self) -> float:
        """How many seconds it takes for the next task."""


Worker = TypeVar("Worker", bound=SimulatedWorker)


def answer_in_turns(
    crowd: Mapping[str, Worker],
    *,
    project: Project,
    answer: Callable[[Worker, Assignment, Json], Json],
    otherwise: Json | None = None,
    seed: int,
    began: datetime,
    at: datetime,
) -> int:
    """Enrol a crowd and let it answer in turns, from `began` to `at`, until no task is left.

    Args:
        answer: The answer of a worker to an assignment with this payload.
        otherwise: The answer to submit instead if the tool refuses it.

    Returns:
        The number of answers.
    """
    # The seed makes every demo look much the same; nothing secret depends on it.
    chance = random.Random(seed)
    enrolments = enrol_crowd(project, crowd, at=began)
    tool = tool_named(project.tool)
    now, done, is_going_on = began, 0, True
    waiting = Task.objects.ordinary().filter(project=project, status=Task.Status.OPEN)
    while is_going_on and now < at and waiting.exists():
        is_going_on = False
        leases.free_slots(at=now)
        for name in chance.sample(list(crowd), len(crowd)):
            now = min(now + timedelta(seconds=chance.expovariate(1 / GAP_S) + 1), at)
            seconds = crowd[name].takes_s()
            enrolment = enrolments[name]
            hold = claims.claim_next(enrolment=enrolment, at=now - timedelta(seconds=seconds), chance=chance.random)
            if hold is None:
                continue
            given = answer(crowd[name], hold, tool.present(hold.task, hold=hold.public_id))
            work: dict[str, Any] = {"active_s": round(seconds, 1), "at": now}
            try:
                submit(enrolment=enrolment, assignment=hold, answer=given, **work)
            except Invalid:
                if otherwise is None:
                    raise
                submit(enrolment=enrolment, assignment=hold, answer=otherwise, **work)
            done += 1
            is_going_on = True
    return done
