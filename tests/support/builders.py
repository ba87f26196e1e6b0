"""Plain typed builders of data: people, projects, tasks, answers, reviewers. What is not named has a default."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from itertools import count
from pathlib import Path
from shutil import copytree
from typing import Any, Generic, TypeVar, cast

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker

from agents.models import Agent
from annotation.access.roles import Role
from annotation.models import Annotation, Assignment, Category, Enrolment, GateAction, Membership, Project, Task
from annotation.review import taxonomies
from annotation.work.claims import claim_next
from annotation.work.enrolments import enrol, make_link
from annotation.work.posting import TaskBody, post_tasks
from annotation.work.submissions import submit
from evaluation.models import Episode, Film, Scenario, Suite
from evaluation.preparation import make_ready
from evaluation.project_feeds import set_feed
from evaluation.suites import ScenarioBody, put_scenario
from lib.video.frames import FrameTable
from workforce.blocking import worker_on
from workforce.models import Qualification, Worker
from workforce.qualifications import QualificationBody, put_qualification

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
_number = count(1)


def make_agent(slug: str = "") -> Agent:
    slug = slug or f"agent-{next(_number)}"
    return Agent.objects.get_or_create(slug=slug, defaults={"name": slug, "created_at": NOON})[0]


def make_suite(slug: str = "") -> Suite:
    slug = slug or f"suite-{next(_number)}"
    return Suite.objects.get_or_create(slug=slug, defaults={"title": slug, "created_at": NOON})[0]


def scenario_body(**changes: Any) -> ScenarioBody:
    body = ScenarioBody(
        instruction="put the red ball next to the green key",
        category="put_next_to",
        skill="instruction following",
        takeover_s=1.0,
        continuation_s=5.0,
        criteria="The ball lies on a square that touches the key's.",
        prompt="",
        tags=[],
        difficulty=None,
        chance=None,
        media=None,
        source=None,
        metadata={},
    )
    return body | changes  # type: ignore[return-value]


def make_scenario(suite: Suite | None = None, key: str = "", **changes: Any) -> Scenario:
    scenario, _ = put_scenario(
        suite=suite or make_suite(),
        key=key or f"scenario-{next(_number)}",
        body=scenario_body(**changes),
        by="system",
        at=NOON,
    )
    return scenario


def make_episode(
    *,
    scenario: Scenario | None = None,
    agent: Agent | None = None,
    external_id: str = "",
    continuation: int | None = None,
    reference: dict[str, Any] | None = None,
    frames: int = 100,
    fps: int = 10,
    is_ready: bool = True,
) -> Episode:
    """An episode of `frames` frames at `fps`, with stand-ins for its files: for all that looks at no picture."""
    number = next(_number)
    scenario = scenario or make_scenario()
    assert scenario.current is not None
    episode = Episode.objects.create(
        external_id=external_id or f"episode-{number}",
        agent=agent or make_agent(),
        scenario=scenario,
        revision=scenario.current,
        continuation=number if continuation is None else continuation,
        instruction=scenario.current.instruction,
        takeover_s=scenario.current.takeover_s,
        reference=reference,
        digest=f"{number:064}",
        source="none",
        source_sha256=f"{number:064}",
        created_at=NOON,
    )
    if is_ready:
        make_ready(episode=episode, film=make_film(episode, frames=frames, fps=fps), at=NOON)
        episode.refresh_from_db()
    return episode


def make_film(episode: Episode, *, frames: int = 100, fps: int = 10) -> Film:
    """An unsaved film with stored stand-ins for its files."""
    table = FrameTable(time_base=Fraction(1, fps), pts=tuple(range(frames)), last_duration=1)
    folder = f"episodes/{episode.folder}"

    def stored(name: str) -> str:
        return default_storage.save(f"{folder}/{name}", ContentFile(f"{name} of {episode.folder}".encode()))

    return Film(
        episode=episode,
        table=table.to_json(),
        frames=frames,
        duration_s=table.duration_s,
        width=320,
        height=180,
        codec="h264",
        proxy=stored("proxy.mp4"),
        proxy_sha256=f"{episode.pk:064}",
        poster=stored("poster.jpg"),
        filmstrip={
            "every": 1,
            "columns": 10,
            "rows": 10,
            "width": 160,
            "height": 90,
            "sheets": [stored("strip.webp")],
        },
        prep_version=1,
        prepared_at=NOON,
    )


def make_project(
    slug: str = "",
    *,
    suite: Suite | None = None,
    status: Project.Status = Project.Status.LIVE,
    **changes: Any,
) -> Project:
    """A live marker project; with a suite, it takes the suite's episodes. No references unless a rate is named."""
    slug = slug or f"project-{next(_number)}"
    fields = {
        "title": slug,
        "tool": "marker",
        "instructions": ["Mark it."],
        "reference_rate": 0.0,
        "created_at": NOON,
    }
    project = Project.objects.create(slug=slug, status=status, **{**fields, **changes})
    if suite is not None:
        set_feed(project=project, suite=suite.slug, version=None, agents=None, by="system", at=NOON)
    return project


def make_task(
    project: Project | None = None,
    *,
    key: str = "",
    priority: int = 0,
    redundancy: int | None = None,
    truth: str | None = None,
    truth_s: float | None = None,
) -> Task:
    """A marker task that shows a new episode; with a `truth` ("success", "failure") it is a reference."""
    project = project or make_project()
    episode = make_episode()
    body = TaskBody(
        key=key or f"task-{next(_number)}",
        payload={"episode": episode.external_id},
        priority=priority,
        redundancy=redundancy,
    )
    if truth is not None:
        answer = {"outcome": truth} if truth_s is None else {"outcome": truth, "time_s": truth_s}
        body["reference"] = {"answers": [answer]}
    post_tasks(project=project, bodies=[body], at=NOON)
    return Task.objects.get(project=project, key=body["key"])


def make_worker(name: str = "", **changes: Any) -> Worker:
    worker = worker_on("direct", name or f"worker-{next(_number)}", at=NOON)
    for field, value in changes.items():
        setattr(worker, field, value)
    worker.save()
    return worker


def make_staff(name: str, role: Role | None = None, project: Project | None = None) -> User:
    """A staff account with this role, in the project or everywhere; without a role it may see nothing yet."""
    user, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    if role is not None:
        Membership.objects.create(user=user, project=project, role=role, created_at=NOON)
    return user


def client_of(user: User) -> Client:
    """The account's browser, signed in."""
    client = Client()
    client.force_login(user)
    return client


def make_enrolment(project: Project, worker: Worker | None = None) -> Enrolment:
    return enrol(project=project, worker=worker or make_worker(), at=NOON)


def token_for(project: Project, worker: Worker) -> str:
    return make_link(enrolment=make_enrolment(project, worker), by="system", at=datetime.now(UTC)).token


def claim(
    project: Project, worker: Worker, *, at: datetime = NOON, chance: Callable[[], float] = lambda: 0.5
) -> Assignment:
    """The worker's hold in the project; fails where there is none."""
    found = claim_next(enrolment=make_enrolment(project, worker), at=at, chance=chance)
    assert found is not None
    return found


def annotate(assignment: Assignment, *, outcome: str = "success", frame: int = 20, at: datetime = NOON) -> Annotation:
    enrolment = make_enrolment(assignment.task.project, assignment.worker)
    answer = {"outcome": outcome, "frame": frame}
    return submit(enrolment=enrolment, assignment=assignment, answer=answer, active_s=None, at=at)


def quiz_body(**changes: Any) -> dict[str, Any]:
    """A qualification as the API takes it: three questions, of which two must be right, and two attempts."""
    return {
        "title": "Before you start",
        "pages": ["# Read this\n\nYou mark one moment."],
        "questions": [
            {"id": "one", "ask": "How many?", "kind": "single", "options": ["none", "one", "many"], "accept": ["one"]},
            {"id": "keys", "ask": "Which?", "kind": "multiple", "options": ["S", "F", "Q"], "accept": ["S", "F"]},
            {"id": "word", "ask": "The word?", "kind": "text", "accept": ["Takeover"]},
        ],
        "pass_mark": 0.66,
        "attempts": 2,
        **changes,
    }


RIGHT_ANSWERS: dict[str, Any] = {"one": "one", "keys": ["F", "S"], "word": " takeover "}
WRONG_ANSWERS: dict[str, Any] = {"one": "many", "keys": ["S"], "word": "takeover"}


def make_qualification(slug: str = "", **changes: Any) -> Qualification:
    body = {"draw": None, "cool_off_s": 0, "valid_s": None, **quiz_body(**changes)}
    slug = slug or f"quiz-{next(_number)}"
    return put_qualification(slug=slug, body=cast(QualificationBody, body), by="key:pipe", at=NOON)[0]


def account(name: str, role: str = "reviewer", project: Project | None = None) -> User:
    return make_staff(name, Role(role), project)


signed_in = client_of


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


T = TypeVar("T")


@dataclass(frozen=True)
class Made(Generic[T]):
    """Objects that were made once, and the folder with their stored files."""

    original: T
    files: Path

    def again(self, copy: Callable[[T], T] = deepcopy) -> T:
        """Copies of the objects and files for one test, whose savepoint undoes its changes to the rows."""
        if self.files.exists():
            copytree(self.files, default_storage.path(""), dirs_exist_ok=True)
        return copy(self.original)


@contextmanager
def made_once(make: Callable[[], T], blocker: DjangoDbBlocker, folder: Path) -> Iterator[Made[T]]:
    """Make objects in a transaction around those of the tests, with a file storage and a cache of their own."""
    files = {"BACKEND": "common.file_storage.FileStorage", "OPTIONS": {"location": folder / "files"}}
    storages = {**settings.STORAGES, "default": files}
    (folder / "files").mkdir(exist_ok=True)
    cache = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(folder)}
    around = transaction.atomic()
    with blocker.unblock():
        around.__enter__()
    try:
        with blocker.unblock(), override_settings(STORAGES=storages, CACHES={"default": cache}):
            original = make()
        yield Made(original, folder / "files")
    finally:
        with blocker.unblock():
            transaction.set_rollback(True)
            around.__exit__(None, None, None)


def for_module(make: Callable[[], T]) -> Any:
    """A fixture of what `make` makes, made once for the module that names it; each test takes a copy with `again`."""

    @pytest.fixture(scope="module")
    def made(
        django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[Made[T]]:
        with made_once(make, django_db_blocker, tmp_path_factory.mktemp("world")) as found:
            yield found

    return made
