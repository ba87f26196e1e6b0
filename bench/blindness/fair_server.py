"""A simulated server whose process is fair by construction: no response depends on the label of a unit.

Each worker gets all units in an order of their own. A released or expired unit goes to the end of the worker's queue, a
submitted or reported one is gone. Notices come by chance, so that they tell nothing. The leaks of `leaks` change one
thing each.
"""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bench.blindness.contents import LEASE_S, Unit, units_of
from bench.blindness.server import Json, Reply
from bench.blindness.specs import Spec

BASE_S, SPREAD = 0.009, 0.15
"""The median time of a response, and the standard deviation of its logarithm; measured on the real server."""
NOTICES = 0.1
"""The chance of a notice after an answer."""


@dataclass
class Enrolled:
    """The state of one worker in one project."""

    project: str
    queue: list[Unit]
    held: Unit | None = None
    assignment: str = ""
    expires_at: float = 0.0
    gone: int = 0
    notices_after: list[int] = field(default_factory=list)
    has_notice: bool = False


class FairServer:
    """The simulated server with the projects of one spec. The methods without a path are what leaks override."""

    def __init__(self, spec: Spec) -> None:
        self.units = units_of(spec)
        self.draw = random.Random(f"server {spec.seed}/{spec.number}")
        self.enrolled: dict[str, Enrolled] = {}
        self._now = 1_800_000_000.0

    # What a leak may change ---------------------------------------------------------------------------------------

    def order(self) -> list[Unit]:
        """The order in which a new worker gets the units."""
        return self.draw.sample(self.units, len(self.units))

    def requeue(self, worker: Enrolled, unit: Unit, end: str) -> None:
        """Put a released or expired unit back."""
        worker.queue.append(unit)

    def new_id(self, unit: Unit) -> str:
        return f"{self.draw.getrandbits(128):032x}"

    def payload(self, unit: Unit) -> Json:
        return {"text": unit.content, "node": None, "questions": []}

    def headers(self, unit: Unit) -> dict[str, str]:
        return {"Content-Type": "application/json", "X-Frame-Options": "DENY"}

    def seconds(self, unit: Unit) -> float:
        return BASE_S * self.draw.lognormvariate(0, SPREAD)

    def notice_delay(self, *, is_missed: bool) -> int | None:
        """The number of further answers until the notice that this one causes; None if it causes none."""
        return 0 if self.draw.random() < NOTICES else None

    def open_shown(self, worker: Enrolled) -> int:
        """The number of open tasks that the worker is told."""
        return len(self.units) - worker.gone

    def same_in_ten(self, worker: Enrolled) -> int:
        """Of ten answers, how many the worker is told were like those of others."""
        return 8

    # The interface of a server ---------------------------------------------------------------------------------------

    def now(self) -> float:
        return self._now

    def pass_time(self, seconds: float) -> None:
        self._now += seconds

    def enter(self, project: str, worker: str) -> str:
        token = f"{project}/{worker}"
        self.enrolled[token] = Enrolled(project, self.order())
        return token

    def request(self, token: str, method: str, path: str, body: Json) -> Reply:
        worker = self.enrolled[token]
        if path == "claim/":
            return self._claim(worker)
        if path == "":
            return self._answer(200, self._numbers(worker), self._plain_seconds())
        if path == "summary/":
            shown = {**self._numbers(worker), "compared": {"same_in_ten": self.same_in_ten(worker)}}
            return self._answer(200, shown, self._plain_seconds())
        if path == "notice/":
            worker.has_notice = False
        end = path.rstrip("/").rsplit("/", 1)[-1]
        if end in ("submit", "release", "report") and "voxels" not in body.get("answer", {}):
            return self._end(worker, end, body)
        return self._answer(204, None, self._plain_seconds())

    def _claim(self, worker: Enrolled) -> Reply:
        if worker.held and worker.expires_at <= self._now:
            self.requeue(worker, worker.held, "expired")
            worker.held = None
        if worker.held is None:
            if not worker.queue:
                return self._answer(204, None, self._plain_seconds())
            worker.held = worker.queue.pop(0)
            worker.assignment, worker.expires_at = self.new_id(worker.held), self._now + LEASE_S
        shown = {
            "assignment": worker.assignment,
            "lease_expires_at": datetime.fromtimestamp(worker.expires_at, UTC).isoformat(),
            "payload": self.payload(worker.held),
        }
        return self._answer(200, shown, self.seconds(worker.held), self.headers(worker.held))

    def _end(self, worker: Enrolled, end: str, body: Json) -> Reply:
        unit, worker.held = worker.held, None
        assert unit is not None
        seconds = self.seconds(unit)
        if end == "release":
            self.requeue(worker, unit, "released")
            return self._answer(204, None, seconds)
        worker.gone += 1
        if end == "report":
            return self._answer(204, None, seconds)
        worker.notices_after = [left - 1 for left in worker.notices_after]
        delay = self.notice_delay(is_missed=unit.is_reference and "unknown" in body["answer"])
        if delay is not None:
            worker.notices_after.append(delay)
        worker.has_notice = worker.has_notice or 0 in worker.notices_after
        return self._answer(201, {"annotation": f"{self.draw.getrandbits(128):032x}"}, seconds)

    def _numbers(self, worker: Enrolled) -> Json:
        return {
            "progress": {"done": worker.gone, "open": self.open_shown(worker)},
            "earned": {"amount": f"{0.3 * worker.gone:.2f}", "currency": "USD"},
            "notice": {"text": "Please read on."} if worker.has_notice else None,
        }

    def _plain_seconds(self) -> float:
        return BASE_S * self.draw.lognormvariate(0, SPREAD)

    def _answer(self, status: int, content: Json | None, seconds: float, headers: Json | None = None) -> Reply:
        return Reply(status, headers or {}, b"" if content is None else json.dumps(content).encode(), seconds)
