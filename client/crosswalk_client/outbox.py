"""Messages that the server has not acknowledged yet; they are sent again until it does."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass


class OutboxFull(Exception):
    """The outbox has reached its limit of messages that wait for the server."""


@dataclass(frozen=True)
class Held:
    """One message that waits for its acknowledgement."""

    cseq: int
    type: str
    body: Mapping[str, object]


class Outbox:
    """The messages of one session, numbered 1, 2, 3…, oldest first.

    >>> outbox = Outbox(limit=2)
    >>> [outbox.put("say", {"text": text}).cseq for text in ("one", "two")]
    [1, 2]
    >>> outbox.is_full
    True
    >>> outbox.settle(1)
    >>> [held.body["text"] for held in outbox.after(1)]
    ['two']
    """

    def __init__(self, *, last_cseq: int = 0, limit: int = 64) -> None:
        """Args: last_cseq: The last number of this session that the server has. limit: How many messages may wait."""
        self._limit = limit
        self._held: deque[Held] = deque()
        self._last = last_cseq

    @property
    def is_full(self) -> bool:
        return len(self._held) >= self._limit

    def __len__(self) -> int:
        return len(self._held)

    def put(self, kind: str, body: Mapping[str, object]) -> Held:
        """Number a message and keep it.

        Raises:
            OutboxFull: `limit` messages wait already.
        """
        if self.is_full:
            raise OutboxFull(f"{self._limit} messages wait for the server")
        self._last += 1
        held = Held(self._last, kind, body)
        self._held.append(held)
        return held

    def settle(self, last_cseq: int) -> None:
        """Drop the messages that the server has: those up to `last_cseq`."""
        while self._held and self._held[0].cseq <= last_cseq:
            self._held.popleft()
        self._last = max(self._last, last_cseq)

    def after(self, cseq: int) -> list[Held]:
        """The waiting messages with a number above `cseq`, in order."""
        return [held for held in self._held if held.cseq > cseq]

    def find(self, cseq: int) -> Held | None:
        """The waiting message with this number."""
        return next((held for held in self._held if held.cseq == cseq), None)

    def can_go_on_from(self, last_cseq: int) -> bool:
        """True if the next number that the server expects still waits here, or has not been used yet."""
        oldest = self._held[0].cseq if self._held else self._last + 1
        return last_cseq >= oldest - 1
