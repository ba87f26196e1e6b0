"""Connects the built-in agent to the gateway: one mind for each session, its acts sent slowly enough to watch."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from builder.acting.acts import Act, Acts, Ask, CannotDo, Change, Edit, Found, Go, Say, Show
from builder.models.parsers import Parsers
from builder.models.store import ModelStore
from builder.world.world import World
from crosswalk_client import Event, Session, SessionEnded
from crosswalk_client.session import Command
from lib.logical_form import Form
from lib.logical_form.spans import tokenise
from lib.voxels.scene import Pose
from lib.voxels.table import AIR

logger = logging.getLogger(__name__)
STUCK = "I got stuck on that, sorry."
Answer = TypeVar("Answer")


class Mind(Protocol):
    """The part of `builder.mind.Mind` that the runner uses."""

    world: World

    def understand(self, text: str) -> Form:
        """Parse a command into a form."""

    def obey(self, form: Form, tokens: Sequence[str]) -> Acts:
        """The acts that carry out a form; each is done in the mind's own world when it is yielded."""

    def sentence_for(self, form: Form, tokens: Sequence[str]) -> str:
        """A sentence about what was understood."""

    def saw_blocks(self, changes: Sequence[Change]) -> None:
        """Take note that the worker changed these blocks."""

    def saw_player(self, pose: Pose) -> None:
        """Take note of the worker's new pose."""

    def stop(self) -> None:
        """End the present command for good."""


@dataclass(frozen=True)
class Pace:
    """How many seconds to wait after each act, so that a person can watch it."""

    step: float = 1 / 8
    edit: float = 1 / 10


class Stopped(Exception):
    """The worker asked to stop, or the server no longer waits for the agent."""


class Runner:
    """Runs one session with one mind.

    The mind runs in a thread, so that other sessions continue meanwhile. A lock makes sure that the mind does one thing
    at a time. Between two acts it is informed of what the worker did in the meantime.
    """

    def __init__(
        self,
        session: Session,
        make_mind: Callable[[dict[str, Any]], Mind],
        pace: Pace,
        store: ModelStore | None = None,
    ) -> None:
        self._session = session
        self._make_mind = make_mind
        self._pace = pace
        self._store = store
        self._parsers: asyncio.Task[Parsers] | None = None
        self._mind: Mind | None = None
        self._busy = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Handle the session's events until it ends."""
        if self._store is not None:
            # Loaded while the worker still reads; the session keeps these models to its end.
            self._parsers = asyncio.create_task(self._store.parsers_for(self._session.models))
        try:
            async with self._busy:
                self._mind = await asyncio.to_thread(self._make_mind, self._session.world)
            async for event in self._session.events():
                await self._handle_safely(event)
        finally:
            await self._finish_running()
            if self._parsers is not None:
                self._parsers.cancel()

    async def _finish_running(self) -> None:
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)

    async def _handle_safely(self, event: Event) -> None:
        try:
            await self._handle(event)
        except Exception:
            logger.exception("builder.event_not_taken_in", extra={"session": self._session.id, "seq": event.seq})

    async def _handle(self, event: Event) -> None:
        match event.sender, event.type:
            case "worker", "command":
                # The gateway sends one command at a time, but the task of the one before may still be running.
                await self._finish_running()
                self._running = asyncio.create_task(self._obey_event(event))
            case "worker", "pose":
                pose = Pose(*(event.body[name] for name in Pose._fields))
                await self._think(lambda mind: mind.saw_player(pose))
            case "worker", "place":
                await self._see([(*event.body["at"], event.body["block"])])
            case "worker", "destroy":
                await self._see([(*event.body["at"], AIR)])
            case "agent", "blocks" if not event.ours:  # sent by an earlier process of this agent
                await self._see([(x, y, z, block) for x, y, z, block in event.body["changes"]])
            case "server", "world":
                await self._think(lambda mind: _update_world(mind, World.of(event.body)))

    async def _see(self, changes: Sequence[Change]) -> None:
        await self._think(lambda mind: mind.saw_blocks(changes))

    async def _think(self, ask: Callable[[Mind], Answer]) -> Answer:
        """Call the mind in a thread, once it is free."""
        async with self._busy:
            if self._mind is None:
                raise RuntimeError("the mind has not been made")
            return await asyncio.to_thread(ask, self._mind)

    async def _obey_event(self, event: Event) -> None:
        with suppress(SessionEnded):
            command = await self._session.command_in(event)
            if command is not None:
                await self._answer(command)

    async def _answer(self, command: Command) -> None:
        """Carry out a command and report how it ended."""
        await self._session.status(command.id, "received")
        try:
            try:
                await self._obey(command)
            except Stopped:
                await self._think(lambda mind: mind.stop())
                await self._session.status(command.id, "failed", "stopped")
            else:
                await self._session.status(command.id, "done")
        except CannotDo as error:
            await self._session.say(str(error))
            await self._session.status(command.id, "failed", error.reason)
        except SessionEnded:
            raise
        except Exception:
            logger.exception("builder.mind_broke", extra={"session": self._session.id, "command": command.id})
            await self._session.say(STUCK)
            await self._session.status(command.id, "failed", "crashed")

    async def _obey(self, command: Command) -> None:
        """Carry out a command from its words to its last act.

        Raises:
            Stopped: The worker stopped the command.
            CannotDo: The mind cannot carry it out.
        """
        await self._session.status(command.id, "thinking")
        tokens = tokenise(command.text)
        parsers = await self._parsers if self._parsers is not None else Parsers()
        understood = await self._think(lambda mind: parsers.understand(command.text, mind.understand))
        form = understood.form
        await self._session.parse(command.id, form, understood.version, shadow=understood.shadow)
        await self._session.say(await self._think(lambda mind: mind.sentence_for(form, tokens)))
        self._check_stop(command)
        await self._session.status(command.id, "acting")
        acts = await self._think(lambda mind: mind.obey(form, tokens))
        async with self._closing(acts):
            answer: int | None = None
            while (act := await self._next_act(acts, answer)) is not None:
                # Sent even after a stop: the mind's own world already has this act.
                answer = await self._show(command, act)
                self._check_stop(command)

    async def _next_act(self, acts: Acts, answer: int | None) -> Act | None:
        def step(_: Mind) -> Act | None:
            # A future cannot carry a StopIteration.
            try:
                return acts.send(answer)
            except StopIteration:
                return None

        return await self._think(step)

    @asynccontextmanager
    async def _closing(self, acts: Acts) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self._think(lambda _: acts.close())

    async def _show(self, command: Command, act: Act) -> int | None:
        """Send an act and wait so that a person can watch it. Returns the answer if the act is a question.

        Raises:
            Stopped: The worker stopped the command instead of answering.
        """
        match act:
            case Say(text):
                await self._session.say(text)
            case Go(pose):
                await self._session.pose(*pose)
                await self._wait(command, self._pace.step)
            case Edit(changes):
                if changes:
                    await self._session.blocks(changes)
                await self._wait(command, self._pace.edit)
            case Show(low, high):
                await self._session.point(low, high)
            case Found(phrase, voxels):
                await self._session.objects(command.id, phrase, voxels)
            case Ask(text, choices, low, high):
                box = (low, high) if low is not None and high is not None else None
                answer = await self._session.ask(text, choices, box)
                if answer is None:
                    raise Stopped
                return answer
        return None

    async def _wait(self, command: Command, seconds: float) -> None:
        """Sleep, or return as soon as the command is stopped."""
        try:
            async with asyncio.timeout(seconds):
                await self._session.until_stopped(command.id)
        except TimeoutError:
            return

    def _check_stop(self, command: Command) -> None:
        if self._session.is_stopped(command.id):
            raise Stopped


def _update_world(mind: Mind, world: World) -> None:
    """Give a mind the present world after it lost the connection. It keeps its memory."""
    places = np.argwhere(mind.world.grid != world.grid).tolist()
    changes = [(x, y, z, int(world.grid[x, y, z])) for x, y, z in places]
    if changes:
        mind.saw_blocks(changes)
    mind.saw_player(world.player)


def serve_with(
    make_mind: Callable[[dict[str, Any]], Mind], pace: Pace | None = None, store: ModelStore | None = None
) -> Callable[[Session], Awaitable[None]]:
    """The function that an `AgentClient` calls for each session: `AgentClient(…, serve_with(Mind)).run()`.

    Args:
        store: Loads the models that the server names for a session; without it the rules of the mind parse alone.
    """

    async def serve(session: Session) -> None:
        await Runner(session, make_mind, pace or Pace(), store).run()

    return serve
