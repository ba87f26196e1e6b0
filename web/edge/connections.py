"""The HTTP protocol that uvicorn runs (`--http`): it closes connections that do not bring a request in time, and those
that do not take an answer.

uvicorn itself waits for the first request of a connection forever, reads headers of any length, and waits forever for a
client that stops reading.
"""

import fcntl
import socket
import struct
import termios
from asyncio import TimerHandle
from typing import Any

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD_BYTES = 65_536
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)


class BoundedHttp(HttpToolsProtocol):
    """Bounds the seconds and the bytes of a request's head: its first line and its headers. Bounds how slowly a client
    may take an answer.
    """

    _head_timer: TimerHandle | None = None
    _head_bytes = 0
    _answer_timer: TimerHandle | None = None
    _untaken_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # Every byte that the network does not take at once pauses the writing, so the last bytes of an answer are
        # watched too.
        transport.set_write_buffer_limits(high=0)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_watching()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self.transport.set_write_buffer_limits()
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_timer is None:
            return
        self._head_bytes += len(data)
        if self._head_bytes > MOST_HEAD_BYTES:
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        self._stop_timer()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(settings.HEAD_MAX_S, self._head_is_late)

    def _head_is_late(self) -> None:
        # uvicorn declares no None here, but has it before the first request.
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            # An earlier request on this connection is still being answered.
            self._await_head()
        else:
            self.transport.close()

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    # A client that takes an answer -----------------------------------------------------------------------------------

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching()

    def _watch(self) -> None:
        self._untaken_bytes = _untaken_bytes(self.transport)
        self._answer_timer = self.loop.call_later(settings.ANSWER_SILENCE_S, self._judge_reader)

    def _judge_reader(self) -> None:
        """Cut the connection if the client took less of the answer since `_watch` than it has to."""
        taken = self._untaken_bytes - _untaken_bytes(self.transport)
        if taken < settings.ANSWER_SILENCE_S * settings.ANSWER_LEAST_BYTES_A_SECOND:
            _forget_what_is_sent(self.transport)
            self.transport.abort()
        else:
            self._watch()

    def _stop_watching(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None


def _untaken_bytes(transport: Any) -> int:
    """The bytes that wait in this process, and those in the kernel that the client has not acknowledged.

    The kernel holds megabytes and asks for more only when a third of them is gone, so a slow client would seem to take
    nothing for long. Where the kernel does not tell, only those in this process are counted.
    """
    try:
        told = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
    except OSError:
        told = bytes(4)
    return int(transport.get_write_buffer_size()) + int(struct.unpack("i", told)[0])


def _forget_what_is_sent(transport: Any) -> None:
    """Let the kernel drop what it holds when the connection is aborted, instead of sending it to the end."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
