"""Sessions for tests: live ones, both sides without sockets between, and ended ones made of rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.utils import timezone

from agents.models import Agent
from annotation.models import Annotation, Assignment, Enrolment, KeptScene, Project
from annotation.scene_store import keep
from annotation.work.leases import release
from commands.models import Command
from interaction.agents import matching
from interaction.models import AgentProcess, Event, LiveCommand, Session
from interaction.session import message_effects, opening, ticks
from interaction.session.event_log import Receipt, Role, Sender
from interaction.session.messages import read_body
from interaction.session.worlds import default_world
from routing import tree_versions
from routing.tree_versions import tree_named
from tests.support.builders import NOON, claim, make_agent, make_enrolment, make_project, make_worker, token_for
from tests.support.commands import make_hold
from workforce.ledger import owe
from workforce.models import LedgerEntry, Worker

MINIMUM_S = 300
YES, NO = 0, 1
RIGHT = (("done", YES),)
MISUNDERSTOOD = (("done", NO), ("understood", NO))
"""The answers by which a worker judges a command, in the default tree."""
WELL = {"usability": 6, "performance": 4, "feedback": "It was fun."}


def make_live_project(slug: str = "", *, columns: Mapping[str, Any] | None = None, **settings: Any) -> Project:
    """A live project of sessions with an agent of its own; `columns` are those of the project."""
    tree_versions.make_first(at=NOON)
    agent = make_agent(f"agent-of-{slug}" if slug else "")
    chosen = {"agent": agent.slug, "sessions": 50, "tree": "default", "minimum_s": MINIMUM_S, **settings}
    return make_project(slug, tool="interaction", settings=chosen, reference_rate=0, **(columns or {}))


@dataclass
class LiveWorker:
    """A worker in their session; time passes only when they say so."""

    enrolment: Enrolment
    hold: Assignment
    session: Session
    sender: Sender
    at: datetime
    cseq: int = 0

    def send(self, kind: str, **body: Any) -> Receipt:
        self.cseq += 1
        size = (self.session.scene.size_x, self.session.scene.size_y, self.session.scene.size_z)
        read = read_body(Role.WORKER, kind, body, size=size)
        return message_effects.take(self.session.pk, self.sender, cseq=self.cseq, kind=kind, body=read, at=self.at)

    def wait(self, seconds: float) -> None:
        """Let time pass; the sockets of agents, and the worker's page, stay open meanwhile."""
        self.at += timedelta(seconds=seconds)
        Session.objects.filter(pk=self.session.pk, worker_here=True).update(worker_seen_at=self.at)
        AgentProcess.objects.filter(is_connected=True).update(seen_at=self.at)

    def leave(self, *, unseen_s: float = 0) -> Session:
        """Give the session back, so many seconds after the last noted sign of the page; the ended session."""
        at = self.at + timedelta(seconds=unseen_s)
        release(assignment=self.hold, at=at)
        ticks.tick(at=at)
        return self.now()

    def hand_in(self, **reflection: Any) -> Annotation:
        """Wait until the minimum time is over, rate the session and finish it."""
        self.wait(MINIMUM_S)
        ticks.tick(at=self.at)
        self.send("reflect", **{**WELL, **reflection})
        self.send("finish")
        return Annotation.objects.get(assignment=self.hold)

    def now(self) -> Session:
        return Session.objects.get(pk=self.session.pk)

    def live(self) -> LiveCommand:
        """The live half of the last command."""
        return LiveCommand.objects.filter(session=self.session).select_related("command").latest("pk")

    def command(self) -> Command:
        return self.live().command

    def said(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of all events of this type, oldest first."""
        found = Event.objects.filter(session=self.session, type=kind).order_by("seq")
        return list(found.values_list("body", flat=True))


@dataclass
class Agents:
    """One process of an agent, with a count for each session."""

    process: AgentProcess
    cseqs: dict[int, int] = field(default_factory=dict)

    def send(self, worker: LiveWorker, kind: str, **body: Any) -> Receipt:
        pk = worker.session.pk
        self.cseqs[pk] = self.cseqs.get(pk, 0) + 1
        size = (worker.session.scene.size_x, worker.session.scene.size_y, worker.session.scene.size_z)
        read = read_body(Role.AGENT, kind, body, size=size)
        sender = Sender(Role.AGENT, self.process.epoch, self.process.pk)
        return message_effects.take(pk, sender, cseq=self.cseqs[pk], kind=kind, body=read, at=worker.at)

    def carry_out(self, worker: LiveWorker, name: str, *, state: str = "done", **more: Any) -> None:
        for status in ("received", "thinking", "acting"):
            self.send(worker, "status", command=name, state=status)
        self.send(worker, "status", command=name, state=state, **more)


def process_of(agent: Agent, *, resume: str = "p1", capacity: int = 4, at: datetime = NOON) -> Agents:
    return Agents(matching.connect(agent=agent, resume=resume, capacity=capacity, at=at))


def come_in(project: Project, name: str = "", *, at: datetime = NOON) -> LiveWorker:
    """A worker who has claimed a session and opened it."""
    worker = make_worker(name)
    hold = claim(project, worker, at=at)
    token = token_for(project, worker)
    seat = opening.join(token=token, assignment=hold.public_id, resume="tab", at=at)
    return LiveWorker(make_enrolment(project, worker), hold, seat.session, seat.sender, at)


def both(project: Project | None = None, **settings: Any) -> tuple[LiveWorker, Agents]:
    """A worker whose clock runs, and the process that has their session."""
    project = project or make_live_project(**settings)
    agent = process_of(Agent.objects.get(slug=project.settings["agent"]))
    worker = come_in(project)
    worker.send("start")
    return worker, agent


def judged(
    worker: LiveWorker,
    agent: Agents,
    name: str = "c1",
    text: str = "build a cube",
    marks: Sequence[tuple[str, int]] = RIGHT,
    *,
    form: Any = None,
    **found: Any,
) -> Command:
    """One command, understood as `form`, carried out and judged; `found` is the message about its objects."""
    worker.send("command", id=name, text=text)
    if form is not None:
        agent.send(worker, "parse", command=name, form=form)
    if found:
        agent.send(worker, "objects", command=name, **found)
    agent.carry_out(worker, name)
    for node, choice in marks:
        worker.send("mark", command=name, node=node, choice=choice)
    return worker.command()


LIGHT = {"per_point": "0.30", "most": "3.00"}
_number = count(1)


def past_session(
    project: Project,
    worker: Worker,
    outcomes: Sequence[str] = (),
    *,
    misread: Sequence[int] = (),
    known: Sequence[int] = (),
    minutes: float = 6,
    cost: str = "0.50",
    arm: str = "",
    at: datetime = NOON,
    score: float = 0,
    is_dropped: bool = False,
    instruction_version: Any = None,
    **more: Any,
) -> Session:
    """A session that was handed in.

    Args:
        outcomes: One for each command; "ok" and "" for those that were not marked.
        misread: Places of the commands that are known to be misunderstood; `known`: of others whose true form is known.
        cost: Base pay, in the ledger.
    """
    number = next(_number)
    end = at + timedelta(minutes=minutes)
    hold = make_hold(
        project, worker, at=at, lease_expires_at=end, closed_at=end, instruction_version=instruction_version
    )
    reason = more.pop("reason", Session.Reason.FINISHED)
    fields: dict[str, Any] = {
        "agent": Agent.objects.filter(slug=project.settings["agent"]).first() or make_agent(),
        "tree": tree_named("default"),
        "scene": _scene(),
        "minimum_s": 300,
        "stoplight": LIGHT,
        "reflection": {},
        "base_pay": Decimal(cost),
        "started_at": at,
        "ended_at": end,
        **more,
    }
    session = Session.objects.create(
        project=project, assignment=hold, arm=arm, score=score, reason=reason, created_at=at, moved_at=end, **fields
    )
    for place, outcome in enumerate(outcomes):
        is_misread = True if place in misread else False if place in known else None
        command = Command.objects.create(
            project=project,
            assignment=hold,
            agent=session.agent,
            worker=worker,
            text=f"build thing {number} {place}",
            at=at,
            outcome=outcome,
            truth=None if is_misread is None else {},
            is_misread=is_misread,
        )
        LiveCommand.objects.create(
            command=command,
            session=session,
            name=f"c{place}",
            seq=place + 1,
            status=LiveCommand.Status.DONE,
            over_at=at,
            judged_at=at if outcome else None,
        )
    if reason == Session.Reason.FINISHED:
        annotation = Annotation.objects.create(
            project=project,
            number=number,
            assignment=hold,
            task=hold.task,
            worker=worker,
            answer={},
            claimed_at=at,
            submitted_at=end,
            is_dropped=is_dropped,
        )
        pay(session, f"base:annotation:{annotation.public_id}", cost, LedgerEntry.Kind.BASE)
    return session


def pay(session: Session, reason: str, amount: str, kind: LedgerEntry.Kind) -> None:
    worker = session.assignment.worker
    owe(worker=worker, kind=kind, reason=reason, amount=Decimal(amount), currency="USD", at=NOON)


def _scene() -> KeptScene:
    found = KeptScene.objects.first()
    return found or KeptScene.objects.get(digest=keep([default_world(0)], at=NOON)[0])


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def begun(slug: str = "living", *, at: datetime) -> tuple[LiveWorker, Agents]:
    """A worker in the project of this name, whose clock runs since then."""
    project = Project.objects.filter(slug=slug).first() or make_live_project(slug)
    agent = process_of(Agent.objects.get(slug=f"agent-of-{slug}"), at=at)
    worker = come_in(project, at=at)
    worker.send("start")
    return worker, agent
