"""Plain messages of all sockets of a process, appended some at a time: a commit costs more than a row.

While some are written the next ones gather, so nobody waits for company, and the busier it is the less each costs.
"""

import asyncio
import logging

from django.utils import timezone

from interaction import log
from interaction.log import Message
from interaction.loops import of_running_loop
from interaction.pool import in_pool

logger = logging.getLogger(__name__)
MOST_AT_ONCE = 100


class Writer:
    """What one event loop has to append."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Message, asyncio.Future[int | None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def append(self, message: Message) -> int | None:
        """The number of the message in its log, once it is committed; None where it must be appended by itself."""
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
                # What is wrong with one must not befall the others.
                logger.exception("sessions.not_written_together")
                seqs = [None] * len(some)
            for (_, number), seq in zip(some, seqs, strict=True):
                if not number.done():
                    number.set_result(seq)
        self._writing = None


def _append(messages: list[Message]) -> list[int | None]:
    """The time of an event is when it is written, not when it began to wait for a thread."""
    return log.append_plain(messages, at=timezone.now())


_writers: dict[asyncio.AbstractEventLoop, Writer] = {}


def writer() -> Writer:
    """The writer of the running loop."""
    return of_running_loop(_writers, Writer)
