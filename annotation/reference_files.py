"""References out of a file: JSON Lines, each line a task as the API takes it, with its `reference`."""

import re
from datetime import datetime
from typing import Any, cast

from rest_framework.exceptions import ValidationError

from annotation.api.pipelines import TaskBody as TaskSerializer
from annotation.models import Project
from annotation.references import note_import
from annotation.tasks import Posted, TaskBody, post_tasks
from common.api import read
from common.errors import Conflict, CrosswalkError, Fault, Invalid, TooLarge, problem_of
from common.strict_json import parse_json

MOST_LINES = 5000
MOST_BYTES = 10_000_000


def import_references(*, project: Project, content: bytes, by: str, at: datetime) -> Posted:
    """Make the references that the file describes and that are not there yet; all, or none if one line is wrong.

    Raises:
        Invalid: pointers are `#/LINE` and what is below, lines counted from 1.
        Conflict: some key is there with other content, pointers the same.
        TooLarge: too many lines or bytes.
    """
    numbers, bodies = _read(content)
    try:
        posted = post_tasks(project=project, bodies=bodies, at=at)
    except (Invalid, Conflict) as error:
        raise type(error)(faults=[_at_line(fault, numbers) for fault in error.faults]) from None
    note_import(project=project, created=posted.created, by=by, at=at)
    return posted


def _read(content: bytes) -> tuple[list[int], list[TaskBody]]:
    """The tasks with the number of the line that each stands on; empty lines are passed over."""
    if len(content) > MOST_BYTES:
        raise TooLarge(f"A file has at most {MOST_BYTES} bytes.")
    lines = [(number, line) for number, line in enumerate(content.splitlines(), start=1) if line.strip()]
    if len(lines) > MOST_LINES:
        raise TooLarge(f"A file has at most {MOST_LINES} references; this one has {len(lines)}.")
    if not lines:
        raise Invalid.at("#", "There is no line in this file.")
    bodies: list[TaskBody] = []
    faults: list[Fault] = []
    for number, line in lines:
        try:
            bodies.append(_task(line))
        except (CrosswalkError, ValidationError) as error:
            found = problem_of(error) or {}
            faults += [
                Fault(f"#/{number}{one['pointer'][1:]}", one["detail"])
                for one in found.get("errors") or [{"pointer": "#", "detail": found.get("detail", "")}]
            ]
    if faults:
        raise Invalid(faults=faults)
    return [number for number, _ in lines], bodies


def _task(line: bytes) -> TaskBody:
    try:
        parsed: Any = parse_json(line)
    except ValueError as error:
        raise Invalid.at("#", f"This line is not JSON: {error}.") from None
    body = read(TaskSerializer, parsed)
    if not body.get("reference"):
        raise Invalid.at("#/reference", "A reference needs its right answers.")
    return cast(TaskBody, body)


def _at_line(fault: Fault, numbers: list[int]) -> Fault:
    """`#/tasks/INDEX/…` as `#/LINE/…`."""
    index, slash, rest = fault.pointer.removeprefix("#/tasks/").partition("/")
    detail = re.sub(r"#/tasks/(\d+)", lambda found: f"line {numbers[int(found[1])]}", fault.detail)
    return Fault(f"#/{numbers[int(index)]}{slash}{rest}", detail) if index.isdigit() else fault
