"""Live sessions for tests: a project with an agent, and both sides of a session without sockets between."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from agents.models import Agent
from annotation.models import Assignment, Enrolment, Project
from interaction import matching, rules, sessions
from interaction.log import Receipt, Role, Sender
from interaction.messages import read_body
from interaction.models import AgentProcess, Command, Event, Session
from routing import versions
from tests.builders import NOON, claim, make_agent, make_enrolment, make_project, make_worker, token_for

MINIMUM_S = 300
YES, NO = 0, 1


def make_live_project(slug: str = "", **settings: Any) -> Project:
    """A live project of sessions with an agent of its own."""
    versions.make_first(at=NOON)
    agent = make_agent(f"agent-of-{slug}" if slug else "")
    chosen = {"agent": agent.slug, "sessions": 50, "tree": "default", "minimum_s": MINIMUM_S, **settings}
    return make_project(slug, tool="interaction", settings=chosen, reference_rate=0)


@dataclass
class Worker:
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
        return rules.take(self.session.pk, self.sender, cseq=self.cseq, kind=kind, body=read, at=self.at)

    def wait(self, seconds: float) -> None:
        """Let time pass; the sockets of agents, and the worker's page, stay open meanwhile."""
        self.at += timedelta(seconds=seconds)
        Session.objects.filter(pk=self.session.pk, worker_here=True).update(worker_seen_at=self.at)
        AgentProcess.objects.filter(is_connected=True).update(seen_at=self.at)

    def now(self) -> Session:
        return Session.objects.get(pk=self.session.pk)

    def command(self) -> Command:
        return Command.objects.filter(session=self.session).latest("pk")

    def said(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of all events of this type, oldest first."""
        found = Event.objects.filter(session=self.session, type=kind).order_by("seq")
        return list(found.values_list("body", flat=True))


@dataclass
class Agents:
    """One process of an agent, with a count for each session."""

    process: AgentProcess
    cseqs: dict[int, int] = field(default_factory=dict)

    def send(self, worker: Worker, kind: str, **body: Any) -> Receipt:
        pk = worker.session.pk
        self.cseqs[pk] = self.cseqs.get(pk, 0) + 1
        size = (worker.session.scene.size_x, worker.session.scene.size_y, worker.session.scene.size_z)
        read = read_body(Role.AGENT, kind, body, size=size)
        sender = Sender(Role.AGENT, self.process.epoch, self.process.pk)
        return rules.take(pk, sender, cseq=self.cseqs[pk], kind=kind, body=read, at=worker.at)

    def carry_out(self, worker: Worker, name: str, *, state: str = "done", **more: Any) -> None:
        for status in ("received", "thinking", "acting"):
            self.send(worker, "status", command=name, state=status)
        self.send(worker, "status", command=name, state=state, **more)


def process_of(agent: Agent, *, resume: str = "p1", capacity: int = 4, at: datetime = NOON) -> Agents:
    return Agents(matching.arrive(agent=agent, resume=resume, capacity=capacity, at=at))


def come_in(project: Project, name: str = "", *, at: datetime = NOON) -> Worker:
    """A worker who has claimed a session and opened it."""
    worker = make_worker(name)
    hold = claim(project, worker, at=at)
    token = token_for(project, worker)
    seat = sessions.sit_down(token=token, assignment=hold.public_id, resume="tab", at=at)
    return Worker(make_enrolment(project, worker), hold, seat.session, seat.sender, at)


def both(project: Project | None = None, **settings: Any) -> tuple[Worker, Agents]:
    """A worker whose clock runs, and the process that has their session."""
    project = project or make_live_project(**settings)
    agent = process_of(Agent.objects.get(slug=project.settings["agent"]))
    worker = come_in(project)
    worker.send("start")
    return worker, agent


def judged(worker: Worker, agent: Agents, name: str = "c1", text: str = "build a cube") -> None:
    """One command, carried out and found right."""
    worker.send("command", id=name, text=text)
    agent.carry_out(worker, name)
    worker.send("mark", command=name, node="done", choice=YES)
