"""The event log: every message of a session, appended once, in one transaction with all that it changes.

A message is acknowledged after the commit, so an acknowledged message is never lost. `epoch` is the number of the
connection of a side that may write, `cseq` the number of its next message. The UPDATE that counts the message checks
both, so that two connections, or one message sent twice, cannot both succeed.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction

from common.serializers import BIGGEST
from interaction.models import Event, Session
from interaction.session import recent_events
from interaction.session.refusals import Gap, Refusal, SessionClosed, Stale
from interaction.wakeups import of_session, publish_after_commit

Role = Event.Role
Body = dict[str, Any]


@dataclass(frozen=True)
class Sender:
    """The connection of one side. It may write only while its epoch is the last.

    Attributes:
        process: The agent's process; None for the worker.
    """

    role: Role
    epoch: int
    process: int | None = None


class Message(NamedTuple):
    """One message of a side, as it is counted and written."""

    session: int
    sender: Sender
    cseq: int
    kind: str
    body: Body


class Receipt(NamedTuple):
    """The number of a message in the log, and whether it was there before."""

    seq: int
    is_repeat: bool


class Repeated(Exception):
    """The message repeats an earlier one under the same id: nothing changes."""

    def __init__(self, seq: int) -> None:
        super().__init__(seq)
        self.seq = seq


@dataclass
class SessionWrite:
    """A locked session that is being written: rules read and change it, and add events of the server."""

    session: Session
    at: datetime
    added: list[Event] = field(default_factory=list)

    def add(self, role: Role, kind: str, body: Body, cseq: int | None = None) -> Event:
        self.session.last_seq += 1
        # By its id only: the event may stay in memory for long, and a session is large.
        event = Event(
            session_id=self.session.pk,
            seq=self.session.last_seq,
            role=role,
            cseq=cseq,
            type=kind,
            body=body,
            at=self.at,
        )
        self.added.append(event)
        return event

    def add_from_server(self, kind: str, body: Body) -> Event:
        """Add an event of the server's own."""
        return self.add(Role.SERVER, kind, body)

    def save(self) -> None:
        """Write the new events and the changed session, and wake its sockets after the commit."""
        Event.objects.bulk_create(self.added)
        self.session.moved_at = self.at
        self.session.save()
        _publish_after_commit(self.added, {self.session.pk})


Rule = Callable[[SessionWrite, Body], None]


def locked(pk: int) -> Session:
    """The session as it is now, locked until the commit."""
    return Session.objects.select_for_update().get(pk=pk)


def append(
    session: int, sender: Sender, *, cseq: int, kind: str, body: Body, at: datetime, rule: Rule | None = None
) -> Receipt:
    """Append one message.

    Args:
        rule: Changes all else that the message changes; it may refuse the message, which then counts but leaves no
            event.

    Raises:
        Refusal: `Gap`, `Stale` and `SessionClosed` do not count the message, others do.
    """
    message = Message(session, sender, cseq, kind, body)
    if rule is None:
        seq = append_plain([message], at=at, may_wait=True)[0]
        return _repeat_of(session, sender, cseq) if seq is None else Receipt(seq, is_repeat=False)
    with transaction.atomic():
        # The UPDATE that counts the message locks the session too, so nothing changes under the rule.
        if not _count([message], at, seqs=0):
            return _repeat_of(session, sender, cseq)
        try:
            with transaction.atomic():
                write = SessionWrite(Session.objects.get(pk=session), at)
                event = write.add(sender.role, kind, body, cseq)
                rule(write, body)
                write.save()
        except Repeated as repeated:
            return Receipt(repeated.seq, is_repeat=True)
        except Refusal as refusal:
            refused = refusal
        else:
            return Receipt(event.seq, is_repeat=False)
    raise refused


def reject(session: int, sender: Sender, *, cseq: int, at: datetime) -> None:
    """Count a message that cannot be read, without an event.

    Raises:
        Refusal: `Gap`, `Stale` or `SessionClosed`.
    """
    if not _count([Message(session, sender, cseq, "", {})], at, seqs=0):
        _repeat_of(session, sender, cseq)


def append_plain(messages: Sequence[Message], *, at: datetime, may_wait: bool = False) -> list[int | None]:
    """Append messages that change only the log, of many sessions in one transaction.

    Args:
        may_wait: Whether to wait for sessions that are locked elsewhere, for as long as that takes.

    Returns:
        The number of each in its log; None for a message that must be appended by itself: it is not the next one of
        its side, another message of that side is in the list, or its session is locked.
    """
    seqs: list[int | None] = [None] * len(messages)
    with transaction.atomic():
        free = {message.session for message in messages}
        if not may_wait and connection.features.has_select_for_update_skip_locked:
            rows = Session.objects.select_for_update(skip_locked=True).filter(pk__in=free)
            free = set(rows.values_list("pk", flat=True))
        for role in _SIDES:
            # One message of each session: two may come from an old and a new connection.
            side = {one.session: n for n, one in enumerate(messages) if one.sender.role == role and one.session in free}
            for session, seq in _count([messages[n] for n in side.values()], at, seqs=1).items():
                seqs[side[session]] = seq
        events = [
            Event(session_id=session, seq=seq, role=sender.role, cseq=cseq, type=kind, body=body, at=at)
            for (session, sender, cseq, kind, body), seq in zip(messages, seqs, strict=True)
            if seq is not None
        ]
        _insert(events)
        _publish_after_commit(events, {event.session_id for event in events})
    return seqs


def _publish_after_commit(events: Sequence[Event], sessions: Collection[int]) -> None:
    transaction.on_commit(lambda: recent_events.keep(events))
    publish_after_commit(*map(of_session, sessions))


def _insert(events: Sequence[Event]) -> None:
    """As `bulk_create`, but written as SQL, since the ORM takes longer to build the statement than to run it."""
    if not events:
        return
    values: list[Any] = []
    for event in events:
        body = json.dumps(event.body, separators=(",", ":"))
        now = connection.ops.adapt_datetimefield_value(event.at)
        values += [event.session_id, event.seq, str(event.role), event.cseq, event.type, body, now]
    rows = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(events))
    statement = f"INSERT INTO interaction_event (session_id, seq, role, cseq, type, body, at) VALUES {rows}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


_SIDES = {
    Role.WORKER: "worker_epoch = of_epoch",
    Role.AGENT: "process_id IN (SELECT id FROM interaction_agentprocess WHERE epoch = of_epoch AND id = of_process)",
}


def _count(messages: Sequence[Message], at: datetime, *, seqs: int) -> dict[int, int]:
    """Count messages of one side that are the next ones of their sessions; returns the last numbers of those logs.

    Written as SQL: Django's ORM has no UPDATE that returns rows, and building this for each of a thousand messages a
    second would cost more than running it.
    """
    known = [message for message in messages if message.cseq <= BIGGEST]
    if not known:
        return {}
    role = known[0].sender.role
    side = role.value
    writer = ", worker_wrote = worker_resume" if role == Role.WORKER else ""
    now = connection.ops.adapt_datetimefield_value(at)
    rows = ", ".join(["(%s, %s, %s, %s)"] * len(known))
    # Only names of our own columns are put into the text.
    statement = (
        f"WITH given (of_session, of_cseq, of_epoch, of_process) AS (VALUES {rows}) "  # noqa: S608
        f"UPDATE interaction_session SET last_seq = last_seq + %s, {side}_cseq = {side}_cseq + 1, "
        f"{side}_seen_at = %s, moved_at = %s{writer} FROM given "
        f"WHERE id = of_session AND ended_at IS NULL AND {side}_cseq = of_cseq AND {_SIDES[role]} "
        "RETURNING id, last_seq"
    )
    values: list[Any] = []
    for message in known:
        # 0 stands for no process.
        values += [message.session, message.cseq - 1, message.sender.epoch, message.sender.process or 0]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, seqs, now, now])
        return dict(cursor.fetchall())


def _repeat_of(session: int, sender: Sender, cseq: int) -> Receipt:
    """The receipt of a message that is not the next one, if it repeats one in the log.

    Raises:
        Refusal: it repeats none.
    """
    found = Session.objects.select_related("process").get(pk=session)
    _check_current(found, sender)
    known = found.worker_cseq if sender.role == Role.WORKER else found.agent_cseq
    if cseq <= known:
        kept = Event.objects.filter(session=session, role=sender.role, cseq=cseq).values_list("seq", flat=True).first()
        if kept is None:
            raise Refusal("This message was refused before.")
        return Receipt(kept, is_repeat=True)
    if found.ended_at is not None:
        raise SessionClosed("The session is over.")
    raise Gap(f"The next message is {known + 1}, not {cseq}.")


def _check_current(session: Session, sender: Sender) -> None:
    """Check that this connection may write.

    Raises:
        Refusal: `SessionClosed` where another process has the session, `Stale` where another connection has it.
    """
    if sender.role == Role.WORKER:
        epoch = session.worker_epoch
    elif session.process is None or session.process.pk != sender.process:
        raise SessionClosed("This session is not, or no longer, this process's.")
    else:
        epoch = session.process.epoch
    if epoch != sender.epoch:
        raise Stale("A newer connection has taken this one's place.")


def events_after(session: int, seq: int, *, limit: int = 500) -> list[Event]:
    """The next events, oldest first. 1 query."""
    return list(Event.objects.filter(session=session, seq__gt=seq).order_by("seq")[:limit])
