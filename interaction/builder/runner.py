"""Joins the built-in agent's mind to the gateway: a mind for each session, its acts as frames, at a pace to watch."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from annotation.logical_form import Form
from annotation.logical_form.spans import tokenise
from annotation.voxels.scene import Pose
from annotation.voxels.table import AIR
from client import Event, Session, SessionEnded
from client.session import Command
from interaction.builder.acts import Act, Acting, Ask, CannotDo, Change, Edit, Found, Go, Say, Show
from interaction.builder.world import World

logger = logging.getLogger(__name__)
VERSION = "builder-1"
STUCK = "I got stuck on that, sorry."
Answer = TypeVar("Answer")


class Mind(Protocol):
    """What the runner needs of `interaction.builder.mind.Mind`."""

    world: World

    def hear(self, text: str) -> Form:
        """The form of a command, remembered."""

    def obey(self, form: Form, tokens: Sequence[str]) -> Acting:
        """The acts; each is done in the mind's own world when it is given out."""

    def in_words(self, form: Form, tokens: Sequence[str]) -> str:
        """A sentence with what was understood."""

    def saw_blocks(self, changes: Sequence[Change]) -> None:
        """The worker changed blocks."""

    def saw_player(self, pose: Pose) -> None:
        """The worker stands and looks so."""

    def stop(self) -> None:
        """What runs is not to be gone on with."""


@dataclass(frozen=True)
class Pace:
    """Seconds after each act, so that a person can watch it being done."""

    step: float = 1 / 8
    edit: float = 1 / 10


class Stopped(Exception):
    """The worker asked to stop, or the server gave up waiting."""


class Runner:
    """One session with one mind.

    The mind thinks in a thread, so that other sessions go on meanwhile; a lock sees to it that it is never asked two
    things at once. Between two acts it learns what the worker has done in the meantime.
    """

    def __init__(self, session: Session, make_mind: Callable[[dict[str, Any]], Mind], pace: Pace) -> None:
        self._session = session
        self._make_mind = make_mind
        self._pace = pace
        self._mind: Mind | None = None
        self._busy = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve the session to its end."""
        async with self._busy:
            self._mind = await asyncio.to_thread(self._make_mind, self._session.world)
        try:
            async for event in self._session.events():
                await self._take(event)
        finally:
            await self._finish_running()

    async def _finish_running(self) -> None:
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)

    async def _take(self, event: Event) -> None:
        try:
            await self._do_as_told(event)
        except Exception:
            logger.exception("builder.event_not_taken_in", extra={"session": self._session.id, "seq": event.seq})

    async def _do_as_told(self, event: Event) -> None:
        match event.sender, event.type:
            case "worker", "command":
                # The gateway gives one command at a time; the one before has ended, but may still be tidying up.
                await self._finish_running()
                self._running = asyncio.create_task(self._obey_event(event))
            case "worker", "pose":
                pose = Pose(*(event.body[name] for name in Pose._fields))
                await self._think(lambda mind: mind.saw_player(pose))
            case "worker", "place":
                await self._see([(*event.body["at"], event.body["block"])])
            case "worker", "destroy":
                await self._see([(*event.body["at"], AIR)])
            case "agent", "blocks" if not event.ours:  # by a process that had the session before
                await self._see([(x, y, z, block) for x, y, z, block in event.body["changes"]])
            case "server", "world":
                await self._think(lambda mind: _look_again(mind, World.of(event.body)))

    async def _see(self, changes: Sequence[Change]) -> None:
        await self._think(lambda mind: mind.saw_blocks(changes))

    async def _think(self, ask: Callable[[Mind], Answer]) -> Answer:
        """Ask the mind something, in a thread, when it is free."""
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
        """Obey, and say what came of it."""
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
            await self._session.status(command.id, "failed", error.why)
        except SessionEnded:
            raise
        except Exception:
            logger.exception("builder.mind_broke", extra={"session": self._session.id, "command": command.id})
            await self._session.say(STUCK)
            await self._session.status(command.id, "failed", "crashed")

    async def _obey(self, command: Command) -> None:
        """From the words to the last act.

        Raises:
            Stopped: a stop came.
            CannotDo: the mind cannot do it.
        """
        await self._session.status(command.id, "thinking")
        tokens = tokenise(command.text)
        form = await self._think(lambda mind: mind.hear(command.text))
        await self._session.parse(command.id, form, VERSION)
        await self._session.say(await self._think(lambda mind: mind.in_words(form, tokens)))
        self._check_stop(command)
        await self._session.status(command.id, "acting")
        acting = await self._think(lambda mind: mind.obey(form, tokens))
        async with self._closing(acting):
            answer: int | None = None
            while (act := await self._next_act(acting, answer)) is not None:
                # Shown even after a stop: the mind has done it in its own world already.
                answer = await self._show(command, act)
                self._check_stop(command)

    async def _next_act(self, acting: Acting, answer: int | None) -> Act | None:
        def step(_: Mind) -> Act | None:
            # A StopIteration cannot travel through a future.
            try:
                return acting.send(answer)
            except StopIteration:
                return None

        return await self._think(step)

    @asynccontextmanager
    async def _closing(self, acting: Acting) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self._think(lambda _: acting.close())

    async def _show(self, command: Command, act: Act) -> int | None:
        """Send an act, and wait as long as one should watch it; the answer to a question.

        Raises:
            Stopped: a stop came in place of the answer.
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
        """Sleep, but no longer than to a stop."""
        try:
            async with asyncio.timeout(seconds):
                await self._session.until_stopped(command.id)
        except TimeoutError:
            return

    def _check_stop(self, command: Command) -> None:
        if self._session.is_stopped(command.id):
            raise Stopped


def _look_again(mind: Mind, world: World) -> None:
    """Let a mind see how its world is now, after it was away; it keeps its memory."""
    places = np.argwhere(mind.world.grid != world.grid).tolist()
    changes = [(x, y, z, int(world.grid[x, y, z])) for x, y, z in places]
    if changes:
        mind.saw_blocks(changes)
    mind.saw_player(world.player)


def serve_with(
    make_mind: Callable[[dict[str, Any]], Mind], pace: Pace | None = None
) -> Callable[[Session], Awaitable[None]]:
    """What an `AgentClient` runs for each session: `AgentClient(url, key, agent, 8, serve_with(Mind)).run()`."""

    async def serve(session: Session) -> None:
        await Runner(session, make_mind, pace or Pace()).run()

    return serve
