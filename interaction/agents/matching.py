"""Matching sessions with processes of their agent. Locks: processes before sessions."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from agents.models import Agent
from interaction.models import AgentProcess, LiveCommand, Session
from interaction.session import deadlines
from interaction.session.commands import fail, open_command
from interaction.session.event_log import Role, Sender, SessionWrite, locked
from interaction.session.worlds import scene_at
from interaction.wakeups import of_process, publish_after_commit
from lib.voxels.mask import Size

GRACE = timedelta(seconds=10)
"""How long a process that lost its connection may take to come back before its sessions go to another."""
HEARTBEAT_S = 10.0
"""How often the server that has a process's socket notes that the socket is open."""
SILENT = timedelta(seconds=3 * HEARTBEAT_S)
"""A process counts as gone after this time without a note: its server is dead, and so are the sockets of that server.
"""


def connect(*, agent: Agent, resume: str, capacity: int, at: datetime, projects: Collection[str] = ()) -> AgentProcess:
    """Note that a process has connected. Its earlier connection may not write any more.

    Args:
        projects: The slugs of the projects whose sessions it may take; empty: of all.
    """
    with transaction.atomic():
        process, _ = AgentProcess.objects.select_for_update().get_or_create(
            agent=agent, resume=resume, defaults={"capacity": capacity, "seen_at": at, "created_at": at}
        )
        was_here = process.is_connected
        process.epoch += 1
        process.capacity, process.is_connected, process.seen_at = capacity, True, at
        process.projects = sorted(projects)
        process.save(update_fields=["epoch", "capacity", "projects", "is_connected", "seen_at"])
        # Its older connection, if there is one, wakes up and finds that it was replaced.
        publish_after_commit(of_process(process.pk))
        # It may have come back with another key.
        for session in _held_by(process):
            if not process.reaches(session):
                unassign(session, at=at)
        if not was_here:
            _announce(process, "here", at=at)
    match(agent=agent.pk, at=at)
    return process


def disconnect(process: AgentProcess, *, at: datetime) -> None:
    """Note that a connection has ended, unless a newer one has replaced it."""
    with transaction.atomic():
        gone = AgentProcess.objects.filter(pk=process.pk, epoch=process.epoch, is_connected=True)
        if gone.update(is_connected=False, seen_at=at):
            _announce(process, "away", at=at)


def note_heartbeat(process: AgentProcess, *, at: datetime) -> bool:
    """Note a sign of life; False where the process was given up meanwhile and must connect again."""
    here = AgentProcess.objects.filter(pk=process.pk, epoch=process.epoch, is_connected=True)
    return here.update(seen_at=at) == 1


def match(*, agent: int, at: datetime) -> int:
    """Give waiting sessions of the agent, oldest first, to its processes, least busy first; how many were matched."""
    waiting = _waiting().filter(agent=agent)
    if not waiting.exists():
        return 0
    with transaction.atomic():
        free = list(AgentProcess.objects.select_for_update().filter(agent=agent, is_connected=True).order_by("pk"))
        busy = Session.objects.unended().filter(process__in=free).values_list("process").annotate(n=Count("pk"))
        load = dict.fromkeys([process.pk for process in free], 0) | dict(busy)
        matched = 0
        reached = _reached_by([one for one in free if load[one.pk] < one.capacity], waiting)
        for pk in reached.order_by("created_at", "pk").values_list("pk", flat=True)[: _room(free, load)]:
            session = locked(pk)
            if session.process_id is not None or session.ended_at is not None:
                continue
            fitting = [one for one in free if load[one.pk] < one.capacity and one.reaches(session)]
            if not fitting:
                continue
            process = min(fitting, key=lambda one: load[one.pk])
            load[process.pk] += 1
            matched += 1
            session.process, session.agent_seen_at = process, at
            _announce_in(session, "here", at=at)
            publish_after_commit(of_process(process.pk))
    return matched


def _room(free: list[AgentProcess], load: dict[int, int]) -> int:
    return sum(max(process.capacity - load[process.pk], 0) for process in free)


def _reached_by(processes: list[AgentProcess], sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Those of the sessions that at least one of the processes may take."""
    if not all(process.projects for process in processes):
        return sessions
    return sessions.filter(project__slug__in={slug for process in processes for slug in process.projects})


def _waiting() -> QuerySet[Session]:
    return Session.objects.unended().filter(process=None)


def release_lost(*, at: datetime) -> None:
    """Take sessions from processes that stayed away; commands they had begun fail. 1 query where there are none."""
    lost = Q(is_connected=False, seen_at__lt=at - GRACE) | Q(is_connected=True, seen_at__lt=at - SILENT)
    held = Session.objects.unended().filter(process__isnull=False)
    holders = AgentProcess.objects.filter(lost, pk__in=held.values("process"))
    for pk in holders.values_list("pk", flat=True)[:20]:
        with transaction.atomic():
            process = AgentProcess.objects.select_for_update().filter(lost, pk=pk).first()
            if process is None:
                continue
            AgentProcess.objects.filter(pk=pk).update(is_connected=False)
            for session in _held_by(process):
                unassign(session, at=at)
            publish_after_commit(of_process(pk))


def unassign(session: Session, *, at: datetime) -> None:
    """Take a session from its process, so that it waits for another. Locks: call with the session locked."""
    live = open_command(session)
    write = SessionWrite(session, at)
    # The time without an agent counts from now.
    session.process, session.agent_seen_at = None, at
    write.add_from_server("peer", {"who": "agent", "state": "away"})
    if live and live.status != LiveCommand.Status.SENT:
        # Another process could not know which part of the command was done already.
        fail(write, live, reason="agent_lost")
    session.due_at = deadlines.next_due(session, open_command(session), at=at)
    write.save()


def match_all(*, at: datetime) -> None:
    """Match every waiting session. 1 query where none waits."""
    with_room = AgentProcess.objects.filter(is_connected=True).annotate(
        n=Count("sessions", filter=Q(sessions__ended_at=None))
    )
    agents = _waiting().filter(agent__in=with_room.filter(n__lt=F("capacity")).values("agent"))
    for agent in agents.values_list("agent", flat=True).distinct():
        match(agent=agent, at=at)


def _announce(process: AgentProcess, state: str, *, at: datetime) -> None:
    for session in _held_by(process):
        _announce_in(session, state, at=at)


def _held_by(process: AgentProcess) -> Iterator[Session]:
    """The unended sessions of a process, each locked in its turn."""
    for pk in Session.objects.unended().filter(process=process).order_by("pk").values_list("pk", flat=True):
        session = locked(pk)
        if session.ended_at is None and session.process_id == process.pk:
            yield session


def _announce_in(session: Session, state: str, *, at: datetime) -> None:
    write = SessionWrite(session, at)
    write.add_from_server("peer", {"who": "agent", "state": state})
    session.due_at = deadlines.next_due(session, open_command(session), at=at)
    write.save()


class AssignedSession(NamedTuple):
    """A session as a process receives it.

    Attributes:
        world: The scene after event `have`; the process then receives the events after it.
    """

    session: int
    sender: Sender
    size: Size
    world: dict[str, Any]
    capabilities: list[str]
    have: int
    last_cseq: int


def sessions_of(process: AgentProcess) -> dict[str, int] | None:
    """The unended sessions of this process, each with its last event; None if a newer connection has replaced this one.

    Costs: 2 queries.
    """
    if AgentProcess.objects.values_list("epoch", flat=True).get(pk=process.pk) != process.epoch:
        return None
    return dict(Session.objects.unended().filter(process=process).values_list("public_id", "last_seq"))


def assignment_of(process: AgentProcess, public_id: str) -> AssignedSession | None:
    """The session for this process; None if the session belongs to it no more.

    A command that is not over is sent again, with the world as it was before the command. A process that has begun it
    knows how far it came; any other process must begin it.
    """
    session = Session.objects.unended().filter(process=process, public_id=public_id).select_related("scene").first()
    if session is None:
        return None
    live = open_command(session)
    have = live.seq - 1 if live is not None and not live.is_over else session.last_seq
    scene = scene_at(session, have)
    return AssignedSession(
        session.pk,
        Sender(Role.AGENT, process.epoch, process.pk),
        scene.size,
        scene.as_json(),
        session.capabilities,
        have,
        session.agent_cseq,
    )


def reason_of(session: int) -> str:
    """The reason why a session was taken from a process."""
    return Session.objects.values_list("reason", flat=True).get(pk=session) or "given_to_another"
