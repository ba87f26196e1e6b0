"""A local receiver of webhooks, which answers as a test wants."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Received(NamedTuple):
    path: str
    headers: Mapping[str, str]
    body: bytes
    status: int

    @property
    def event(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass
class Receiver:
    """The requests, in the order of arrival; `answer` makes the status of each request and may set headers."""

    url: str
    answer: Callable[[int], int] = lambda number: 204
    location: str = ""
    received: list[Received] = field(default_factory=list)

    @property
    def accepted(self) -> list[Received]:
        return [one for one in self.received if one.status < 300]


@contextmanager
def receiver(answer: Callable[[int], int] = lambda number: 204) -> Iterator[Receiver]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                number = len(known.received)
                known.received.append(Received(self.path, dict(self.headers), body, 0))
            status = known.answer(number)
            known.received[number] = known.received[number]._replace(status=status)
            self.send_response(status)
            if known.location:
                self.send_header("Location", known.location)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *given: object) -> None:
            """Nothing: tests read `received`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    known = Receiver(f"http://127.0.0.1:{server.server_address[1]}/hook", answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
