"""One HTTP connection that stays open, and the time of each call on it."""

import http.client
import json
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urlsplit

TIMEOUT_S = 900.0


class Answer(NamedTuple):
    """The response to a call.

    Attributes:
        first_s, seconds: From the call to the headers of the answer, and to its last byte.
    """

    status: int
    content: bytes
    headers: dict[str, str]
    first_s: float
    seconds: float

    def json(self) -> Any:
        return json.loads(self.content) if self.content else None


class Refused(Exception):
    """A server answered with another status than the measurement needs."""


class Line:
    """A connection of one user. The standard library's client costs less than others, and shares the processor with
    the server that it measures."""

    def __init__(self, base: str, **headers: str) -> None:
        self._address = urlsplit(base)
        self._headers = headers
        self._connection: http.client.HTTPConnection | None = None
        self.cookies: dict[str, str] = {}

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send one request; a body that is no text is sent as JSON."""
        sent = {**self._headers, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is not None and not isinstance(body, str):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                self._address.hostname or "", self._address.port, timeout=TIMEOUT_S
            )
        began = perf_counter()
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
            first_s = perf_counter() - began
            content = response.read()
        except (http.client.HTTPException, OSError):
            self._connection.close()
            self._connection = None
            raise
        seconds = perf_counter() - began
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return Answer(response.status, content, dict(response.getheaders()), first_s, seconds)

    def must(self, method: str, path: str, body: object = None, *, status: int | None = None, **headers: str) -> Answer:
        """The same.

        Raises:
            Refused: the status is not the one named, or not one of success where none is named.
        """
        answer = self.call(method, path, body, **headers)
        is_right = answer.status == status if status is not None else 200 <= answer.status < 300
        if not is_right:
            raise Refused(f"{method} {path} answered {answer.status}: {answer.content[:300]!r}")
        return answer
