"""Instructions in versions, so that the text that a worker saw when taking a task stays known."""

import difflib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from django.db import transaction
from django.db.models import Max

from annotation.models import InstructionVersion, Picture, Project
from annotation.offer.experiments import MOST_CHARACTERS, MOST_PAGES, Arm, arms_of
from audit.changes import changes
from audit.log import record
from lib.faults import Conflict, Fault, Invalid, NotFound

_PICTURE = re.compile(r"/pictures/([0-9a-f]{64})")
_AGAIN = "If you have just added it, save again in a moment; otherwise add it anew."


class Line(NamedTuple):
    """One line of a comparison."""

    change: Literal["same", "added", "removed", "gap"]
    text: str


class Comparison(NamedTuple):
    """One page before and after, by line."""

    number: int
    lines: list[Line]


def keep_instructions(*, project: Project, by: str, at: datetime) -> InstructionVersion:
    """The version with the project's present instructions: the last one where nothing changed, else a new one.

    The same happens for each arm that has instructions of its own. Versions of all arms share one count.

    Locks: call with the project locked.
    """
    version = _keep(project, "", project.instructions, by=by, at=at)
    for arm in arms_of(project):
        if arm.instructions is not None:
            _keep(project, arm.name, arm.instructions, by=by, at=at)
    if project.instruction_version_id != version.pk:
        Project.objects.filter(pk=project.pk).update(instruction_version=version)
        project.instruction_version = version
    return version


def _keep(project: Project, arm: str, pages: list[str], *, by: str, at: datetime) -> InstructionVersion:
    last = project.instruction_versions.filter(arm=arm).order_by("-number").first()
    if last is not None and last.pages == pages:
        return last
    number = project.instruction_versions.aggregate(last=Max("number"))["last"] or 0
    return InstructionVersion.objects.create(
        project=project, number=number + 1, pages=pages, arm=arm, by=by, created_at=at
    )


def instruction_version_for(project: Project, arm: Arm | None) -> InstructionVersion | None:
    """The version that a worker in this arm sees; None where none was kept. 1 query where the arm has its own."""
    if arm is None or arm.instructions is None:
        return project.instruction_version
    return project.instruction_versions.filter(arm=arm.name).order_by("-number").first()


def instruction_version_id_for(project: Project, arm: Arm | None) -> int | None:
    """The id of that version. No query for the plain project."""
    if arm is None or arm.instructions is None:
        return project.instruction_version_id
    found = instruction_version_for(project, arm)
    return found.pk if found else None


def pages_for(project: Project, arm: Arm | None) -> list[str]:
    """The instructions that a worker in this arm sees."""
    pages: list[str] = project.instructions if arm is None or arm.instructions is None else arm.instructions
    return pages


def change(*, project: Project, pages: Sequence[str], based_on: int, by: str, at: datetime) -> InstructionVersion:
    """Replace the instructions; return the version that is now the present one.

    Args:
        based_on: The number of the version that the editor began with, 0 for none.

    Raises:
        Invalid: no page, too many, too long, or a picture that is not stored here.
        Conflict: another version was saved meanwhile.
    """
    clean = checked(pages)
    with transaction.atomic():
        locked = (
            Project.objects.select_for_update(of=("self",)).select_related("instruction_version").get(pk=project.pk)
        )
        present = locked.instruction_version
        if (present.number if present else 0) != based_on:
            raise Conflict("Somebody else has saved other instructions meanwhile. Yours are below, not saved yet.")
        if locked.instructions == clean and present is not None:
            return present
        Project.objects.filter(pk=locked.pk).update(instructions=clean)
        locked.instructions = clean
        version = keep_instructions(project=locked, by=by, at=at)
        record(
            verb="project.instructions",
            actor=by,
            subject=locked.audit_subject,
            project=locked.slug,
            at=at,
            **changes({"version": based_on}, {"version": version.number}),
        )
    project.instructions, project.instruction_version = clean, version
    return version


def checked(pages: Sequence[str]) -> list[str]:
    """The pages trimmed, empty ones left out.

    Raises:
        Invalid: with a pointer to each page at fault.
    """
    trimmed = [page.replace("\r\n", "\n").strip() for page in pages]
    faults = [
        Fault(f"#/pages/{number}", f"Page {number + 1} has more than {MOST_CHARACTERS} characters.")
        for number, page in enumerate(trimmed)
        if len(page) > MOST_CHARACTERS
    ]
    clean = [page for page in trimmed if page]
    if not clean:
        faults.append(Fault("#/pages", "There must be one page at least with something on it."))
    if len(clean) > MOST_PAGES:
        faults.append(Fault("#/pages", f"There may be {MOST_PAGES} pages at most."))
    missing = _missing_pictures(clean)
    faults += [
        Fault(f"#/pages/{number}", f"Page {number + 1} shows a picture that is not on this server. {_AGAIN}")
        for number, page in enumerate(trimmed)
        if missing & set(_PICTURE.findall(page))
    ]
    if faults:
        raise Invalid(faults=faults)
    return clean


def _missing_pictures(pages: Iterable[str]) -> set[str]:
    named = {digest for page in pages for digest in _PICTURE.findall(page)}
    return named - set(
        Picture.objects.filter(digest__in=named, state=Picture.State.READY).values_list("digest", flat=True)
    )


def instruction_version_numbered(project: Project, number: int) -> InstructionVersion:
    """The project's version of this number; 404 if there is none. 1 query."""
    found = project.instruction_versions.filter(number=number).first()
    if found is None:
        raise NotFound
    return found


def compare(before: Sequence[str], after: Sequence[str]) -> list[Comparison]:
    """The differences between two versions, page by page; pages that are equal are left out.

    >>> compare(["One.", "Two."], ["One.", "Two!"])
    [Comparison(number=2, lines=[Line(change='removed', text='Two.'), Line(change='added', text='Two!')])]
    """
    found = []
    for index in range(max(len(before), len(after))):
        old = before[index].splitlines() if index < len(before) else []
        new = after[index].splitlines() if index < len(after) else []
        if old != new:
            found.append(Comparison(index + 1, _lines(old, new)))
    return found


def _lines(old: list[str], new: list[str]) -> list[Line]:
    lines: list[Line] = []
    for text in list(difflib.unified_diff(old, new, lineterm="", n=2))[2:]:
        if text.startswith("@@"):
            if lines:
                lines.append(Line("gap", ""))
        elif text.startswith("+"):
            lines.append(Line("added", text[1:]))
        elif text.startswith("-"):
            lines.append(Line("removed", text[1:]))
        else:
            lines.append(Line("same", text[1:]))
    return lines
