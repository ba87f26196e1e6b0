"""A web process that answers its first calls; prints the names of the modules that these load, as JSON.

Its argument is JSON: a worker's token by the slug of the project, of which each holds one task (`ANSWERS`).
"""

import asyncio
import json
import os
import sys
import threading
from typing import Any, Final
from urllib.parse import urlsplit

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "marker": {"outcome": "success", "frame": 20},
    "parse": {"answers": {}, "unknown": True},
    "voxels": {"voxels": [[1, 1, 1]]},
}
"""An answer by the slug of its project, which is the name of its tool."""


class Caller:
    """A browser without a network, which keeps its cookies."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._cookies: dict[str, str] = {}

    async def call(self, method: str, path: str, *, token: str = "", **body: Any) -> Any:
        """The answer, where it is JSON.

        Raises:
            AssertionError: it is a refusal.
        """
        sent: list[dict[str, Any]] = []
        content = json.dumps(body).encode() if body else b""
        asked = [{"type": "http.request", "body": content, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return asked.pop() if asked else await asyncio.Future()

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._application(self._scope(method, path, token, len(content)), receive, send)
        answer = b"".join(message.get("body", b"") for message in sent)
        assert sent[0]["status"] < 400, (path, sent[0], answer)
        for name, value in sent[0]["headers"]:
            if name.lower() == b"set-cookie":
                cookie, _, text = value.decode().partition(";")[0].partition("=")
                self._cookies[cookie] = text
        return json.loads(answer) if answer[:1] == b"{" else None

    def _scope(self, method: str, path: str, token: str, length: int) -> dict[str, Any]:
        address = urlsplit(path)
        headers = {"host": "127.0.0.1", "content-type": "application/json", "content-length": str(length)}
        if token:
            headers["authorization"] = f"Bearer {token}"
        else:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": address.path,
            "raw_path": address.path.encode(),
            "root_path": "",
            "query_string": address.query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 80),
        }


async def _begin(application: Any) -> None:
    """Start the process; returns when it may answer."""
    asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    await asked.put({"type": "lifespan.startup"})

    async def send(message: dict[str, Any]) -> None:
        begun.set_result(message["type"])

    lasting.append(asyncio.create_task(application({"type": "lifespan"}, asked.get, send)))
    assert await begun == "lifespan.startup.complete"


async def _work(caller: Caller, tool: str, token: str) -> None:
    """The calls of a worker from the link to the first answer."""
    await caller.call("GET", f"/enter/{tool}?token={token}")
    await caller.call("GET", f"/work/{tool}/")
    await caller.call("GET", "/api/v1/work/", token=token)
    held = (await caller.call("POST", "/api/v1/work/claim/", token=token))["assignment"]
    own = f"/api/v1/work/assignments/{held}/"
    await caller.call("POST", f"{own}heartbeat/", token=token)
    await caller.call("PATCH", own, token=token, draft=ANSWERS[tool])
    await caller.call("POST", f"{own}submit/", token=token, answer=ANSWERS[tool], active_s=3.0)


async def _main(tokens: dict[str, str]) -> None:
    from config.asgi import application
    from config.lifespan import LOADER

    await _begin(application)
    caller = Caller(application)
    await caller.call("GET", "/healthz")
    for thread in threading.enumerate():
        if thread.name == LOADER:
            await asyncio.to_thread(thread.join)
    known = set(sys.modules)
    for tool, token in tokens.items():
        await _work(caller, tool, token)
    from jobs import outbox

    await asyncio.to_thread(outbox._send, 1)
    print(json.dumps(sorted(set(sys.modules) - known)), flush=True)  # noqa: T201 - what the test reads
    # Without the end of the lifespan, for which nobody asks.
    os._exit(0)


lasting: list[asyncio.Task[None]] = []
"""Kept, since the event loop holds tasks weakly."""

if __name__ == "__main__":
    asyncio.run(_main(json.loads(sys.argv[1])))
