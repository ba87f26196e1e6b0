"""Appends plain messages of all sockets of a process in batches, since a commit costs more than a row.

While one batch is written, the next one gathers. No message waits for a batch to fill, and the busier the server is,
the less each message costs.
"""

import asyncio
import logging

from django.utils import timezone

from interaction.db_threads import in_pool, of_running_loop
from interaction.session import event_log
from interaction.session.event_log import Message
from interaction.wakeups import of_session, publish_here

logger = logging.getLogger(__name__)
MOST_AT_ONCE = 100


class BatchWriter:
    """The batch writer of one event loop."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Message, asyncio.Future[int | None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def append(self, message: Message) -> int | None:
        """Append the message with the next batch; returns its number in the log after the commit.

        None: the message must be appended by itself.
        """
        number: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((message, number))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return await number

    async def _write(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            try:
                seqs = await in_pool(_append, [message for message, _ in some])
            except Exception:
                # One bad message must not fail the others, so each is then appended by itself.
                logger.exception("sessions.not_written_together")
                seqs = [None] * len(some)
            for (_, number), seq in zip(some, seqs, strict=True):
                if not number.done():
                    number.set_result(seq)
            # After the acknowledgements, so that either leaves in one write with the event to the same socket.
            publish_here({of_session(message.session) for (message, _), seq in zip(some, seqs, strict=True) if seq})
        self._writing = None


def _append(messages: list[Message]) -> list[int | None]:
    """The time of an event is the time of its writing, not the time at which it began to wait for a thread."""
    return event_log.append_plain(messages, at=timezone.now())


_writers: dict[asyncio.AbstractEventLoop, BatchWriter] = {}


def batch_writer() -> BatchWriter:
    """The batch writer of the running event loop."""
    return of_running_loop(_writers, BatchWriter)
