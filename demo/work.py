"""A simulated worker at the work API: claims, answers, hands in, with the token of a link and nothing else.

What is true of a task the worker is told by whoever runs the crowd, never by the server.
"""

import random
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol

from demo.crowd import Member

Json = dict[str, Any]


class Reply(NamedTuple):
    """What the server said; the body is empty where it sent none."""

    status: int
    body: Json


class Door(Protocol):
    """The worker's way to the server."""

    def post(self, path: str, body: Json) -> Reply:
        """Send the body to a path below `/api/v1/work/`."""


class Asked(NamedTuple):
    """What is true of the task of an assignment; the moment is None where only the outcome is known."""

    task: str
    truth: bool
    moment_s: float | None = None


class Turn(NamedTuple):
    """One task done: what was asked, whether it was called a success, and the annotation that came of it."""

    asked: Asked
    said: bool
    annotation: str


class Refused(Exception):
    """The server turned the worker away; `code` is its problem's."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status} {reply.body.get('detail', '')}")
        self.status = reply.status
        self.code = str(reply.body.get("code", ""))


def take_turn(door: Door, member: Member, *, look_up: Callable[[str], Asked]) -> Turn | None:
    """Claim, answer and hand in one marker task; None when nothing is open to the worker.

    Args:
        look_up: What is true of the task of this assignment.

    Raises:
        Refused: the worker may not claim, or the answer was not taken.
    """
    claimed = door.post("claim/", {})
    if claimed.status == HTTPStatus.NO_CONTENT:
        return None
    if claimed.status != HTTPStatus.OK:
        raise Refused(claimed)
    asked = look_up(claimed.body["assignment"])
    said = member.says(asked.task, asked.truth)
    body = {"answer": marked(member, claimed.body["payload"], asked, said=said), "active_s": round(member.takes_s(), 1)}
    taken = door.post(f"assignments/{claimed.body['assignment']}/submit/", body)
    if taken.status != HTTPStatus.CREATED:
        raise Refused(taken)
    return Turn(asked, said, taken.body["annotation"])


def marked(member: Member, payload: Json, asked: Asked, *, said: bool) -> Json:
    """The marker's answer: a success about where it happened, a failure at the last moment that counts."""
    may, video = payload["markable"], payload["video"]
    if not said:
        return {"outcome": "failure", "frame": may["never"]}
    per_s = video["frames"] / video["duration_s"]
    true_s = asked.moment_s
    if true_s is None:
        # Nobody knows when, so all who call it a success see it about there.
        true_s = random.Random(f"moment:{asked.task}").uniform(may["first"], may["last"]) / per_s
    frame = round(member.marks_at(true_s) * per_s)
    return {"outcome": "success", "frame": min(max(frame, may["first"]), may["last"])}
