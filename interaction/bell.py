"""Wake-ups: "there is more in session S", to whichever consumers of any process listen for it.

The log is the truth, so a ring says no more than that, and a lost one costs a second: each process also asks the
database once a second which sessions have moved. Other processes are told through Redis where it is there.
"""

import asyncio
import contextlib
import logging
import secrets
import threading
from collections import defaultdict
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final, Protocol

import redis
import redis.asyncio
from django.conf import settings
from django.utils import timezone

from common import databases
from interaction import timekeeping
from interaction.loops import of_running_loop
from interaction.models import Session
from interaction.pool import beside_pool
from interaction.wakeups import Key, of_process, of_session

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """A socket, or its part that has one session."""

    def hear(self) -> None:
        """There may be more."""

    def is_behind(self, last_seq: int, worker_epoch: int) -> bool:
        """Whether it has not been told of the log up to there, or that the worker's newest page is that one."""


CHANNEL = "crosswalk.sessions"
_ME: Final = secrets.token_hex(8)
"""What this process says through Redis it has heard itself already, sooner."""
LOOK_S = 1.0
_LATE: Final = timedelta(seconds=5)
"""How long after its own time a transaction may still commit: so far back each look goes."""


class Bell:
    """What one event loop listens for."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._listeners: dict[Key, set[Listener]] = defaultdict(set)
        self._tasks = [self._loop.create_task(self._look())]
        if settings.REDIS_URL:
            self._tasks.append(self._loop.create_task(self._hear()))

    def listen(self, key: Key, listener: Listener) -> None:
        self._listeners[key].add(listener)

    def leave(self, key: Key, listener: Listener) -> None:
        self._listeners[key].discard(listener)
        if not self._listeners[key]:
            del self._listeners[key]

    def ring(self, keys: Collection[Key]) -> None:
        """Wake who listens in this process; from any thread."""
        self._loop.call_soon_threadsafe(self._wake, keys)

    def _wake(self, keys: Collection[Key]) -> None:
        for key in keys:
            for listener in list(self._listeners.get(key, ())):
                listener.hear()

    async def _look(self) -> None:
        """Once a second: what time has brought about, and what other processes did to sessions."""
        since = timezone.now()
        while True:
            await asyncio.sleep(LOOK_S)
            now = timezone.now()
            try:
                await beside_pool(timekeeping.tick, at=now)
                for key, last_seq, worker_epoch in await beside_pool(_moved, since - _LATE):
                    for listener in list(self._listeners.get(key, ())):
                        if listener.is_behind(last_seq, worker_epoch):
                            listener.hear()
                since = now
                await beside_pool(databases.checkpoint)
            except Exception:
                # The database may be away for a while: sessions go on when it is back.
                logger.exception("sessions.look_failed")

    async def _hear(self) -> None:
        while True:
            with contextlib.suppress(redis.exceptions.RedisError, OSError):
                async with redis.asyncio.from_url(settings.REDIS_URL).pubsub() as ears:
                    await ears.subscribe(CHANNEL)
                    async for heard in ears.listen():
                        if heard["type"] == "message":
                            ringer, *keys = heard["data"].decode().split()
                            if ringer != _ME:
                                self._wake([(kind, int(pk)) for kind, pk in (key.split(":") for key in keys)])
            await asyncio.sleep(LOOK_S)


def _moved(since: datetime) -> list[tuple[Key, int, int]]:
    """Sessions that have moved, and their processes, with how far each log goes and the worker's newest page."""
    moved = Session.objects.filter(moved_at__gt=since)
    rows = list(moved.values_list("pk", "process_id", "last_seq", "worker_epoch"))
    processes = {process for _, process, _, _ in rows if process}
    sessions = [(of_session(pk), last, epoch) for pk, _, last, epoch in rows]
    return sessions + [(of_process(process), 0, 0) for process in processes]


_bells: dict[asyncio.AbstractEventLoop, Bell] = {}


def bell() -> Bell:
    """The bell of the running loop."""
    return of_running_loop(_bells, Bell)


class Crier:
    """Says through Redis what was rung, beside whoever rings: while it speaks, what else is rung gathers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unsaid: set[Key] = set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sessions-crier")
        self._redis: redis.Redis | None = None

    def say(self, keys: Collection[Key]) -> None:
        with self._lock:
            is_about_to_speak = bool(self._unsaid)
            self._unsaid.update(keys)
        if keys and not is_about_to_speak:
            # A process that is ending says no more; the others look once a second.
            with contextlib.suppress(RuntimeError):
                self._thread.submit(self._speak)

    def close(self) -> None:
        """Say what is still to be said, and no more."""
        self._thread.shutdown()

    def _speak(self) -> None:
        with self._lock:
            keys, self._unsaid = self._unsaid, set()
        self._redis = self._redis or redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1
        )
        try:
            self._redis.publish(CHANNEL, " ".join([_ME, *(f"{kind}:{pk}" for kind, pk in keys)]))
        except redis.exceptions.RedisError as error:
            logger.warning("sessions.not_rung", extra={"error": str(error)})


_crier = Crier()


def ring(keys: Collection[Key]) -> None:
    """Say everywhere that there is more; call after the commit."""
    for one in list(_bells.values()):
        with contextlib.suppress(RuntimeError):
            # A loop that has just closed hears nothing.
            one.ring(keys)
    if settings.REDIS_URL:
        _crier.say(keys)
