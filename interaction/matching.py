"""Which process of an agent has which session. Locks: processes before sessions."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet

from agents.models import Agent
from interaction import deadlines
from interaction.commands import fail, open_command
from interaction.log import Desk, locked
from interaction.models import AgentProcess, Command, Session
from interaction.wakeups import of_process, ring_after_commit

GRACE = timedelta(seconds=10)
"""How long a process that lost its line may take to come back before its sessions go to another."""
BEAT_S = 10.0
"""How often the server that holds a process's socket says that it is open."""
SILENT = timedelta(seconds=3 * BEAT_S)
"""Three of those missed: that server is dead, and its sockets with it."""


def arrive(*, agent: Agent, resume: str, capacity: int, at: datetime) -> AgentProcess:
    """Note that a process has connected; a connection that it had before may not write any more."""
    with transaction.atomic():
        process, _ = AgentProcess.objects.select_for_update().get_or_create(
            agent=agent, resume=resume, defaults={"capacity": capacity, "seen_at": at, "created_at": at}
        )
        was_here = process.is_connected
        process.epoch += 1
        process.capacity, process.is_connected, process.seen_at = capacity, True, at
        process.save(update_fields=["epoch", "capacity", "is_connected", "seen_at"])
        # Its older connection, if there is one, hears that it was replaced.
        ring_after_commit(of_process(process.pk))
        if not was_here:
            _say_peers(process, "here", at=at)
    match(agent=agent.pk, at=at)
    return process


def leave(process: AgentProcess, *, at: datetime) -> None:
    """Note that a connection has ended; nothing where a newer one has taken its place."""
    with transaction.atomic():
        gone = AgentProcess.objects.filter(pk=process.pk, epoch=process.epoch, is_connected=True)
        if gone.update(is_connected=False, seen_at=at):
            _say_peers(process, "away", at=at)


def beat(process: AgentProcess, *, at: datetime) -> bool:
    """Note a sign of life; False where the process was given up meanwhile, and must come anew."""
    here = AgentProcess.objects.filter(pk=process.pk, epoch=process.epoch, is_connected=True)
    return here.update(seen_at=at) == 1


def match(*, agent: int, at: datetime) -> int:
    """Give waiting sessions of the agent, oldest first, to its processes, least busy first; how many found one."""
    waiting = _waiting().filter(agent=agent)
    if not waiting.exists():
        return 0
    with transaction.atomic():
        free = list(AgentProcess.objects.select_for_update().filter(agent=agent, is_connected=True).order_by("pk"))
        busy = Session.objects.unended().filter(process__in=free).values_list("process").annotate(n=Count("pk"))
        load = dict.fromkeys([process.pk for process in free], 0) | dict(busy)
        matched = 0
        for pk in waiting.order_by("created_at", "pk").values_list("pk", flat=True)[: _room(free, load)]:
            session = locked(pk)
            if session.process_id is not None or session.ended_at is not None:
                continue
            process = min((one for one in free if load[one.pk] < one.capacity), key=lambda one: load[one.pk])
            load[process.pk] += 1
            matched += 1
            session.process, session.agent_seen_at = process, at
            _write_peer(session, "here", at=at)
            ring_after_commit(of_process(process.pk))
    return matched


def _room(free: list[AgentProcess], load: dict[int, int]) -> int:
    return sum(max(process.capacity - load[process.pk], 0) for process in free)


def _waiting() -> QuerySet[Session]:
    return Session.objects.unended().filter(process=None)


def release_lost(*, at: datetime) -> None:
    """Take sessions from processes that stayed away; what those had begun has failed. 1 query where there are none."""
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
            ring_after_commit(of_process(pk))


def unassign(session: Session, *, at: datetime) -> None:
    """Take a session from its process: it waits for another. Locks: call with the session locked."""
    command = open_command(session)
    desk = Desk(session, at)
    # From now on it is alone.
    session.process, session.agent_seen_at = None, at
    desk.say("peer", {"who": "agent", "state": "away"})
    if command and command.status != Command.Status.SENT:
        # What it did of this is in the world, and another process knows nothing of it.
        fail(desk, command, reason="agent_lost")
    session.due_at = deadlines.next_due(session, open_command(session), at=at)
    desk.close()


def match_all(*, at: datetime) -> None:
    """Look for processes for every waiting session. 1 query where none waits."""
    with_room = AgentProcess.objects.filter(is_connected=True).annotate(
        n=Count("sessions", filter=Q(sessions__ended_at=None))
    )
    agents = _waiting().filter(agent__in=with_room.filter(n__lt=F("capacity")).values("agent"))
    for agent in agents.values_list("agent", flat=True).distinct():
        match(agent=agent, at=at)


def _say_peers(process: AgentProcess, state: str, *, at: datetime) -> None:
    for session in _held_by(process):
        _write_peer(session, state, at=at)


def _held_by(process: AgentProcess) -> Iterator[Session]:
    """The sessions of a process, each locked in its turn; not what has ended, or was given on, until then."""
    for pk in Session.objects.unended().filter(process=process).order_by("pk").values_list("pk", flat=True):
        session = locked(pk)
        if session.ended_at is None and session.process_id == process.pk:
            yield session


def _write_peer(session: Session, state: str, *, at: datetime) -> None:
    desk = Desk(session, at)
    desk.say("peer", {"who": "agent", "state": state})
    session.due_at = deadlines.next_due(session, open_command(session), at=at)
    desk.close()
