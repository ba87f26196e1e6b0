"""`/ws/agents/{agent}/`: the socket of one process of an agent. The process takes part in several sessions at once."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

from django.conf import settings
from django.utils import timezone

from agents.keys import find_key
from agents.models import Agent, ApiKey
from interaction.agents import matching
from interaction.db_threads import in_pool
from interaction.models import AgentProcess
from interaction.session import event_log, recent_events, ticks
from interaction.session.messages import TO_AGENTS
from interaction.session.recent_events import LoggedEvent
from interaction.session.refusals import SessionClosed, TooMany
from interaction.wakeups import of_process, of_session, subscriptions
from learning.serving.sessions import models_of_session
from lib.faults import TooManyRequests
from web.api.throttles import take_request
from web.edge.client_address import address_of_scope
from web.sockets.connection import (
    BAD_TOKEN,
    FAILED,
    FLOODED,
    NOT_YOURS,
    REPLACED,
    Connection,
    Frame,
    SessionRef,
    number_in,
    text_in,
    wall_time,
)
from web.sockets.limits import Bucket

MOST_CAPACITY = 1000


class Allowed(NamedTuple):
    """The agent that a key may run, and the slugs of the projects whose sessions it may take; empty: of all."""

    agent: Agent
    projects: list[str]


@dataclass(eq=False)
class AssignedSession:
    """A session that is assigned to this process, and the last event of it that was sent.

    It wakes its process's socket.
    """

    ref: SessionRef
    have: int
    socket: "AgentConnection"

    def on_wake(self) -> None:
        self.socket.with_news.add(self)
        self.socket.woken.set()

    def is_behind(self, last_seq: int, worker_epoch: int = 0) -> bool:
        return self.have < last_seq


class AgentConnection(Connection):
    """The socket of one process of one agent."""

    kind: ClassVar[str] = "agent"
    most_characters: ClassVar[int] = 1_000_000

    async def connect(self) -> None:
        rate = settings.AGENT_FRAMES_A_SECOND
        self.bucket = Bucket(rate, most=2 * rate)
        self.refusals = Bucket(rate=100, most=2000)
        self.process: AgentProcess | None = None
        self.sessions: dict[str, AssignedSession] = {}
        self.with_news: set[AssignedSession] = set()
        self.has_news = True
        await super().connect()
        if self.is_closed:
            return
        self.key = _key_in(self.scope["headers"])
        self.address = address_of_scope(self.scope)
        try:
            allowed = await in_pool(_agent_of, self.scope["url_route"]["kwargs"]["agent"], self.key, self.address)
        except TooManyRequests as refusal:
            await self.refuse(TooMany(refusal.detail))
            await self.close_with(FLOODED)
            return
        if allowed == BAD_TOKEN:
            await self.close_with_bad_credential()
        elif isinstance(allowed, int):
            await self.close_with(allowed)
        else:
            self.allowed = allowed

    async def on_hello(self, frame: Frame) -> bool:
        resume = text_in(frame, "resume")
        capacity = number_in(frame, "capacity", least=1, most=MOST_CAPACITY)
        now = timezone.now()
        agent, projects = self.allowed
        self.process = await in_pool(
            matching.connect, agent=agent, resume=resume, capacity=capacity, projects=projects, at=now
        )
        await self.send_frame(
            t="welcome",
            epoch=self.process.epoch,
            last_cseq=0,
            last_seq=0,
            state={"capacity": capacity},
            server_time=wall_time(now),
        )
        ticks.start()
        self.subscriptions = subscriptions()
        self.subscriptions.subscribe(of_process(self.process.pk), self)
        self.run_while_open(partial(self._check_every_beat, self.process))
        return True

    async def _check_every_beat(self, process: AgentProcess) -> None:
        """Note regularly that this socket is open. If the server dies, other processes see that the notes stopped."""
        while True:
            await asyncio.sleep(matching.HEARTBEAT_S)
            code = await in_pool(_close_code_of, process, self.key, self.address)
            if code is not None:
                await self.close_with(code)
                return

    async def on_send(self, frame: Frame) -> None:
        assigned = self.sessions.get(str(frame.get("session")))
        if assigned is None:
            name = str(frame.get("session"))[:64]
            refusal = SessionClosed("This session is not, or no longer, this process's.")
            await self.send_frame(t="error", code=refusal.code, detail=str(refusal), last_cseq=None, session=name)
            return
        await self.append(assigned.ref, frame)

    async def send_new_events(self) -> None:
        """Send new events from memory where possible; otherwise ask the database which sessions are behind."""
        process, is_up_to_date = self.process, not self.has_news
        with_news, self.with_news = self.with_news, set()
        for assigned in with_news:
            events = recent_events.after(assigned.ref.session, assigned.have)
            await self._send_events(assigned, events)
            is_up_to_date = is_up_to_date and bool(events) and events[-1].type != "closed"
        if is_up_to_date or process is None:
            return
        self.has_news = False
        last_seqs = await in_pool(matching.sessions_of, process)
        if last_seqs is None:
            await self.close_with(REPLACED)
            return
        for name in set(self.sessions) - set(last_seqs):
            await self._unassign(name)
        for name, last_seq in last_seqs.items():
            if name not in self.sessions:
                await self._assign(name)
            if name in self.sessions and self.sessions[name].is_behind(last_seq):
                await self._send_rest(self.sessions[name])

    def on_wake(self) -> None:
        self.has_news = True
        self.woken.set()

    def is_behind(self, last_seq: int, worker_epoch: int) -> bool:
        """Always True: a session may have been assigned or taken away, which no log shows."""
        return True

    async def _assign(self, name: str) -> None:
        assert self.process is not None  # noqa: S101 - only after a hello
        given = await in_pool(matching.assignment_of, self.process, name)
        if given is None:
            return
        ref = SessionRef(given.session, given.sender, given.size, {"session": name})
        self.last_cseqs[given.session] = given.last_cseq
        self.sessions[name] = AssignedSession(ref, given.have, self)
        self.subscriptions.subscribe(of_session(given.session), self.sessions[name])
        await self.send_frame(
            t="assign",
            session=name,
            world=given.world,
            capabilities=given.capabilities,
            have=given.have,
            last_cseq=given.last_cseq,
            models=await in_pool(models_of_session, given.session, name),
        )

    async def _unassign(self, name: str) -> None:
        assigned = self.sessions.pop(name)
        self.with_news.discard(assigned)
        await self._send_rest(assigned)
        self.subscriptions.unsubscribe(of_session(assigned.ref.session), assigned)
        self.last_cseqs.pop(assigned.ref.session, None)
        reason = await in_pool(matching.reason_of, assigned.ref.session)
        await self.send_frame(t="unassign", session=name, reason=reason)

    async def _send_rest(self, assigned: AssignedSession) -> None:
        while events := await in_pool(event_log.events_after, assigned.ref.session, assigned.have):
            await self._send_events(assigned, events)

    async def _send_events(self, assigned: AssignedSession, events: list[LoggedEvent]) -> None:
        for event in events:
            if event.type in TO_AGENTS[event.role]:
                await self.send_event(event, assigned.ref)
            assigned.have = event.seq

    def session_named_in(self, text: str) -> SessionRef | None:
        found = re.search(r'"session"\s*:\s*"([A-Za-z0-9_-]{1,64})"', text[:2000]) or re.search(
            r'"session"\s*:\s*"([A-Za-z0-9_-]{1,64})"', text[-200:]
        )
        assigned = self.sessions.get(found.group(1)) if found else None
        return assigned.ref if assigned else None

    async def on_close(self) -> None:
        if self.process is None:
            return
        self.subscriptions.unsubscribe(of_process(self.process.pk), self)
        for assigned in self.sessions.values():
            self.subscriptions.unsubscribe(of_session(assigned.ref.session), assigned)
        await in_pool(matching.disconnect, self.process, at=timezone.now())


def _key_in(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The API key in the header `Authorization: Api-Key KEY`; "" if there is none."""
    for name, value in headers:
        keyword, _, key = value.decode("latin-1").partition(" ")
        if name == b"authorization" and keyword.lower() == "api-key":
            return key.strip()
    return ""


def _close_code_of(process: AgentProcess, key: str, address: str) -> int | None:
    """The close code if this socket must close: its key is no longer valid, or the process was given up; else None."""
    now = timezone.now()
    found = find_key(key, at=now, address=address)
    if found is None or not found.allows(ApiKey.Scope.AGENTS):
        return BAD_TOKEN
    return None if matching.note_heartbeat(process, at=now) else FAILED


def _agent_of(slug: str, key: str, address: str) -> Allowed | int:
    """The agent that this key may run, or the close code if there is none.

    Raises:
        TooManyRequests: the key has sent too many requests.
    """
    found = find_key(key, at=timezone.now(), address=address) if key else None
    if found is None:
        return BAD_TOKEN
    take_request(found)
    if not found.allows(ApiKey.Scope.AGENTS) or not found.acts_as(slug) or (found.is_limited and not found.projects):
        return NOT_YOURS
    agent = Agent.objects.filter(slug=slug).first()
    return Allowed(agent, found.projects) if agent else NOT_YOURS
