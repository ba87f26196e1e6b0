"""The event log: every message of a session, appended once, in one transaction with all that it changes.

A message is acknowledged after the commit, so an acknowledged message is never lost. `epoch` is the number of the
connection of a side that may write, `cseq` the number of its next message. The UPDATE that counts the message checks
both, so that two connections, or one message sent twice, cannot both succeed.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction

from common.serializers import BIGGEST
from interaction.models import Event, Session
from interaction.session import quotas, recent_events
from interaction.session.recent_events import LoggedEvent
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
        cost = quotas.cost_of_all(self.added)
        self.session.log_bytes += cost.bytes
        self.session.blocks_changed += cost.blocks
        self.session.moved_at = self.at
        self.session.save()
        events = [LoggedEvent.of(event) for event in self.added]
        transaction.on_commit(lambda: recent_events.keep(events))
        publish_after_commit(of_session(self.session.pk))


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
        if seq is not None:
            publish_after_commit(of_session(session))
        return _repeat_or_full(message, at=at) if seq is None else Receipt(seq, is_repeat=False)
    with transaction.atomic():
        # The UPDATE that counts the message locks the session too, so nothing changes under the rule.
        if not _count([message], at, seqs=0):
            return _repeat_of(session, sender, cseq)
        try:
            with transaction.atomic():
                write = SessionWrite(Session.objects.get(pk=session), at)
                quotas.check_room(write.session, kind, quotas.cost_of(kind, body, quotas.written(body)))
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
    """Append messages that change only the log, of many sessions in one transaction. The caller wakes the sockets.

    Args:
        may_wait: Whether to wait for sessions that are locked elsewhere, for as long as that takes.

    Returns:
        The number of each in its log; None for a message that must be appended by itself: it is not the next one of
        its side, another message of that side is in the list, its session is locked, or its log is full.
    """
    texts = [quotas.written(message.body) for message in messages]
    costs = [quotas.cost_of(message.kind, message.body, text) for message, text in zip(messages, texts, strict=True)]
    # One message of each session: two may come from an old and a new connection.
    sides = [{one.session: n for n, one in enumerate(messages) if one.sender.role == role} for role in _SIDES]
    sides = [side for side in sides if side]
    seqs: list[int | None] = [None] * len(messages)
    in_one = connection.vendor == "postgresql"
    # A statement by itself is a transaction, which costs a database server no more round trips.
    with nullcontext() if in_one and len(sides) == 1 else transaction.atomic():
        events: list[LoggedEvent] = []
        for side in sides:
            ours = [(messages[n], texts[n], costs[n]) for n in side.values()]
            found = _count_and_insert(ours, at, may_wait=may_wait) if in_one else _count_then_insert(ours, at)
            for session, seq in found.items():
                n = side[session]
                seqs[n] = seq
                events.append(LoggedEvent(session, seq, messages[n].sender.role, messages[n].kind, texts[n], at))
        transaction.on_commit(lambda: recent_events.keep(events))
    return seqs


_Plain = tuple[Message, str, quotas.Cost]
"""A message of one side that changes only the log, its body as the log keeps it, and what it takes from the quotas."""
_SIDES = {
    Role.WORKER: "worker_epoch = of_epoch",
    Role.AGENT: "process_id IN (SELECT id FROM interaction_agentprocess WHERE epoch = of_epoch AND id = of_process)",
}


def _count_then_insert(plain: Sequence[_Plain], at: datetime) -> dict[int, int]:
    """Count messages and append them; returns the numbers of those that counted, by session.

    Written as SQL, as all that follows: Django's ORM has no UPDATE that returns rows, and building the statements for
    each of a thousand messages a second would cost more than running them.
    """
    seqs = _count([message for message, _, _ in plain], at, seqs=1, costs=[cost for _, _, cost in plain])
    if not seqs:
        return seqs
    values: list[Any] = []
    now = connection.ops.adapt_datetimefield_value(at)
    for message, text, _ in plain:
        if seq := seqs.get(message.session):
            values += (message.session, seq, message.sender.role.value, message.cseq, message.kind, text, now)
    rows = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(seqs))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO interaction_event ({_COLUMNS}) VALUES {rows}", values)  # noqa: S608
    return seqs


def _count_and_insert(plain: Sequence[_Plain], at: datetime, *, may_wait: bool) -> dict[int, int]:
    """The same in one statement, which SQLite does not know, without the sessions that are locked elsewhere.

    Args:
        may_wait: Whether to wait for those too.
    """
    known = [one for one in plain if one[0].cseq <= BIGGEST]
    if not known:
        return {}
    role = known[0][0].sender.role
    skip = "" if may_wait else "SKIP LOCKED"
    rows = ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s)"] * len(known))
    # Only names of our own columns are put into the text.
    statement = (
        f"WITH given ({_GIVEN}, of_type, of_body) AS (VALUES {rows}), "  # noqa: S608
        # In the order of their ids, as everywhere where several are locked.
        "free AS (SELECT id AS of_free FROM interaction_session WHERE id IN (SELECT of_session FROM given) "
        f"ORDER BY id FOR UPDATE {skip}), "
        f"counted AS ({_counting(role, 'given JOIN free ON of_free = of_session')} RETURNING id, last_seq) "
        f"INSERT INTO interaction_event ({_COLUMNS}) "
        "SELECT id, last_seq, %s, of_cseq + 1, of_type, of_body::jsonb, %s FROM counted JOIN given ON id = of_session "
        "RETURNING session_id, seq"
    )
    values: list[Any] = []
    for message, text, cost in known:
        values += (*_given(message, cost), message.kind, text)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, *_counted(at, seqs=1), role.value, at])
        return dict(cursor.fetchall())


def _count(
    messages: Sequence[Message], at: datetime, *, seqs: int, costs: Sequence[quotas.Cost] = ()
) -> dict[int, int]:
    """Count messages of one side that are the next ones of their sessions; returns the last numbers of those logs.

    Args:
        costs: Of each message, if it is to be written as it is: it is not counted where its log has no room for it.
    """
    free = [quotas.Cost(0, 0)] * len(messages)
    known = [pair for pair in zip(messages, costs or free, strict=True) if pair[0].cseq <= BIGGEST]
    if not known:
        return {}
    rows = ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(known))
    statement = (
        f"WITH given ({_GIVEN}) AS (VALUES {rows}) {_counting(known[0][0].sender.role, 'given')} RETURNING id, last_seq"
    )
    values: list[Any] = []
    for message, cost in known:
        values += _given(message, cost)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, *_counted(at, seqs=seqs)])
        return dict(cursor.fetchall())


_COLUMNS = "session_id, seq, role, cseq, type, body, at"
_GIVEN = "of_session, of_cseq, of_epoch, of_process, of_bytes, of_blocks"


def _given(message: Message, cost: quotas.Cost) -> tuple[int, ...]:
    """The values of `_GIVEN`; 0 stands for no process."""
    return (message.session, message.cseq - 1, message.sender.epoch, message.sender.process or 0, *cost)


def _counting(role: Role, given: str) -> str:
    """The UPDATE that counts messages of a side, with the places of `_counted`."""
    side = role.value
    writer = ", worker_wrote = worker_resume" if role == Role.WORKER else ""
    return (
        f"UPDATE interaction_session SET last_seq = last_seq + %s, {side}_cseq = {side}_cseq + 1, "  # noqa: S608
        f"{side}_seen_at = %s, moved_at = %s, log_bytes = log_bytes + of_bytes, "
        f"blocks_changed = blocks_changed + of_blocks{writer} FROM {given} "
        f"WHERE id = of_session AND ended_at IS NULL AND {side}_cseq = of_cseq AND {_SIDES[role]} "
        "AND (of_bytes = 0 OR log_bytes + of_bytes <= %s) AND (of_blocks = 0 OR blocks_changed + of_blocks <= %s)"
    )


def _counted(at: datetime, *, seqs: int) -> list[Any]:
    now = connection.ops.adapt_datetimefield_value(at)
    return [seqs, now, now, settings.SESSION_LOG_MAX_BYTES, settings.SESSION_BLOCKS_MAX]


def _repeat_or_full(message: Message, *, at: datetime) -> Receipt:
    """The receipt of a plain message that was not appended, if it repeats one in the log.

    Raises:
        Refusal: it repeats none. `LogFull` counts the message.
    """
    with transaction.atomic():
        if not _count([message], at, seqs=0):
            return _repeat_of(message.session, message.sender, message.cseq)
        session = Session.objects.get(pk=message.session)
    quotas.check_room(session, message.kind, quotas.cost_of(message.kind, message.body, quotas.written(message.body)))
    raise quotas.LogFull("The log of this session was full a moment ago.")


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


def events_after(session: int, seq: int, *, limit: int = 500) -> list[LoggedEvent]:
    """The next events, oldest first. 1 query."""
    rows = Event.objects.filter(session=session, seq__gt=seq).order_by("seq")[:limit]
    return [LoggedEvent.of(row) for row in rows]
