"""Opening sessions: the first connection of a worker opens the session of their assignment."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from agents.models import Agent
from annotation.models import Assignment, Enrolment, KeptScene
from annotation.offer.experiments import arm_name_of, base_pay_of
from annotation.work.enrolments import enrolment_of
from interaction.agents import matching
from interaction.models import AgentProcess, Session
from interaction.project.settings import Chosen
from interaction.project.tool import interaction
from interaction.session import deadlines, score
from interaction.session.event_log import Role, Sender, SessionWrite, locked
from lib.voxels.mask import Size
from routing.tree_versions import tree_named


class Joined(NamedTuple):
    """A worker who has joined a session. Their connection may write until a newer one joins."""

    session: Session
    enrolment: Enrolment
    assignment: Assignment
    sender: Sender
    is_same: bool
    size: Size


class NotYours(Exception):
    """There is no such assignment, or it belongs to another worker."""


class Over(Exception):
    """The assignment has ended before a session was opened for it."""


class BadToken(Exception):
    """The token belongs to no worker."""


def join(*, token: str, assignment: str, resume: str, at: datetime) -> Joined:
    """Join the worker's session of this assignment; the first time opens it. Their other connections end.

    Raises:
        BadToken, NotYours, Over
    """
    enrolment = enrolment_of(token, at=at)
    if enrolment is None:
        raise BadToken
    rows = Assignment.objects.select_related("task__project", "worker")
    found = rows.filter(
        public_id=assignment, worker_id=enrolment.worker_id, task__project_id=enrolment.project_id
    ).first()
    if found is None or not interaction.is_tool_of(found.task.project):
        raise NotYours
    pk = Session.objects.filter(assignment=found).values_list("pk", flat=True).first()
    with transaction.atomic():
        session = locked(pk) if pk is not None else _open(found, at=at)
        write = SessionWrite(session, at)
        is_same = session.worker_wrote in {"", resume}
        session.worker_epoch += 1
        # Taken now: another page may join before this function returns.
        sender = Sender(Role.WORKER, session.worker_epoch)
        if session.ended_at is None:
            if not session.worker_here:
                write.add_from_server("peer", {"who": "worker", "state": "here"})
            session.due_at = deadlines.next_due(session, None, at=at) if pk is None else session.due_at
        session.worker_resume, session.worker_seen_at, session.worker_here = resume, at, True
        write.save()
    if session.ended_at is None and session.process_id is None:
        matching.match(agent=session.agent_id, at=at)
        session.refresh_from_db()
    scene = session.scene
    return Joined(session, enrolment, found, sender, is_same, (scene.size_x, scene.size_y, scene.size_z))


def _open(assignment: Assignment, *, at: datetime) -> Session:
    if not assignment.is_current(at=at):
        raise Over
    task, project = assignment.task, assignment.task.project
    enrolment = Enrolment.objects.get(project=project, worker=assignment.worker_id)
    arm, pay = arm_name_of(enrolment), base_pay_of(enrolment)
    chosen = Chosen(project, arm=arm)
    if chosen.tree is None:
        raise Over
    session, _ = Session.objects.get_or_create(
        assignment=assignment,
        defaults={
            "project": project,
            "agent": Agent.objects.get(slug=task.payload["agent"]),
            "tree": tree_named(chosen.tree),
            "scene": KeptScene.objects.defer("packed").get(digest=task.payload["world"]),
            "minimum_s": chosen.minimum_s,
            "capabilities": chosen.capabilities,
            "prompts": chosen.prompts,
            "is_evaluation": chosen.is_evaluation,
            "arm": arm,
            "base_pay": pay,
            "stoplight": score.kept_settings(project, chosen, base_pay=pay),
            "created_at": at,
            "moved_at": at,
        },
    )
    return locked(session.pk)


class Progress(NamedTuple):
    """The values that a worker's socket compares before it reads the log."""

    epoch: int
    last_seq: int
    is_over: bool


def progress_of(session: int) -> Progress:
    """The present values of a session. 1 query."""
    rows = Session.objects.values_list("worker_epoch", "last_seq", "ended_at")
    epoch, last_seq, ended_at = rows.get(pk=session)
    return Progress(epoch, last_seq, ended_at is not None)


def leave(session: int, sender: Sender, *, at: datetime) -> None:
    """Note that the worker's connection has ended, unless a newer one has replaced it."""
    with transaction.atomic():
        found = locked(session)
        if found.worker_epoch != sender.epoch or found.ended_at is not None:
            return
        write = SessionWrite(found, at)
        found.worker_here, found.worker_seen_at = False, at
        write.add_from_server("peer", {"who": "worker", "state": "away"})
        write.save()


def note_open_page(session: int, sender: Sender, *, at: datetime) -> None:
    """Note that the worker's page is open."""
    Session.objects.filter(pk=session, worker_epoch=sender.epoch, ended_at=None).update(worker_seen_at=at)


def state_of(session: Session, *, at: datetime) -> dict[str, object]:
    """The state of a session as a worker's page receives it."""
    process = AgentProcess.objects.filter(pk=session.process_id).first() if session.process_id else None
    phase = "ended" if session.ended_at else "running" if session.started_at else "before"
    return {
        "phase": phase,
        "reason": session.reason or None,
        "elapsed_s": session.elapsed_s(at),
        "minimum_s": session.minimum_s,
        "may_finish": session.may_finish,
        "agent": "waiting" if process is None else "here" if process.is_connected else "away",
        "evaluation": session.is_evaluation,
        "light": score.light_of(session),
    }
