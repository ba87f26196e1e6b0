"""The demo's commands with their forms. The tests of the parse tool use them too."""

import json
from pathlib import Path
from typing import Any, TypedDict, cast


class Turn(TypedDict):
    """A sentence before the command; `speaker` is "worker" or "assistant"."""

    speaker: str
    text: str


class Command(TypedDict):
    """A command, the sentences before it (oldest first), and its logical form."""

    text: str
    context: list[Turn]
    form: dict[str, Any]


def read_commands() -> list[Command]:
    """All commands, in the order of the file."""
    text = (Path(__file__).parent / "commands.json").read_text(encoding="utf-8")
    return cast(list[Command], json.loads(text)["commands"])
