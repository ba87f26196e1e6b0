"""Lists of tasks that a person brings in the browser: pasted lines, CSV, or JSON Lines. All become tasks, or none.

A line of JSON is a task as the API takes it, or its payload alone. A CSV names its columns in the first line. Any other
line is a text, which only tools whose payload is a text take.
"""

import csv
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple, cast

from django.db import transaction

from annotation.models import Project
from annotation.tool_registry import Json
from annotation.work.posting import MOST_AT_ONCE, Posted, TaskBody, post_tasks
from annotation.work.serializers import TaskBody as TaskSerializer
from common.serializers import read
from lib.canonical_json import digest
from lib.faults import Conflict, CrosswalkError, Fault, Invalid, TooLarge, moved
from lib.strict_json import parse_json

MOST_LINES = 20_000
MOST_FAULTS = 50
TEXT = "text"
TEXT_COLUMNS = ("text", "command")
"""The columns of a CSV that hold the text; `key` and `priority` may stand beside it."""
OF_TASK = frozenset({"key", "payload", "priority", "redundancy", "reference"})
OF_DIGEST = 16
ToPayload = Callable[[Json], Json]


class Line(NamedTuple):
    """A line with something in it, counted from 1."""

    number: int
    body: Any


def post_list(*, project: Project, content: str, to_payload: ToPayload = lambda bare: bare, at: datetime) -> Posted:
    """Make the tasks of the list that do not exist yet; all, or none if one line is wrong.

    Args:
        to_payload: Makes the payload of a line that is no whole task.

    Raises:
        Invalid: with pointers `#/LINE` and below, lines counted from 1.
        Conflict: a key exists with other content, pointers the same.
        TooLarge: there are too many lines.
    """
    numbers, bodies = _bodies(content, to_payload)
    created = unchanged = 0
    with transaction.atomic():
        for start in range(0, len(bodies), MOST_AT_ONCE):
            try:
                posted = post_tasks(project=project, bodies=bodies[start : start + MOST_AT_ONCE], at=at)
            except (Invalid, Conflict) as error:
                raise type(error)(faults=[_at_line(fault, numbers[start:]) for fault in error.faults]) from None
            created, unchanged = created + posted.created, unchanged + posted.unchanged
    return Posted(created, unchanged)


def _bodies(content: str, to_payload: ToPayload) -> tuple[list[int], list[TaskBody]]:
    bodies: dict[str, TaskBody] = {}
    numbers: list[int] = []
    faults: list[Fault] = []
    for line in _lines(content):
        try:
            body = _task(line.body, to_payload)
        except CrosswalkError as error:
            faults += moved(error.faults or [Fault("#", error.detail)], f"#/{line.number}")
            if len(faults) >= MOST_FAULTS:
                break
            continue
        # The same text twice is one task.
        if body["key"] not in bodies or bodies[body["key"]] != body:
            bodies[body["key"]] = body
            numbers.append(line.number)
    if faults:
        raise Invalid(faults=faults[:MOST_FAULTS])
    return numbers, list(bodies.values())


def _lines(content: str) -> list[Line]:
    """The lines, each as parsed JSON, as a row of a CSV, or as a text.

    >>> [line.body for line in _lines("text,key\\n\\"go, now\\",a\\n")]
    [{'key': 'a', 'payload': {'text': 'go, now'}}]
    >>> _lines("go away\\n\\n  dig a hole ")
    [Line(number=1, body={'text': 'go away'}), Line(number=3, body={'text': 'dig a hole'})]
    """
    texts = [(number, text.strip()) for number, text in enumerate(content.splitlines(), start=1) if text.strip()]
    if not texts:
        raise Invalid.at("#", "There is nothing in it yet.")
    if len(texts) > MOST_LINES:
        raise TooLarge(f"A list has at most {MOST_LINES} lines; this one has {len(texts)}.")
    first = texts[0][1]
    if first.startswith("{"):
        return [Line(number, text) for number, text in texts]
    columns = [name.strip().lower() for name in next(csv.reader([first.removeprefix("\ufeff")]))]
    if any(name in columns for name in TEXT_COLUMNS):
        return _rows(content, columns)
    return [Line(number, {TEXT: text}) for number, text in texts]


def _rows(content: str, columns: list[str]) -> list[Line]:
    reader = csv.reader(content.splitlines(keepends=True))
    next(reader)
    lines, number = [], reader.line_num + 1
    for row in reader:
        if any(cell.strip() for cell in row):
            named = {name: cell.strip() for name, cell in zip(columns, row, strict=False) if cell.strip()}
            lines.append(Line(number, _cells(named)))
        number = reader.line_num + 1
    return lines


def _cells(named: dict[str, str]) -> Json:
    """A row as the payload of a text, or as a task where it names more."""
    text = next((named.pop(name) for name in TEXT_COLUMNS if name in named), "")
    if not set(named) - {"key", "priority"}:
        priority = named.get("priority", "")
        more: Json = {"key": named["key"]} if "key" in named else {}
        if priority:
            more["priority"] = int(priority) if priority.lstrip("-").isdigit() else priority
        return {**more, "payload": {TEXT: text}} if more else {TEXT: text}
    return {**named, TEXT: text}


def _task(body: Any, to_payload: ToPayload) -> TaskBody:
    if isinstance(body, str):
        try:
            body = parse_json(body)
        except ValueError as error:
            raise Invalid.at("#", f"This line is not JSON: {error}.") from None
    if not isinstance(body, dict):
        raise Invalid.at("#", "A line of JSON is an object.")
    whole = body if "payload" in body and not set(body) - OF_TASK else _whole(body, to_payload)
    if "key" not in whole:
        whole = {"key": digest(whole["payload"])[:OF_DIGEST], **whole}
    return cast(TaskBody, read(TaskSerializer, whole))


def _whole(bare: Json, to_payload: ToPayload) -> Json:
    """A task around a payload, whose line may name the key too."""
    payload = {name: value for name, value in bare.items() if name != "key"}
    named = {"key": bare["key"]} if "key" in bare else {}
    return {**named, "payload": to_payload(payload)}


def _at_line(fault: Fault, numbers: list[int]) -> Fault:
    """The fault with the pointer `#/LINE/…` in place of `#/tasks/INDEX/…`."""
    parts = fault.pointer.split("/")
    if len(parts) < 3 or parts[1] != "tasks" or not parts[2].isdigit():
        return fault
    return Fault("/".join(["#", str(numbers[int(parts[2])]), *parts[3:]]), fault.detail)
