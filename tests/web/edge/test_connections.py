"""Clients that take an answer too slowly, over real connections to a server in this process."""

import socket
import threading
import time
from collections.abc import Iterator
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


def _take_all(line: socket.socket) -> int:
    """The number of bytes until the server closes the connection, as it was asked to."""
    received = 0
    while part := line.recv(262_144):
        received += len(part)
    return received


@pytest.mark.parametrize("path", ANSWERS)
def test_a_client_that_takes_a_few_bytes_a_second_is_cut_off(port: int, path: str) -> None:
    with _ask(port, path) as line:
        for _ in range(60):
            line.recv(1)
            time.sleep(0.05)
        with pytest.raises(ConnectionResetError):
            _take_all(line)


@pytest.mark.parametrize("path", ["/pieces", "/whole"])
def test_a_client_that_takes_enough_gets_all_of_a_long_answer(port: int, path: str) -> None:
    """For three times the bound it takes so little that the kernel asks the server for nothing more."""
    received = 0
    with _ask(port, path) as line:
        for _ in range(60):
            received += len(line.recv(2000))
            time.sleep(0.05)
        received += _take_all(line)
    assert received > len(PIECE) * 16
