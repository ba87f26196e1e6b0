"""Past commands for tests: a project that takes them, and what is posted."""

from collections.abc import Sequence
from typing import Any

from rest_framework.test import APIClient

from annotation.models import Project
from interaction.models import Command
from tests.builders import make_project

BUILD = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "BUILD"}]}
DIG = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "DIG"}]}
NOOP = {"dialogue_type": "NOOP"}


def make_past(slug: str = "past") -> Project:
    """A project of sessions that nobody has come to."""
    return make_project(slug, tool="interaction", status=Project.Status.DRAFT)


def past(command: str = "c-1", text: str = "build a house", **more: Any) -> dict[str, Any]:
    return {"command": command, "project": "past", "text": text, **more}


def post(pipe: APIClient, *commands: dict[str, Any], status: int = 200) -> dict[str, Any]:
    """What posting them answers."""
    response = pipe.post("/api/v1/commands/", {"commands": list(commands)}, format="json")
    assert response.status_code == status, response.content
    body: dict[str, Any] = response.json()
    return body


def pointers(problem: dict[str, Any]) -> list[str]:
    return [fault["pointer"] for fault in problem["errors"]]


def kept(names: Sequence[str] = ()) -> list[Command]:
    """The commands that are there, in the order in which they came."""
    rows = Command.objects.order_by("pk")
    return list(rows.filter(public_id__in=names) if names else rows)
