"""What was said in a part of a session, line by line. Pure."""

from collections.abc import Iterable, Iterator
from typing import TypedDict

from interaction.recordings.moments import Happening, Part


class Line(TypedDict):
    """`at_s` counts from the film's begin; `speaker` is player or agent."""

    at_s: float
    speaker: str
    text: str


def transcript_of(happenings: Iterable[Happening], part: Part) -> list[Line]:
    """Commands, what the agent said and asked, what the player chose; also where it was asked before the part."""
    choices: dict[str, list[str]] = {}
    lines: list[Line] = []
    for event in happenings:
        if event.kind == "ask":
            choices[event.body["question"]] = event.body["choices"]
        if not part.begins_ms <= event.at_ms <= part.ends_ms:
            continue
        at_s = (event.at_ms - part.begins_ms) / 1000
        lines += [Line(at_s=at_s, speaker=speaker, text=text) for speaker, text in _said(event, choices) if text]
    return lines


def _said(event: Happening, choices: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    body = event.body
    match event.kind:
        case "command":
            yield "player", body["text"]
        case "stop":
            yield "player", "Stop."
        case "say":
            yield "agent", body["text"]
        case "ask":
            yield "agent", f"{body['text']} ({' / '.join(body['choices'])})"
        case "choose":
            offered = choices.get(body["question"], [])
            yield "player", offered[body["choice"]] if body["choice"] < len(offered) else ""
