"""The interface between simulated workers and a server, real or simulated."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

Json = dict[str, Any]


class Reply(NamedTuple):
    """One response as a client sees it; `seconds` is the time that it took."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    @property
    def content(self) -> Json:
        """The JSON of the body; empty if there is none."""
        found: Json = json.loads(self.body) if self.body else {}
        return found


class Server(Protocol):
    """A server with a clock that the workers move."""

    def now(self) -> float:
        """The server's time in seconds."""
        ...

    def pass_time(self, seconds: float) -> None:
        """Move the server's clock on."""
        ...

    def enter(self, project: str, worker: str) -> str:
        """The token of a worker in a project."""
        ...

    def request(self, token: str, method: str, path: str, body: Json) -> Reply:
        """The response to a worker's call of a path below `/api/v1/work/`."""
        ...
