"""Check the bodies of an agent's messages, blocks against the world's size. `docs/live.md` lists all messages."""

import re
from collections.abc import Callable
from typing import Any

from crosswalk_client.frames import Json, Place, is_whole

NAME = re.compile(r"[A-Za-z0-9._:-]{1,64}\Z")
STATES = ("received", "thinking", "acting", "done", "failed")
MOST_SAID, MOST_REASON, MOST_CHOICE, MOST_CHOICES, MOST_CHANGES, MOST_VOXELS = 1000, 200, 200, 9, 4096, 32768


class BadBody(Exception):
    """A body is not valid for its type; the message names the fault."""


def check_body(kind: Any, body: Any, size: Place) -> None:
    """Check one message of an agent.

    Raises:
        BadBody: agents do not send this type; a field is missing, unknown or wrong; a block lies outside of the world.
    """
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise BadBody(f"an agent sends {', '.join(SHAPES)}; there is no {kind!r}")
    if not isinstance(body, dict):
        raise BadBody("a body is a JSON object")
    needed, allowed, check = shape
    missing, unknown = needed - set(body), set(body) - needed - allowed
    if missing or unknown:
        words = ", ".join(
            [*(f"no {name}" for name in sorted(missing)), *(f"unknown {name}" for name in sorted(unknown))]
        )
        raise BadBody(f"{kind}: {words}")
    for name in ("command", "question"):
        if name in body:
            _need(isinstance(body[name], str) and NAME.match(body[name]), f"{kind}: {name} is no id")
    check(body, size)


def _need(holds: object, sentence: str) -> None:
    if not holds:
        raise BadBody(sentence)


def _is_text(value: object, most: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= most


def _check_rows(rows: Any, *, parts: int, most: int, size: Place, what: str) -> None:
    _need(isinstance(rows, list) and len(rows) <= most, f"{what} is a list of at most {most}")
    for row in rows:
        is_row = isinstance(row, list) and len(row) == parts and all(is_whole(part) for part in row)
        _need(is_row, f"{what}: {row!r} is not {parts} whole numbers")
        _need(all(row[axis] < size[axis] for axis in range(3)), f"{what}: {row[:3]} is outside of the world {size}")
        _need(parts == 3 or row[3] < 256, f"{what}: there is no block {row[-1]}")


def _check_box(box: Any, size: Place) -> None:
    _check_rows(box, parts=3, most=2, size=size, what="the box")
    _need(len(box) == 2, "a box has two corners")


def _status(body: Json, size: Place) -> None:
    _need(body["state"] in STATES, f"there is no state {body['state']!r}")
    reason = body.get("reason")
    _need(reason is None or _is_text(reason, MOST_REASON), f"a reason has at most {MOST_REASON} characters")


def _parse(body: Json, size: Place) -> None:
    _need(isinstance(body["form"], dict), "a form is a JSON object")
    shadow = body.get("shadow", {"model": "", "parse": {}})
    _need(isinstance(shadow, dict) and set(shadow) == {"model", "parse"}, "a shadow has a model and a parse")
    _need(isinstance(shadow["parse"], dict), "the parse of a shadow is a JSON object")


def _objects(body: Json, size: Place) -> None:
    _need(_is_text(body["phrase"], 500), "a phrase has at most 500 characters")
    _check_rows(body["voxels"], parts=3, most=MOST_VOXELS, size=size, what="voxels")


def _blocks(body: Json, size: Place) -> None:
    _check_rows(body["changes"], parts=4, most=MOST_CHANGES, size=size, what="changes")


def _pose(body: Json, size: Place) -> None:
    for name, value in body.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        _need(is_number, f"{name} is a number")
    for axis, name in enumerate("xyz"):
        _need(-1 <= body[name] <= size[axis], f"the agent stands outside of the world {size}: {name}={body[name]}")
    _need(-90 <= body["pitch"] <= 90 and -360 <= body["yaw"] <= 360, "pitch is -90 to 90, yaw -360 to 360 degrees")


def _say(body: Json, size: Place) -> None:
    _need(_is_text(body["text"], MOST_SAID), f"a text has 1 to {MOST_SAID} characters")


def _ask(body: Json, size: Place) -> None:
    _say(body, size)
    choices = body["choices"]
    _need(isinstance(choices, list) and 1 <= len(choices) <= MOST_CHOICES, f"there are 1 to {MOST_CHOICES} choices")
    _need(all(_is_text(choice, MOST_CHOICE) for choice in choices), f"a choice has at most {MOST_CHOICE} characters")
    if body.get("point") is not None:
        _check_box(body["point"], size)


def _point(body: Json, size: Place) -> None:
    _check_box(body["box"], size)


Shape = tuple[frozenset[str], frozenset[str], Callable[[Json, Place], None]]
SHAPES: dict[str, Shape] = {
    "status": (frozenset({"command", "state"}), frozenset({"reason"}), _status),
    "parse": (frozenset({"command", "form"}), frozenset({"version", "shadow"}), _parse),
    "objects": (frozenset({"command", "phrase", "voxels"}), frozenset(), _objects),
    "blocks": (frozenset({"changes"}), frozenset(), _blocks),
    "pose": (frozenset({"x", "y", "z", "pitch", "yaw"}), frozenset(), _pose),
    "say": (frozenset({"text"}), frozenset(), _say),
    "ask": (frozenset({"question", "text", "choices"}), frozenset({"point"}), _ask),
    "point": (frozenset({"box"}), frozenset(), _point),
}
