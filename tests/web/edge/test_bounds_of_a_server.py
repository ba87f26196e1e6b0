"""Refusals of a running server before it knows a credential, tried over plain sockets."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers import Site, own_site

KEY = "cw_the-key-of-a-pipeline-0123456789"
SENT_BYTES = 64 * 1024 * 1024


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    short = {"CROSSWALK_BODY_SILENCE_S": "1", "CROSSWALK_HEAD_S": "1", "CROSSWALK_ANONYMOUS_SOCKETS": "5"}
    folder: Path = tmp_path_factory.mktemp("bounds")
    with own_site(folder, CROSSWALK_API_KEY=KEY, CROSSWALK_FAILED_CREDENTIALS_A_MINUTE="20", **short) as found:
        found.start()
        yield found


def _request(path: str, *headers: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def _answer(line: socket.socket) -> tuple[int, dict[str, Any]]:
    """The status and the problem that the server answers; status 0 if it only closes the connection."""
    line.settimeout(20)
    said = b""
    with suppress(ConnectionResetError):
        while part := line.recv(65536):
            said += part
    if not said:
        return 0, {}
    head, _, body = said.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body) if body.startswith(b"{") else {}


def _flood(site: Site, path: str, *headers: str) -> tuple[int, int, dict[str, Any]]:
    """Send a large body in chunks; how many bytes of it the server took, its status and its problem."""
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(_request(path, "Transfer-Encoding: chunked", *headers))
        sent, chunk = 0, b"x" * 65536
        line.settimeout(20)
        with suppress(ConnectionError):
            while sent < SENT_BYTES:
                line.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                sent += len(chunk)
        return sent, *_answer(line)


@pytest.mark.long
@pytest.mark.parametrize("path", ["/healthz", "/api/v1/episodes/", "/api/v1/schema/", "/staff/", "/api/v1/nothing"])
def test_a_large_body_without_a_credential_is_refused_while_it_arrives(site: Site, path: str) -> None:
    sent, status, problem = _flood(site, path)
    assert sent < SENT_BYTES / 4
    # A client that goes on writing may lose the answer with the connection.
    assert status in {0, 413}
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(_request(path, f"Content-Length: {SENT_BYTES}"))
        status, problem = _answer(line)
    assert (status, problem["code"]) == (413, "too_large")
    assert "131072 bytes" in problem["detail"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("credential", "path", "length", "status"),
    [
        ("Api-Key wrong", "/api/v1/episodes/", 10_000_000, 401),
        ("Bearer wrong", "/api/v1/work/claim/", 1_000_000, 401),
        (f"Api-Key {KEY}", "/api/v1/suites/", 11_000_000, 413),
        (f"Api-Key {KEY}", "/api/v1/episodes/", 10**10, 413),
        (f"Api-Key {KEY}", "/healthz", 1_000_000, 413),
        ("", "/api/v1/uploads/abcdefghijklmnopqrst/parts/1/?at=1&signature=x", 1_000_000, 404),
    ],
)
def test_a_large_body_is_refused_by_its_credential_and_its_address(
    site: Site, credential: str, path: str, length: int, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(
            _request(path, f"Authorization: {credential}", f"Content-Length: {length}", "Expect: 100-continue")
        )
        assert _answer(line)[0] == status


@pytest.mark.long
def test_a_large_body_with_a_credential_arrives(site: Site) -> None:
    body = json.dumps({"a": "x" * 5_000_000}).encode()
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        length = f"Content-Length: {len(body)}"
        headers = (f"Authorization: Api-Key {KEY}", length, "Content-Type: application/json", "Connection: close")
        line.sendall(_request("/api/v1/commands/", *headers))
        line.sendall(body)
        assert _answer(line)[1]["code"] == "unknown_field"


@pytest.mark.long
def test_a_body_that_pauses_or_trickles_is_refused(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(_request("/api/v1/commands/", "Content-Length: 1000") + b"{")
        status, problem = _answer(line)
        assert (status, problem["code"]) == (408, "timeout")
    with socket.create_connection(("127.0.0.1", site.port)) as line, suppress(ConnectionError):
        line.sendall(_request("/api/v1/commands/", "Content-Length: 1000"))
        for _ in range(100):
            line.sendall(b" ")
            time.sleep(0.05)
        pytest.fail("the server went on to wait for a body that comes one byte at a time")


@pytest.mark.long
def test_the_handshake_of_one_more_anonymous_socket_is_refused(site: Site) -> None:
    handshake = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
    key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
    asked = _request("/ws/work/abcdefghijklmnopqrst/", *handshake, key, method="GET")
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", site.port))) for _ in range(6)]
        for line in lines[:5]:
            line.sendall(asked)
            assert b" 101 " in line.recv(1000)
        lines[5].sendall(asked)
        status, problem = _answer(lines[5])
        assert (status, problem["code"]) == (429, "too_many_requests")


@pytest.mark.long
@pytest.mark.parametrize("begin", [b"", b"GET /healthz HTTP/1.1\r\nHost: a\r\n"])
def test_a_connection_that_brings_no_request_is_closed(site: Site, begin: bytes) -> None:
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(begin)
        assert _answer(line) == (0, {})


@pytest.mark.long
def test_headers_without_an_end_are_refused(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        with suppress(ConnectionError):
            for _ in range(100):
                line.sendall(b"x" * 65536)
            pytest.fail("the server went on to read a header")
