"""What the demo's projects have in common: their settings, their quizzes, and how a simulated crowd takes turns."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from annotation import claims
from annotation.access import enrol
from annotation.models import Assignment, Enrolment, Project, Task
from annotation.projects import ProjectBody, put_project
from annotation.simulated import PLATFORM
from workforce.qualifications import QualificationBody, put_qualification
from workforce.questions import Question
from workforce.standing import worker_on

GAP_S = 40.0
"""Between two answers of a crowd, on average."""
_PLAIN: dict[str, Any] = {
    "start": None,
    "lease_s": 900,
    "limit_per_worker": None,
    "budget": None,
    "consent": None,
    "qualification": None,
    "gates": [],
    "aggregation": {"method": "majority", "confidence": None, "least": 2, "most": None},
    "two_person_review": False,
    "settings": {},
    "status": Project.Status.LIVE,
}


@transaction.atomic
def put_demo_project(*, slug: str, pay: str, at: datetime, **rest: Any) -> Project:
    """Make a live project; `rest` is what it has of its own, as the API takes it, and `pay` US dollars an answer."""
    base = {"base": {"amount": pay, "currency": "USD"}}
    body: ProjectBody = {**_PLAIN, "pay": base, **rest}  # type: ignore[typeddict-item]
    project, _ = put_project(slug=slug, body=body, by="system", at=at)
    return Project.objects.get(pk=project.pk)


def put_demo_quiz(
    *, slug: str, title: str, pages: list[str], questions: list[Question], pass_mark: float, at: datetime
) -> None:
    """Make a quiz of which all questions are asked; three attempts."""
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


def let_in(project: Project, names: Sequence[str], *, at: datetime) -> dict[str, Enrolment]:
    """Simulated workers, by the names that they have in this project's crowd."""
    return {
        name: enrol(
            project=project,
            worker=worker_on(PLATFORM, f"{project.slug}-{name}", at=at, is_simulated=True),
            at=at,
        )
        for name in names
    }


def take_turns(
    enrolments: Mapping[str, Enrolment],
    *,
    project: Project,
    takes_s: Callable[[str], float],
    answer: Callable[[str, Assignment, float, datetime], None],
    seed: int,
    began: datetime,
    at: datetime,
) -> Iterator[Assignment]:
    """Let the crowd answer by turns, from `began` to `at`, until there is nothing left for them; each answered hold.

    Args:
        takes_s: How long the worker of this name takes for what comes next.
        answer: Hands in for the worker of this name, after so many seconds of work, at this moment.
    """
    # Drawn from a seed, so that every demo looks much the same; nothing secret hangs on it.
    luck = random.Random(seed)  # noqa: S311
    now = began
    waiting = Task.objects.ordinary().filter(project=project, open=True)
    is_going_on = True
    while is_going_on and now < at and waiting.exists():
        is_going_on = False
        for name in luck.sample(list(enrolments), len(enrolments)):
            now = min(now + timedelta(seconds=luck.expovariate(1 / GAP_S) + 1), at)
            seconds = takes_s(name)
            hold = claims.claim_next(
                enrolment=enrolments[name], at=now - timedelta(seconds=seconds), chance=luck.random
            )
            if hold is not None:
                answer(name, hold, seconds, now)
                is_going_on = True
                yield hold
