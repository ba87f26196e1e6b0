"""The limits on what a socket sends, and on the number of sockets that one address opens without a credential."""

import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from lib.faults import TooManyRequests
from web.http.problems import problem_of

CHARACTERS_A_TOKEN = 16_000
"""A longer frame counts as several."""


class Bucket:
    """A token bucket: it refills by `rate` tokens a second, up to `most`."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._left, self._at = most, time.monotonic()

    def take(self, tokens: int = 1) -> bool:
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < tokens:
            return False
        self._left -= tokens
        return True


_anonymous: Counter[str] = Counter()
"""By address, in this process. A process that dies closes its sockets, so no count is left over."""


def enter_anonymous(address: str) -> TooManyRequests | None:
    """Count one more socket of the address that has shown no credential; the refusal if it has too many."""
    most = settings.ANONYMOUS_SOCKETS_MAX
    if _anonymous[address] >= most:
        return TooManyRequests(
            f"At most {most} sockets of one address may be open without a credential. Wait for {{wait}} second.",
            wait=1,
        )
    _anonymous[address] += 1
    return None


def leave_anonymous(address: str) -> None:
    """The socket has shown a credential, or is closed."""
    _anonymous[address] -= 1
    if not _anonymous[address]:
        del _anonymous[address]


async def refuse_handshake(refusal: TooManyRequests, send: Callable[[Any], Awaitable[None]]) -> None:
    """Answer the request for a socket with a problem instead of a socket."""
    headers = [(b"content-type", b"application/problem+json"), (b"retry-after", str(refusal.wait).encode())]
    content = json.dumps(problem_of(refusal)).encode()
    await send({"type": "websocket.http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": content})
