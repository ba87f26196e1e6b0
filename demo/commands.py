"""Commands of our own making with their logical forms: what the parse annotator shows and what its tests hold."""

import json
from pathlib import Path
from typing import Any, TypedDict, cast


class Turn(TypedDict):
    """Something said before the command: `speaker` is "worker" or "assistant"."""

    speaker: str
    text: str


class Command(TypedDict):
    """A command, what was said before it (oldest first), and the logical form that it means."""

    text: str
    context: list[Turn]
    form: dict[str, Any]


def read_commands() -> list[Command]:
    """All commands, in the order of the file."""
    text = (Path(__file__).parent / "commands.json").read_text(encoding="utf-8")
    return cast(list[Command], json.loads(text)["commands"])
