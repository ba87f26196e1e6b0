"""Clients that take an answer too slowly, over real connections to a server in this process."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import uvicorn

from web.edge.connections import BoundedHttp

PIECE = b"x" * 262_144
ANSWERS = {"/pieces": [PIECE] * 16, "/whole": [PIECE * 16], "/short": [b"x" * 294_912]}
"""The kernel holds 256 KiB of each. The rest of the last two is in the server's buffer when its application is done."""


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    pieces = ANSWERS[scope["path"]]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for number, piece in enumerate(pieces, start=1):
        await send({"type": "http.response.body", "body": piece, "more_body": number < len(pieces)})


@pytest.fixture(params=["asyncio", "uvloop"])
def port(request: pytest.FixtureRequest, settings: Any) -> Iterator[int]:
    settings.ANSWER_SILENCE_S = 1
    config = uvicorn.Config(_answer, http=BoundedHttp, loop=request.param, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 131_072)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(timeout=20)
    assert not thread.is_alive()


def _ask(port: int, path: str) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    line.connect(("127.0.0.1", port))
    line.settimeout(20)
    line.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    return line


def _take_slowly(port: int, path: str, *, at_once: int) -> int | type[Exception]:
    """Take `at_once` bytes every 50 ms for three times the bound, then the rest.

    The number of bytes, or the class of the error if the server closed the connection before its answer was taken.
    """
    received = 0
    with _ask(port, path) as line:
        try:
            for _ in range(60):
                received += len(line.recv(at_once))
                time.sleep(0.05)
            while part := line.recv(262_144):
                received += len(part)
        except ConnectionResetError as reset:
            return type(reset)
    return received


def test_clients_that_take_a_few_bytes_a_second_are_cut_off_and_others_get_all(port: int) -> None:
    """A client that takes enough still takes so little that the kernel asks the server for nothing more."""
    asked = [*((path, 1) for path in ANSWERS), ("/pieces", 2000), ("/whole", 2000)]
    with ThreadPoolExecutor(len(asked)) as clients:
        taken = list(clients.map(lambda one: _take_slowly(port, one[0], at_once=one[1]), asked))
    assert taken[: len(ANSWERS)] == [ConnectionResetError] * len(ANSWERS)
    assert all(isinstance(received, int) and received > len(PIECE) * 16 for received in taken[len(ANSWERS) :]), taken
