"""Sessions: opened for an assignment, and who may come in."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from agents.models import Agent
from annotation.access import enrolment_of
from annotation.arms import arm_name_of, base_pay_of
from annotation.models import Assignment, Enrolment, KeptScene
from annotation.voxels.mask import Size
from interaction import deadlines, matching, scoring
from interaction.log import Desk, Role, Sender, locked
from interaction.models import AgentProcess, Session
from interaction.project_settings import Chosen
from interaction.tool import interaction
from routing.versions import tree_named


class Seat(NamedTuple):
    """A worker's place in a session, with a connection that may write until another comes."""

    session: Session
    enrolment: Enrolment
    assignment: Assignment
    sender: Sender
    is_same: bool
    size: Size


class NotYours(Exception):
    """There is no such assignment for whoever asks."""


class Over(Exception):
    """The assignment is held no more, and no session came of it."""


class BadToken(Exception):
    """The token is nobody's."""


def sit_down(*, token: str, assignment: str, resume: str, at: datetime) -> Seat:
    """The worker's session of this assignment, opened at the first time; any other connection of theirs ends.

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
    if found is None or found.task.project.tool != interaction.name:
        raise NotYours
    pk = Session.objects.filter(assignment=found).values_list("pk", flat=True).first()
    with transaction.atomic():
        session = locked(pk) if pk is not None else _open(found, at=at)
        desk = Desk(session, at)
        is_same = session.worker_wrote in {"", resume}
        session.worker_epoch += 1
        # Of this page, whatever another that comes meanwhile makes of the session.
        sender = Sender(Role.WORKER, session.worker_epoch)
        if session.ended_at is None:
            if not session.worker_here:
                desk.say("peer", {"who": "worker", "state": "here"})
            session.due_at = deadlines.next_due(session, None, at=at) if pk is None else session.due_at
        session.worker_resume, session.worker_seen_at, session.worker_here = resume, at, True
        desk.close()
    if session.ended_at is None and session.process_id is None:
        matching.match(agent=session.agent_id, at=at)
        session.refresh_from_db()
    scene = session.scene
    return Seat(session, enrolment, found, sender, is_same, (scene.size_x, scene.size_y, scene.size_z))


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
            "stoplight": scoring.kept_settings(project, chosen, base_pay=pay),
            "created_at": at,
            "moved_at": at,
        },
    )
    return locked(session.pk)


class Standing(NamedTuple):
    """What a worker's socket looks at before it reads on."""

    epoch: int
    last_seq: int
    is_over: bool


def standing_of(session: int) -> Standing:
    """1 query."""
    rows = Session.objects.values_list("worker_epoch", "last_seq", "ended_at")
    epoch, last_seq, ended_at = rows.get(pk=session)
    return Standing(epoch, last_seq, ended_at is not None)


def stand_up(session: int, sender: Sender, *, at: datetime) -> None:
    """The worker's connection has ended; nothing where another has taken its place."""
    with transaction.atomic():
        found = locked(session)
        if found.worker_epoch != sender.epoch or found.ended_at is not None:
            return
        desk = Desk(found, at)
        found.worker_here, found.worker_seen_at = False, at
        desk.say("peer", {"who": "worker", "state": "away"})
        desk.close()


def note_sign(session: int, sender: Sender, *, at: datetime) -> None:
    """The worker's page is open."""
    Session.objects.filter(pk=session, worker_epoch=sender.epoch, ended_at=None).update(worker_seen_at=at)


def state_of(session: Session, *, at: datetime) -> dict[str, object]:
    """How a session stands, as a worker's page is told."""
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
        "light": scoring.light_of(session),
    }
