"""A simulated marker at the work API: claims, answers and submits, with nothing but the token of a link.

The caller knows the truth of each task, not the server.
"""

import random
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol

from demo.crowds.markers import Member

Json = dict[str, Any]


class Reply(NamedTuple):
    """The server's reply; the body is empty if there was none."""

    status: int
    body: Json


class WorkApi(Protocol):
    """A worker's connection to the server."""

    def post(self, path: str, body: Json) -> Reply:
        """Send the body to a path below `/api/v1/work/`."""


class KnownTask(NamedTuple):
    """The truth of an assignment's task; the moment is None if only the outcome is known."""

    task: str
    truth: bool
    moment_s: float | None = None


class Turn(NamedTuple):
    """One task done: its truth, whether the worker called it a success, and the id of the annotation."""

    asked: KnownTask
    said: bool
    annotation: str


class Refused(Exception):
    """The server refused the worker; `code` is the code of its problem."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status} {reply.body.get('detail', '')}")
        self.status = reply.status
        self.code = str(reply.body.get("code", ""))


def take_turn(api: WorkApi, member: Member, *, look_up: Callable[[str], KnownTask]) -> Turn | None:
    """Claim, answer and submit one marker task; None if the worker has no open task.

    Args:
        look_up: The truth of the task of this assignment.

    Raises:
        Refused: The worker may not claim, or the server refused the answer.
    """
    claimed = api.post("claim/", {})
    if claimed.status == HTTPStatus.NO_CONTENT:
        return None
    if claimed.status != HTTPStatus.OK:
        raise Refused(claimed)
    asked = look_up(claimed.body["assignment"])
    said = member.says(asked.task, asked.truth)
    body = {
        "answer": marker_answer(member, claimed.body["payload"], asked, said=said),
        "active_s": round(member.takes_s(), 1),
    }
    taken = api.post(f"assignments/{claimed.body['assignment']}/submit/", body)
    if taken.status != HTTPStatus.CREATED:
        raise Refused(taken)
    return Turn(asked, said, taken.body["annotation"])


def marker_answer(member: Member, payload: Json, asked: KnownTask, *, said: bool) -> Json:
    """The marker's answer: a success near its moment, a failure at the last frame that counts."""
    may, video = payload["markable"], payload["video"]
    if not said:
        return {"outcome": "failure", "frame": may["never"]}
    per_s = video["frames"] / video["duration_s"]
    true_s = asked.moment_s
    if true_s is None:
        # The moment is unknown, so all workers who call it a success mark it near the same random one.
        true_s = random.Random(f"moment:{asked.task}").uniform(may["first"], may["last"]) / per_s
    frame = round(member.marks_at(true_s) * per_s)
    return {"outcome": "success", "frame": min(max(frame, may["first"]), may["last"])}
