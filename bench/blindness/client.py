"""One worker's client: it claims, ends holds, and notes everything that a response shows."""

import json
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import Any

from bench.blindness.contents import answers_to, content_in
from bench.blindness.server import Json, Reply, Server
from bench.blindness.trial import Look, Serving

VOLATILE = frozenset({"x-request-id", "content-length", "content-security-policy", "date", "retry-after"})
"""Headers whose values change by themselves; only their names are noted."""
PATIENCE = 12
"""The number of times that a worker waits as a refusal asks for."""
ACT_S = 40.0
"""The seconds between two acts of a worker, about."""


class Client:
    """A worker in a project.

    `refusal` is the code of the last refused claim, empty after a claim that was not refused.
    """

    def __init__(self, server: Server, *, project: str, name: str, who: int, where: int = 0) -> None:
        self.server, self.who, self.where = server, who, where
        self.token = server.enter(project, name)
        self.servings: list[Serving] = []
        self.payloads: dict[str, Json] = {}
        self.refusal = ""
        self.waits = 0

    # Calls -------------------------------------------------------------------------------------------------------

    def call(self, method: str, path: str, body: Json | None = None) -> Reply:
        """One call, a little later than the one before; a client that is told to slow down waits."""
        self.server.pass_time(1.0)
        reply = self.server.request(self.token, method, path, body or {})
        while reply.status == 429 and self.waits < PATIENCE:
            self._wait(reply)
            reply = self.server.request(self.token, method, path, body or {})
        return reply

    def claim(self) -> Serving | None:
        """The unit that is served now; None if there is none, or the claim is refused."""
        self.server.pass_time(ACT_S)
        reply = self.call("POST", "claim/")
        while reply.status == 403 and reply.content["code"] == "too_many_returns" and self.waits < PATIENCE:
            self._wait(reply)
            reply = self.call("POST", "claim/")
        self.refusal = reply.content.get("code", "refused") if reply.status >= 400 else ""
        if self.refusal and self.servings:
            self.servings[-1].refusal = self.refusal
        if reply.status != 200:
            return None
        serving = self._noted(reply)
        self.servings.append(serving)
        return serving

    def submit(self, serving: Serving, *, junk: bool = False) -> bool:
        """Answer, rightly or not; False if the answer was refused."""
        self.server.pass_time(ACT_S)
        answers = answers_to(self.payloads[serving.assignment])
        return self._end(serving, "submitted", "submit/", {"answer": answers.junk if junk else answers.right})

    def release(self, serving: Serving) -> bool:
        return self._end(serving, "released", "release/", {})

    def report(self, serving: Serving) -> bool:
        return self._end(serving, "reported", "report/", {"problem": "other"})

    def let_expire(self, serving: Serving) -> None:
        self.server.pass_time(serving.lease_s + 1)
        serving.end = "expired"

    def look(self) -> Look:
        """All numbers that the worker is told, those of the summary too."""
        found, reply = self.numbers(), self.call("GET", "summary/")
        found.summary = {**_numbers_in(reply.content), "bytes": float(len(reply.body))}
        return found

    def numbers(self) -> Look:
        reply = self.call("GET", "")
        shown = reply.content
        return Look(
            done=shown["progress"]["done"],
            open=shown["progress"]["open"],
            earned=float(shown["earned"]["amount"]),
            bytes=len(reply.body),
            seconds=reply.seconds,
        )

    def open_units(self) -> int:
        """The number of open tasks that the worker is told."""
        return self.numbers().open

    def read_notice(self, serving: Serving) -> None:
        """Note whether a notice is there, and close it."""
        if self.call("GET", "").content["notice"]:
            serving.notice = True
            self.call("POST", "notice/")

    def try_extra(self, serving: Serving, name: str, method: str, path: str, body: Json) -> None:
        """Make another call about a hold, and note its time, size and status."""
        reply = self.call(method, f"assignments/{serving.assignment}/{path}" if path != "ahead/" else path, body)
        serving.extras |= {
            f"{name} seconds": reply.seconds,
            f"{name} bytes": float(len(reply.body)),
            f"{name} status": float(reply.status),
        }

    # Notes -------------------------------------------------------------------------------------------------------

    def _wait(self, reply: Reply) -> None:
        self.waits += 1
        self.server.pass_time(float({k.lower(): v for k, v in reply.headers.items()}.get("retry-after", "60")) + 1)

    def _end(self, serving: Serving, end: str, path: str, body: Json) -> bool:
        reply = self.call("POST", f"assignments/{serving.assignment}/{path}", body)
        if reply.status >= 400:
            return False
        serving.end, serving.end_seconds = end, reply.seconds
        serving.end_bytes, serving.end_header_bytes = len(reply.body), _header_bytes(reply)
        return True

    def _noted(self, reply: Reply) -> Serving:
        shown = reply.content
        payload = shown["payload"]
        self.payloads[shown["assignment"]] = payload
        return Serving(
            who=self.who,
            where=self.where,
            turn=len(self.servings),
            content=content_in(payload),
            at=self.server.now(),
            seconds=reply.seconds,
            bytes=len(reply.body),
            header_bytes=_header_bytes(reply),
            headers=_header_signature(reply),
            keys=_keys_in(shown),
            digest=sha256(json.dumps(_without_addresses(payload)).encode()).hexdigest()[:16],
            assignment=shown["assignment"],
            lease_s=datetime.fromisoformat(shown["lease_expires_at"]).timestamp() - self.server.now(),
        )


def _header_bytes(reply: Reply) -> int:
    return sum(len(name) + len(value) for name, value in reply.headers.items())


def _header_signature(reply: Reply) -> str:
    return "; ".join(name if name.lower() in VOLATILE else f"{name}={value}" for name, value in reply.headers.items())


def _keys_in(shown: Any) -> str:
    """The keys of a JSON value in their order, nested, and the kinds of its values.

    >>> _keys_in({"b": [{"a": 1}, {"a": 2}], "c": None})
    '{b:[{a:int}]c:NoneType}'
    """
    if isinstance(shown, dict):
        return "{" + "".join(f"{name}:{_keys_in(value)}" for name, value in shown.items()) + "}"
    if isinstance(shown, list):
        return f"[{''.join(sorted({_keys_in(value) for value in shown}))}]"
    return type(shown).__name__


def _numbers_in(shown: Any, place: str = "") -> dict[str, float]:
    """The numbers of a JSON value by their places; of a list its length, of a time its seconds.

    >>> _numbers_in({"owed": {"amount": "0.30", "currency": "USD"}, "left": 2, "messages": [{}], "same": None})
    {'owed.amount': 0.3, 'left': 2.0, 'messages': 1.0}
    """
    if isinstance(shown, dict):
        inner = [_numbers_in(value, f"{place}.{name}".lstrip(".")) for name, value in shown.items()]
        return {name: value for one in inner for name, value in one.items()}
    if isinstance(shown, list):
        return {place: float(len(shown))}
    for read in (float, lambda text: datetime.fromisoformat(text).timestamp()):
        with suppress(TypeError, ValueError):
            return {place: read(shown)}
    return {}


def _without_addresses(shown: Any) -> Any:
    if isinstance(shown, dict):
        return {name: _without_addresses(value) for name, value in shown.items() if not name.endswith("url")}
    if isinstance(shown, list):
        return [_without_addresses(value) for value in shown]
    return shown
