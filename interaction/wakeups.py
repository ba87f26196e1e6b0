"""Wake-ups: "session S has new events", sent to the sockets of every process that have subscribed to it.

The log is the only record, so a wake-up carries no event. A lost one costs a second, because each process also asks the
database every second which sessions have changed (`interaction.session.ticks`). Redis, where there is one, carries
wake-ups to the other processes.
"""

import asyncio
import contextlib
import logging
import secrets
import threading
from collections import defaultdict
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from django.conf import settings
from django.db import transaction

from interaction.db_threads import in_side_thread, of_running_loop
from interaction.models import Session

if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)
Key = tuple[str, int]
"""A session or a process of an agent, with its primary key."""
CHANNEL = "crosswalk.sessions"
RECONNECT_S = 1.0
_THIS_PROCESS: Final = secrets.token_hex(8)
"""Begins each message of this process on Redis, so that the process skips its own messages."""


def of_session(pk: int) -> Key:
    return ("session", pk)


def of_process(pk: int) -> Key:
    return ("process", pk)


class Subscriber(Protocol):
    """A socket, or the part of a socket that belongs to one session."""

    def on_wake(self) -> None:
        """There may be new events to send."""

    def is_behind(self, last_seq: int, worker_epoch: int) -> bool:
        """True if events up to `last_seq` are not sent yet, or a newer page of the worker has replaced this one."""


# In this process ---------------------------------------------------------------------------------------------------


class Subscriptions:
    """The subscribers of one event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._subscribers: dict[Key, set[Subscriber]] = defaultdict(set)
        self._listening = self._loop.create_task(self._listen()) if settings.REDIS_URL else None

    def subscribe(self, key: Key, subscriber: Subscriber) -> None:
        self._subscribers[key].add(subscriber)

    def unsubscribe(self, key: Key, subscriber: Subscriber) -> None:
        self._subscribers[key].discard(subscriber)
        if not self._subscribers[key]:
            del self._subscribers[key]

    def wake_from_any_thread(self, keys: Collection[Key]) -> None:
        self._loop.call_soon_threadsafe(self.wake, keys)

    async def wake_those_behind(self, *, since: datetime) -> None:
        """Wake the subscribers that have missed changes since that time. 1 query."""
        for key, last_seq, worker_epoch in await in_side_thread(_changed, since):
            for subscriber in list(self._subscribers.get(key, ())):
                if subscriber.is_behind(last_seq, worker_epoch):
                    subscriber.on_wake()

    def wake(self, keys: Collection[Key]) -> None:
        """Wake these subscribers; call it on their event loop."""
        for key in keys:
            for subscriber in list(self._subscribers.get(key, ())):
                subscriber.on_wake()

    async def _listen(self) -> None:
        """Wake the subscribers to what other processes publish; connect again whenever Redis is away."""
        # Only where Redis is used.
        import redis.asyncio

        while True:
            with contextlib.suppress(redis.exceptions.RedisError, OSError):
                async with redis.asyncio.from_url(settings.REDIS_URL).pubsub() as channel:
                    await channel.subscribe(CHANNEL)
                    async for message in channel.listen():
                        if message["type"] == "message":
                            publisher, *keys = message["data"].decode().split()
                            if publisher != _THIS_PROCESS:
                                self.wake([(kind, int(pk)) for kind, pk in (key.split(":") for key in keys)])
            await asyncio.sleep(RECONNECT_S)


def _changed(since: datetime) -> list[tuple[Key, int, int]]:
    """The sessions that have changed, and their processes, each with its last event and the epoch of its worker."""
    changed = Session.objects.filter(moved_at__gt=since)
    rows = list(changed.values_list("pk", "process_id", "last_seq", "worker_epoch"))
    processes = {process for _, process, _, _ in rows if process}
    sessions = [(of_session(pk), last, epoch) for pk, _, last, epoch in rows]
    return sessions + [(of_process(process), 0, 0) for process in processes]


_subscriptions: dict[asyncio.AbstractEventLoop, Subscriptions] = {}


def subscriptions() -> Subscriptions:
    """The subscriptions of the running event loop."""
    return of_running_loop(_subscriptions, Subscriptions)


# Publishing --------------------------------------------------------------------------------------------------------


class RedisPublisher:
    """Publishes queued wake-ups to Redis in a background thread.

    Wake-ups that arrive meanwhile go with the next message.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queued: set[Key] = set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sessions-publisher")
        self._redis: redis.Redis | None = None

    def publish(self, keys: Collection[Key]) -> None:
        with self._lock:
            is_scheduled = bool(self._queued)
            self._queued.update(keys)
        if keys and not is_scheduled:
            # A process that is ending publishes no more; the others ask the database every second.
            with contextlib.suppress(RuntimeError):
                self._thread.submit(self._send)

    def close(self) -> None:
        """Send what is queued, and end the thread."""
        self._thread.shutdown()

    def _send(self) -> None:
        import redis

        with self._lock:
            keys, self._queued = self._queued, set()
        self._redis = self._redis or redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1
        )
        try:
            self._redis.publish(CHANNEL, " ".join([_THIS_PROCESS, *(f"{kind}:{pk}" for kind, pk in keys)]))
        except redis.exceptions.RedisError as error:
            logger.warning("sessions.not_published", extra={"error": str(error)})


_publisher = RedisPublisher()


def publish(keys: Collection[Key]) -> None:
    """Wake the subscribers of these keys in every process; call it after the commit."""
    for one in list(_subscriptions.values()):
        # A loop that has just closed has no subscribers.
        with contextlib.suppress(RuntimeError):
            one.wake_from_any_thread(keys)
    if settings.REDIS_URL:
        _publisher.publish(keys)


def publish_here(keys: Collection[Key]) -> None:
    """As `publish`, on the event loop of this process's sockets: it need not be woken for it."""
    subscriptions().wake(keys)
    if settings.REDIS_URL:
        _publisher.publish(keys)


def publish_after_commit(*keys: Key) -> None:
    transaction.on_commit(lambda: publish(keys))
