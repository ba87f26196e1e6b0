"""Commands for tests of routing: a source that keeps them in memory and notes what it is told."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any

import numpy as np

from agents.models import Agent
from annotation.models import Project, Task
from annotation.voxels.scene import Scene, scene_of
from jobs import outbox
from jobs.models import Job
from routing import cases, reports
from routing.cases import Case
from routing.models import ErrorReport, Route, Sending
from routing.routes import RouteBody, put_route
from routing.sending import ROUTE
from routing.wording import fault_of, plain
from tests.builders import NOON, make_project

BUILD = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD"}]}
NOOP = {"dialogue_type": "NOOP"}
CUBE = [[1, 1, 1], [1, 2, 1]]
_number = count(1)


def a_scene(height: int = 1) -> Scene:
    """A floor, and a pillar on it."""
    floor = [[x, 0, z, 2] for x in range(4) for z in range(4)]
    pillar = [[1, 1 + y, 1, 35] for y in range(height)]
    return scene_of((4, 4, 4), np.array(floor + pillar, dtype=np.int32))


@dataclass
class Source:
    """Where the commands of a test are, in one project."""

    project: Project
    cases: dict[tuple[int, str], Case] = field(default_factory=dict)
    told: list[tuple[str, Any]] = field(default_factory=list)

    def find(self, project: int, command: str) -> Case | None:
        return self.cases.get((project, command))

    def learn(self, project: int, command: str, form: Any, at: datetime) -> None:
        self.told.append((command, form))
        found = self.cases[project, command]
        self.cases[project, command] = replace(found, truth=form)

    def judge(self, text: str, outcome: str = "nlu_error", *, name: str = "", **more: Any) -> Case:
        """A command of this outcome, taken; nothing is routed yet."""
        case = Case(
            project=more.pop("project", self.project),
            command=name or f"c{next(_number)}",
            text=text,
            plain_text=plain(text),
            fault=fault_of(text),
            outcome=outcome,
            at=NOON,
            **more,
        )
        self.cases[case.project.pk, case.command] = case
        reports.take(case)
        return case

    def routed(self, text: str, outcome: str = "nlu_error", **more: Any) -> Case:
        """A command of this outcome, taken and routed."""
        case = self.judge(text, outcome, **more)
        run_jobs()
        return case


def use(source: Source) -> None:
    """Let routing have its commands from here alone."""
    cases._find[:], cases._learn[:] = [source.find], [source.learn]


def run_jobs() -> None:
    """Run every routing job that waits, as many as there are."""
    while waiting := list(Job.objects.unfinished().filter(kind=ROUTE).order_by("pk")):
        for job in waiting:
            assert outbox.run(job.pk)
        left = Job.objects.filter(pk__in=[job.pk for job in waiting]).exclude(state=Job.State.DONE)
        assert not left, [job.error for job in left]


def parse_project(slug: str = "", *, given_to: str = "experts") -> Project:
    return make_project(slug, tool="parse", settings={"given_to": given_to})


def voxel_project(slug: str = "", **settings: Any) -> Project:
    return make_project(slug, tool="voxels", settings=settings)


def make_route(
    to: Project,
    outcome: str = "*",
    *,
    slug: str = "",
    rate: float = 1.0,
    tree: str | None = None,
    agents: Iterable[Agent] = (),
    sources: Iterable[Project] = (),
) -> Route:
    body = RouteBody(
        outcome=outcome,
        project=to.slug,
        rate=rate,
        tree=tree,
        agents=[agent.slug for agent in agents],
        sources=[source.slug for source in sources],
    )
    return put_route(slug=slug or f"route-{next(_number)}", body=body, by="key:pipe", at=NOON)[0]


def report_of(case: Case) -> ErrorReport:
    return ErrorReport.objects.get(project=case.project, command=case.command)


def sent(case: Case) -> list[Sending]:
    return list(Sending.objects.filter(project=case.project, command=case.command).order_by("to", "pk"))


def tasks_of(project: Project) -> list[Task]:
    return list(Task.objects.posted().filter(project=project).order_by("pk"))
