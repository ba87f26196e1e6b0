"""Commands for tests, made as rows: live ones with a session, past ones as posted, error reports, routes."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import numpy as np
from rest_framework.test import APIClient

from agents.models import Agent
from annotation.models import Annotation, Approval, Assignment, KeptScene, Project, Task
from annotation.scene_store import keep
from commands.models import WHY_DROPPED, Command
from common.data.values import opaque_id
from interaction.models import LiveCommand, Session
from interaction.repair import tree_and_scene
from jobs import outbox
from jobs.models import Job
from lib.command_text import fault_of, plain
from lib.voxels.scene import Scene, read_scene, scene_of
from routing import dispatch, reports
from routing.dispatch import ROUTE
from routing.models import ErrorReport, Route, Sending, TreeVersion
from routing.routes import RouteBody, put_route
from routing.tree_versions import make_first, tree_named
from tests.support.builders import NOON, make_agent, make_project, make_worker
from tests.support.tool_workers import post_commands, scene
from workforce.models import Worker

BUILD = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD"}]}
DIG = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DIG"}]}
NOOP = {"dialogue_type": "NOOP"}
CUBE = [[1, 1, 1], [1, 2, 1]]
SESSIONS = "sessions"
"""The project of commands for which a test names none."""
_number = count(1)


def a_scene(height: int = 1) -> Scene:
    """A floor, and a pillar on it."""
    floor = [[x, 0, z, 2] for x in range(4) for z in range(4)]
    pillar = [[1, 1 + y, 1, 35] for y in range(height)]
    return scene_of((4, 4, 4), np.array(floor + pillar, dtype=np.int32))


def sessions_project() -> Project:
    return Project.objects.filter(slug=SESSIONS).first() or make_project(SESSIONS)


# Commands ----------------------------------------------------------------------------------------------------------


def make_command(
    text: str = "build a cube",
    outcome: str = "",
    *,
    project: Project | None = None,
    name: str = "",
    at: datetime = NOON,
    scene: Scene | None = None,
    tree: TreeVersion | None = None,
    is_live: bool = False,
    live: dict[str, Any] | None = None,
    **columns: Any,
) -> Command:
    """A posted command; a live one, with a session of its own, where a fact of a session is named.

    Args:
        scene: The world in which it was given.
        live: Columns of its live half.
    """
    project = project or sessions_project()
    if is_live := is_live or bool(scene or tree or live):
        columns["agent"] = columns.get("agent") or make_agent("walker")
        columns["worker"] = columns.get("worker") or make_worker()
        columns["assignment"] = make_hold(project, columns["worker"], at=at)
    columns.setdefault("plain_text", plain(text))
    columns.setdefault("fault", fault_of(text))
    if columns.get("truth") is not None:
        columns.setdefault("is_misread", True)
    command = Command.objects.create(
        project=project, public_id=name or f"c{next(_number)}", text=text, outcome=outcome, at=at, **columns
    )
    if is_live:
        make_live(command, make_session(command, scene, tree, at=at), **(live or {}))
    return command


def make_hold(project: Project, worker: Worker, *, at: datetime = NOON, **columns: Any) -> Assignment:
    """A submitted hold on a task of its own."""
    task = Task.objects.create(
        project=project,
        key=f"of-session-{opaque_id()}",
        payload={},
        wanted=1,
        slots_left=0,
        open=False,
        shuffle=next(_number),
        created_at=at,
    )
    times = {"claimed_at": at, "lease_expires_at": at, "closed_at": at}
    return Assignment.objects.create(task=task, slot_of=task, worker=worker, status="submitted", **times | columns)


def make_session(command: Command, scene: Scene | None, tree: TreeVersion | None, *, at: datetime) -> Session:
    if tree is None:
        make_first(at=at)
    assert command.assignment is not None
    assert command.agent is not None
    (digest,) = keep([scene or a_scene()], at=at)
    return Session.objects.create(
        project=command.project,
        assignment=command.assignment,
        agent=command.agent,
        tree=tree or tree_named("default"),
        scene=KeptScene.objects.get(digest=digest),
        minimum_s=300,
        created_at=at,
        moved_at=at,
        started_at=at,
        ended_at=at,
        reason="left",
    )


def make_live(command: Command, session: Session, **columns: Any) -> LiveCommand:
    columns = {
        "name": command.public_id,
        "seq": 1,
        "status": "done",
        "over_at": command.at,
        "judged_at": command.at if command.outcome else None,
        **columns,
    }
    return LiveCommand.objects.create(command=command, session=session, **columns)


def judged(text: str, outcome: str = "nlu_error", **more: Any) -> Command:
    """A command of this outcome, reported and about to be routed."""
    command = make_command(text, outcome, **more)
    take(command)
    return command


def routed(text: str, outcome: str = "nlu_error", **more: Any) -> Command:
    """A command of this outcome, reported and routed."""
    command = judged(text, outcome, **more)
    run_jobs()
    return command


def take(command: Command) -> None:
    tree, _ = tree_and_scene(command)
    reports.take(command, tree=tree.pk if tree else None, at=command.at)


def route(command: Command, *, at: datetime = NOON) -> None:
    """Route it at once, as its job does."""
    tree, scene = tree_and_scene(command)
    dispatch.route(command, tree=tree, scene=scene, at=at)


def decide(command: Command, decision: str) -> str:
    """Decide on the session of a live command; the reason why its data no longer counts, "" where it counts."""
    assignment = command.assignment
    assert assignment is not None
    is_dropped = decision != Approval.Decision.APPROVED
    annotation, _ = Annotation.objects.update_or_create(
        assignment=assignment,
        defaults={"is_dropped": is_dropped},
        create_defaults={
            "is_dropped": is_dropped,
            "project": command.project,
            "number": assignment.pk,
            "task": assignment.task,
            "worker": assignment.worker,
            "answer": {},
            "claimed_at": NOON,
            "submitted_at": NOON,
        },
    )
    named = {"decision": decision, "reason": "It says why." if is_dropped else "", "by": "x", "at": NOON}
    Approval.objects.update_or_create(annotation=annotation, defaults=named)
    return WHY_DROPPED.get(decision, "")


def run_jobs() -> None:
    """Run every routing job that waits, as many as there are."""
    while waiting := list(Job.objects.unfinished().filter(kind=ROUTE).order_by("pk")):
        for job in waiting:
            assert outbox.run(job.pk)
        left = Job.objects.filter(pk__in=[job.pk for job in waiting]).exclude(state=Job.State.DONE)
        assert not left, [job.error for job in left]


# Repairs ---------------------------------------------------------------------------------------------------------


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


def report_of(command: Command) -> ErrorReport:
    return ErrorReport.objects.select_related("command").get(command=command)


def truth_of(command: Command) -> Any:
    """The true form as it is known now."""
    return Command.objects.values_list("truth", flat=True).get(pk=command.pk)


def sent(command: Command) -> list[Sending]:
    return list(Sending.objects.filter(command=command).order_by("to", "pk"))


def tasks_of(project: Project) -> list[Task]:
    return list(Task.objects.posted().filter(project=project).order_by("pk"))


def make_past(slug: str = "past") -> Project:
    """A project of sessions that nobody has come to."""
    return make_project(slug, tool="interaction", status=Project.Status.DRAFT)


def past(command: str = "c-1", text: str = "build a house", **more: Any) -> dict[str, Any]:
    return {"command": command, "project": "past", "text": text, **more}


def post(pipe: APIClient, *commands: dict[str, Any], status: int = 200) -> dict[str, Any]:
    """Post the commands; the body of the answer."""
    response = pipe.post("/api/v1/commands/", {"commands": list(commands)}, format="json")
    assert response.status_code == status, response.content
    body: dict[str, Any] = response.json()
    return body


def pointers(problem: dict[str, Any]) -> list[str]:
    return [fault["pointer"] for fault in problem["errors"]]


def kept(names: Sequence[str] = ()) -> list[Command]:
    """The commands in the database, in the order in which they came."""
    rows = Command.objects.order_by("pk")
    return list(rows.filter(public_id__in=names) if names else rows)


_report_number = count(1)


def kept_scene() -> KeptScene:
    """The scene of the voxel annotator's tests: a red tower and a blue block."""
    (digest,) = keep([read_scene(scene())], at=NOON)
    return KeptScene.objects.get(digest=digest)


def default_tree() -> TreeVersion:
    make_first(at=NOON)
    return tree_named("default")


OF_COMMAND = ("worker", "agent", "form", "form_version", "path", "feedback", "objects_found", "truth")
OF_SESSION = ("status", "why_failed")


def make_report(project: Project | None = None, *, text: str = "dig a hole", **changes: Any) -> ErrorReport:
    """A new report of a misunderstood command; later ones are marked later.

    Args:
        changes: Columns of the report, of its command, or of the live half of its command.
    """
    number = next(_report_number)
    at = NOON + timedelta(seconds=number)
    project = project or make_project()
    if "worker" not in changes:
        changes["worker"] = make_worker(f"worker-of-{number}")
    columns: dict[str, Any] = {"form": DIG, "agent": make_agent("robot")} | {
        name: changes.pop(name) for name in OF_COMMAND if name in changes
    }
    live = {name: changes.pop(name) for name in OF_SESSION if name in changes}
    outcome = changes.pop("outcome", "nlu_error")
    name = changes.pop("command", f"command-{number}")
    command = make_command(text, outcome, project=project, name=name, at=at, live=live, **columns)
    return ErrorReport.objects.create(
        project=project, command=command, outcome=outcome, **{"at": at, "state_at": at, **changes}
    )


def make_bare_route(to: Project, slug: str = "", **changes: Any) -> Route:
    fields = {"outcome": "*", "created_at": NOON}
    return Route.objects.create(slug=slug or f"route-{next(_report_number)}", project=to, **{**fields, **changes})


def make_repair(to: Project, text: str = "dig a hole") -> Task:
    """A task of the parse annotator."""
    (task,) = post_commands(to, {f"repair-{next(_report_number)}": text})
    return task


def make_sending(report: ErrorReport, to: Project, **changes: Any) -> Sending:
    """A result of sending the command of a report; a task unless it says why not."""
    fields: dict[str, Any] = {"report": report, "command": report.command, "at": NOON}
    if not changes.get("why_not") and "task" not in changes:
        changes["task"] = make_repair(to, report.command.text)
    return Sending.objects.create(to=to, **{**fields, **changes})
