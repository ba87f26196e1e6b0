"""Reviewers and tasks that need one, for the tests of reviewing."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Annotation, Category, GateAction, Membership, Project, Task
from annotation.review import taxonomies
from tests.builders import NOON, annotate, claim, make_enrolment, make_project, make_task, make_worker
from workforce.models import Worker


def account(name: str, role: str = "reviewer", project: Project | None = None) -> User:
    """A staff account with one role, everywhere or in one project."""
    user, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    Membership.objects.create(user=user, project=project, role=role, created_at=NOON)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def tied_task(project: Project | None = None, *, workers: tuple[Worker, Worker] | None = None) -> Task:
    """A done task on which two workers disagree."""
    project = project or make_project(redundancy=2)
    task = make_task(project)
    for worker, outcome, frame in zip(
        workers or (make_worker(), make_worker()), ("success", "failure"), (30, 40), strict=True
    ):
        annotate(claim(project, worker), outcome=outcome, frame=frame)
    task.refresh_from_db()
    return task


def answer_to(task: Task) -> Annotation:
    return Annotation.objects.filter(task=task).order_by("number")[0]


def paused(project: Project | None = None, *, appeal: str = "", **changes: Any) -> GateAction:
    """A worker whom a gate paused for three wrong answers."""
    project = project or make_project()
    evidence = {
        "plan": {"good": 0.9, "bad": 0.7, "alpha": 0.05, "beta": 0.05, "act_at": 2.94, "pass_at": -2.94},
        "test": "sprt",
        "llr": 3.3,
        "act_at": 2.94,
        "confusion": {"success": {"success": 0, "failure": 3}, "failure": {"success": 0, "failure": 0}},
        "answers": [
            {
                "annotation": f"answer-{number}",
                "task": 1000 + number,
                "key": f"reference-{number}",
                "truth": True,
                "said": number == 2,
                "right": number == 2,
                "at": NOON.isoformat(),
            }
            for number in range(3)
        ],
    }
    return GateAction.objects.create(
        enrolment=make_enrolment(project, make_worker()),
        action="pause",
        rule={"action": "pause", "below": 0.7, "minimum_n": 3, "alpha": 0.05, "beta": 0.05},
        evidence=evidence,
        at=NOON,
        appeal=appeal,
        appealed_at=NOON if appeal else None,
        **changes,
    )


def category(code: str = "rigidity", taxonomy: str = "human_error") -> Category:
    taxonomies.make_first()
    return Category.objects.get(taxonomy=taxonomy, code=code)
