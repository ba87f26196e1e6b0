"""The WebSocket protocol that uvicorn runs (`--ws`): frames that one turn of the event loop sends leave together.

uvicorn itself asks the system to send each frame by itself. A message of a session makes three: its acknowledgement,
and the event for either side; and an agent's process receives the events of many sessions at a time.
"""

from asyncio import AbstractEventLoop, Transport
from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import OPEN

_TEXT = 0x81
"""The first byte of a frame that is a whole text (RFC 6455, section 5.2)."""


MOST_JOINED_BYTES = 65_536


class JoinedWrites:
    """A transport that writes after a turn of the event loop what was written during it, in its order."""

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting: list[bytes] = []
        self._bytes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)
        self._bytes += len(data)
        if self._bytes > MOST_JOINED_BYTES:
            # A client that takes nothing pauses the writing only by what the transport has.
            self._flush()

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))


class SessionSockets(WebSocketsSansIOProtocol):
    """Sends texts with less work for each, and those of a turn together."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.transport: Any = JoinedWrites(transport, self.loop)

    async def send(self, message: Any) -> None:
        text = message.get("text")
        # Everything else than a text on an open socket is uvicorn's own.
        if text is None or self.conn.state is not OPEN or self.conn.extensions or self.close_sent:
            await super().send(message)
            return
        if not self.writable.is_set():
            await self.writable.wait()
        if self.disconnected or self.conn.state is not OPEN:
            raise ClientDisconnected
        self.transport.write(frame_of(text.encode()))


def frame_of(content: bytes) -> bytes:
    """One frame with a whole text, as a server sends it: without a mask.

    >>> frame_of(b"hi")
    b'\\x81\\x02hi'
    """
    length = len(content)
    if length < 126:
        return bytes((_TEXT, length)) + content
    if length < 65_536:
        return bytes((_TEXT, 126)) + length.to_bytes(2, "big") + content
    return bytes((_TEXT, 127)) + length.to_bytes(8, "big") + content
