"""Import of commands with right forms, as references of a project."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from django.db import transaction

from annotation.datasets.forms_lines import AUTO, SHAPES, Line, Row, read_lines
from annotation.models import Project
from annotation.references.references import note_import
from annotation.tools.parse.serializers import PayloadSerializer
from annotation.tools.parse.tool import parse
from annotation.work.posting import MOST_AT_ONCE, ReferenceBody, TaskBody, post_tasks
from common.serializers import read
from lib.canonical_json import canonical, digest
from lib.faults import Conflict, Fault, Invalid, TooLarge
from lib.logical_form.normal import normal
from lib.logical_form.validate import Fault as Flaw

MOST_LINES = 5000
MOST_BYTES = 5_000_000
MOST_FORMS = 100
"""Most right forms of one command, as of any reference."""


class Place(TypedDict):
    """A remark about a place of a form: a JSON pointer, and a sentence."""

    path: str
    reason: str


class Repaired(TypedDict):
    """A line that was rewritten to be valid, with the changes."""

    line: int
    reasons: list[Place]


class Refused(TypedDict):
    """One fault of a line."""

    line: int
    path: str
    reason: str


class Imported(NamedTuple):
    """The result of an import; lines that are not named were taken unchanged."""

    created: int
    unchanged: int
    repaired: list[Repaired]
    refused: list[Refused]


class Draft(NamedTuple):
    """The references that lines describe, each with the numbers of its lines."""

    bodies: list[TaskBody]
    lines: list[list[int]]
    repaired: list[Repaired]
    refused: list[Refused]

    @property
    def accepted(self) -> int:
        return sum(map(len, self.lines))


def check_tool(project: Project) -> None:
    """Refuse a project of another tool.

    Raises:
        Invalid: the project's tool is not the parse annotator.
    """
    if not parse.is_tool_of(project):
        raise Invalid(
            f"This project's tool is {project.tool}; only those of the tool {parse.name} have logical forms.",
        )


def drafted(content: str, *, shape: str = AUTO) -> Draft:
    """The references that these lines describe; nothing is stored.

    Lines with one id are several right forms of one reference. So are lines without ids that have the same command,
    context, agent's form and mark.

    Raises:
        Invalid: the shape is unknown, or there is no line.
        TooLarge
    """
    if shape not in (AUTO, *SHAPES):
        raise Invalid.at("#/shape", f"The shape is {AUTO} or one of {', '.join(SHAPES)}.")
    if len(content.encode(errors="replace")) > MOST_BYTES:
        raise TooLarge(f"At most {MOST_BYTES} bytes are read at once.")
    if sum(1 for line in content.split("\n") if line.strip()) > MOST_LINES:
        raise TooLarge(f"At most {MOST_LINES} lines are read at once.")
    lines = list(read_lines(content, shape))
    if not lines:
        raise Invalid.at("#/lines", "There is no line here.")
    return _draft(lines)


def import_pairs(
    *, project: Project, content: str, by: str, at: datetime, shape: str = AUTO, skip_refused: bool = False
) -> Imported:
    """Make references from these lines unless they exist already: all of them, or none if a line is refused.

    Args:
        skip_refused: Import the valid lines even if others are refused.

    Raises:
        Invalid: the project has another tool; or lines are refused, pointers `#/lines/NUMBER` and the place in a form.
        Conflict: an id exists with other content, pointers the same.
        TooLarge: too many lines or bytes.
    """
    check_tool(project)
    draft = drafted(content, shape=shape)
    if draft.refused and not skip_refused:
        count = len({one["line"] for one in draft.refused})
        refused = "1 line is" if count == 1 else f"{count} lines are"
        raise Invalid(
            f"{refused} refused, so nothing was made; see `errors`.",
            faults=[Fault(f"#/lines/{one['line']}{one['path']}", one["reason"]) for one in draft.refused],
        )
    created = unchanged = 0
    with transaction.atomic():
        for start in range(0, len(draft.bodies), MOST_AT_ONCE):
            try:
                posted = post_tasks(project=project, bodies=draft.bodies[start : start + MOST_AT_ONCE], at=at)
            except (Invalid, Conflict) as error:
                places = draft.lines[start : start + MOST_AT_ONCE]
                raise type(error)(faults=[_at_line(fault, places) for fault in error.faults]) from None
            created, unchanged = created + posted.created, unchanged + posted.unchanged
        note_import(project=project, created=created, by=by, at=at)
    return Imported(created, unchanged, draft.repaired, draft.refused)


def _draft(lines: Sequence[Line]) -> Draft:
    grouped: dict[str, list[tuple[int, Row]]] = {}
    draft = Draft([], [], [], [])
    for line in lines:
        faults = list(line.faults)
        if line.row is not None:
            group = grouped.setdefault(_name_of(line.row), [])
            faults += _faults_in_group(line.row, group)
            if not faults:
                group.append((line.number, line.row))
        if faults:
            draft.refused.extend(Refused(line=line.number, path=flaw.path, reason=flaw.reason) for flaw in faults)
        elif line.changes:
            reasons = [Place(path=change.path, reason=change.reason) for change in line.changes]
            draft.repaired.append(Repaired(line=line.number, reasons=reasons))
    for members in grouped.values():
        if members:
            draft.bodies.append(_body([row for _, row in members]))
            draft.lines.append([number for number, _ in members])
    return draft


def _name_of(row: Row) -> str:
    return row.id or canonical(_payload(row))


def _payload(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {"text": row.text}
    if row.context:
        found["context"] = row.context
    if row.agent_form is not None:
        found["form"] = row.agent_form
    if row.marked is not None:
        found["marked"] = row.marked
    return found


def _faults_in_group(row: Row, group: Sequence[tuple[int, Row]]) -> list[Flaw]:
    """The faults of a row compared with the other rows of its reference, and as the payload of a task."""
    if group and _payload(group[0][1]) != _payload(row):
        return [Flaw("", f"Line {group[0][0]} has the same id and says something else of the command.")]
    if len(group) >= MOST_FORMS:
        return [Flaw("", f"A command has at most {MOST_FORMS} right forms.")]
    try:
        read(PayloadSerializer, _payload(row))
    except Invalid as error:
        return [Flaw("", f"{fault.pointer.removeprefix('#/')}: {fault.detail}") for fault in error.faults]
    return []


def _body(rows: Sequence[Row]) -> TaskBody:
    """One reference; forms with the same meaning are one."""
    # In canonical order, so that the same lines in another order give the same reference.
    forms: dict[str, Any] = {}
    for row in sorted(rows, key=lambda row: canonical(row.form)):
        forms.setdefault(canonical(normal(row.form)), row.form)
    first, payload, answers = rows[0], _payload(rows[0]), [{"form": form} for form in forms.values()]
    key = first.id or f"form-{digest([payload, answers])[:32]}"
    return TaskBody(key=key, payload=payload, reference=ReferenceBody(answers=answers))


def _at_line(fault: Fault, places: Sequence[list[int]]) -> Fault:
    """The fault with `#/tasks/INDEX/…` replaced by `#/lines/LINE`, the first line of that task."""
    index = fault.pointer.removeprefix("#/tasks/").partition("/")[0]
    return Fault(f"#/lines/{places[int(index)][0]}", fault.detail) if index.isdigit() else fault
