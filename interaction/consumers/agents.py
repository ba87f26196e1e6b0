"""`/ws/agents/{agent}/`: the gateway. One process of an agent on one socket, with as many sessions as it takes."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from django.utils import timezone

from agents.keys import find_key
from agents.models import Agent, ApiKey
from interaction import gateway, log, matching, tail
from interaction.bell import bell
from interaction.consumers.line import (
    BAD_TOKEN,
    FAILED,
    NOT_YOURS,
    REPLACED,
    Bucket,
    Frame,
    Line,
    Place,
    number_in,
    text_in,
    wall_time,
)
from interaction.messages import TO_AGENTS
from interaction.models import AgentProcess, Event
from interaction.pool import in_pool
from interaction.refusals import SessionClosed
from interaction.wakeups import of_process, of_session

MOST_CAPACITY = 1000


@dataclass(eq=False)
class Held:
    """A session that this process has, and how far it was told of it; it listens for its process's socket."""

    place: Place
    have: int
    socket: "AgentLine"
    has_more: bool = False

    def hear(self) -> None:
        self.has_more = True
        self.socket.woken.set()

    def is_behind(self, last_seq: int, worker_epoch: int = 0) -> bool:
        return self.have < last_seq


class AgentLine(Line):
    """One process of one agent."""

    most_characters: ClassVar[int] = 1_000_000

    async def connect(self) -> None:
        self.bucket = Bucket(rate=2000, most=4000)
        self.process: AgentProcess | None = None
        self.held: dict[str, Held] = {}
        self.has_news = True
        await super().connect()
        self.key = _key_in(self.scope["headers"])
        allowed = await in_pool(_agent_of, self.scope["url_route"]["kwargs"]["agent"], self.key)
        if isinstance(allowed, int):
            await self.hang_up(allowed)
        else:
            self.agent = allowed

    async def greet(self, frame: Frame) -> bool:
        resume = text_in(frame, "resume")
        capacity = number_in(frame, "capacity", least=1, most=MOST_CAPACITY)
        now = timezone.now()
        self.process = await in_pool(matching.arrive, agent=self.agent, resume=resume, capacity=capacity, at=now)
        await self.say(
            t="welcome",
            epoch=self.process.epoch,
            last_cseq=0,
            last_seq=0,
            state={"capacity": capacity},
            server_time=wall_time(now),
        )
        self.bell = bell()
        self.bell.listen(of_process(self.process.pk), self)
        self.keep_doing(partial(self._live, self.process))
        return True

    async def _live(self, process: AgentProcess) -> None:
        """Say from time to time that this socket is open: where the server dies, nobody else can know."""
        while True:
            await asyncio.sleep(matching.BEAT_S)
            code = await in_pool(_why_not_on, process, self.key)
            if code is not None:
                await self.hang_up(code)
                return

    async def take(self, frame: Frame) -> None:
        held = self.held.get(str(frame.get("session")))
        if held is None:
            name = str(frame.get("session"))[:64]
            refusal = SessionClosed("This session is not, or no longer, this process's.")
            await self.say(t="error", code=refusal.code, detail=str(refusal), last_cseq=None, session=name)
            return
        await self.append(held.place, frame)

    async def pass_on(self) -> None:
        """Most of the time a session has its next event at hand; else it is looked up what there is to tell."""
        process, told = self.process, not self.has_news
        for held in [one for one in self.held.values() if one.has_more]:
            held.has_more = False
            events = tail.after(held.place.session, held.have)
            await self._tell(held, events)
            told = told and bool(events) and events[-1].type != "closed"
        if told or process is None:
            return
        self.has_news = False
        standing = await in_pool(gateway.standing_of, process)
        if standing is None:
            await self.hang_up(REPLACED)
            return
        for name in set(self.held) - set(standing):
            await self._unassign(name)
        for name, last_seq in standing.items():
            if name not in self.held:
                await self._assign(name)
            if name in self.held and self.held[name].is_behind(last_seq):
                await self._tell_rest(self.held[name])

    def hear(self) -> None:
        self.has_news = True
        self.woken.set()

    def is_behind(self, last_seq: int, worker_epoch: int) -> bool:
        """Of the sessions of a process one may have come or gone, whatever their logs say."""
        return True

    async def _assign(self, name: str) -> None:
        assert self.process is not None  # noqa: S101 - only after a hello
        given = await in_pool(gateway.assignment_of, self.process, name)
        if given is None:
            return
        place = Place(given.session, given.sender, given.size, {"session": name})
        self.counted[given.session] = given.last_cseq
        self.held[name] = Held(place, given.have, self)
        self.bell.listen(of_session(given.session), self.held[name])
        await self.say(
            t="assign",
            session=name,
            world=given.world,
            capabilities=given.capabilities,
            have=given.have,
            last_cseq=given.last_cseq,
        )

    async def _unassign(self, name: str) -> None:
        held = self.held.pop(name)
        await self._tell_rest(held)
        self.bell.leave(of_session(held.place.session), held)
        self.counted.pop(held.place.session, None)
        reason = await in_pool(gateway.reason_of, held.place.session)
        await self.say(t="unassign", session=name, reason=reason)

    async def _tell_rest(self, held: Held) -> None:
        while events := await in_pool(log.events_after, held.place.session, held.have):
            await self._tell(held, events)

    async def _tell(self, held: Held, events: list[Event]) -> None:
        for event in events:
            if event.type in TO_AGENTS[log.Role(event.role)]:
                await self.say_event(event, held.place)
            held.have = event.seq

    def addressed(self, text: str) -> Place | None:
        found = re.search(r'"session"\s*:\s*"([A-Za-z0-9_-]{1,64})"', text[:2000]) or re.search(
            r'"session"\s*:\s*"([A-Za-z0-9_-]{1,64})"', text[-200:]
        )
        held = self.held.get(found.group(1)) if found else None
        return held.place if held else None

    async def gone(self) -> None:
        if self.process is None:
            return
        self.bell.leave(of_process(self.process.pk), self)
        for held in self.held.values():
            self.bell.leave(of_session(held.place.session), held)
        await in_pool(matching.leave, self.process, at=timezone.now())


def _key_in(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The API key of `Authorization: Api-Key KEY`; "" where there is none."""
    for name, value in headers:
        keyword, _, key = value.decode("latin-1").partition(" ")
        if name == b"authorization" and keyword.lower() == "api-key":
            return key.strip()
    return ""


def _why_not_on(process: AgentProcess, key: str) -> int | None:
    """Why this socket cannot go on: its key opens it no more, or the process was given up meanwhile."""
    now = timezone.now()
    found = find_key(key, at=now)
    if found is None or not found.allows(ApiKey.Scope.AGENTS):
        return BAD_TOKEN
    return None if matching.beat(process, at=now) else FAILED


def _agent_of(slug: str, key: str) -> Agent | int:
    """The agent that this key may run; else the code to hang up with."""
    found = find_key(key, at=timezone.now()) if key else None
    if found is None:
        return BAD_TOKEN
    if not found.allows(ApiKey.Scope.AGENTS):
        return NOT_YOURS
    return Agent.objects.filter(slug=slug).first() or NOT_YOURS
