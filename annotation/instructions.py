"""Instructions in versions: what a worker was told when they took a task stays known."""

import difflib
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from django.db import transaction

from annotation.models import Picture, Project, Wording
from audit.log import Subject, record
from common.errors import Conflict, Fault, Invalid, NotFound

MOST_PAGES = 50
MOST_CHARACTERS = 20_000
"""Of one page."""
_PICTURE = re.compile(r"/pictures/([0-9a-f]{64})")


class Line(NamedTuple):
    """One line of a comparison."""

    change: Literal["same", "added", "removed", "gap"]
    text: str


class Comparison(NamedTuple):
    """One page before and after, by line."""

    number: int
    lines: list[Line]


def keep_wording(*, project: Project, by: str, at: datetime) -> Wording:
    """The version with the project's present instructions: the last one where nothing changed, else a new one.

    Locks: call with the project locked.
    """
    last = project.wordings.order_by("-number").first()
    if last is not None and last.pages == project.instructions:
        return last
    number = last.number + 1 if last else 1
    wording = Wording.objects.create(project=project, number=number, pages=project.instructions, by=by, created_at=at)
    Project.objects.filter(pk=project.pk).update(wording=wording)
    project.wording = wording
    return wording


def change(*, project: Project, pages: Sequence[str], based_on: int, by: str, at: datetime) -> Wording:
    """Replace the instructions; the version that is now the present one.

    Args:
        based_on: The number of the version that the editor began with, 0 for none.

    Raises:
        Invalid: no page, too many, too long, or a picture that is not there.
        Conflict: somebody else saved another version meanwhile.
    """
    clean = checked(pages)
    with transaction.atomic():
        locked = Project.objects.select_for_update(of=("self",)).select_related("wording").get(pk=project.pk)
        present = locked.wording
        if (present.number if present else 0) != based_on:
            raise Conflict("Somebody else has saved other instructions meanwhile. Yours are below, not saved yet.")
        if locked.instructions == clean and present is not None:
            return present
        Project.objects.filter(pk=locked.pk).update(instructions=clean)
        locked.instructions = clean
        wording = keep_wording(project=locked, by=by, at=at)
        record(
            verb="project.instructions",
            actor=by,
            subject=Subject("project", locked.slug),
            project=locked.slug,
            at=at,
            version=wording.number,
        )
    project.instructions, project.wording = clean, wording
    return wording


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
        Fault(f"#/pages/{number}", f"Page {number + 1} shows a picture that is not on this server; add it anew.")
        for number, page in enumerate(trimmed)
        if missing & set(_PICTURE.findall(page))
    ]
    if faults:
        raise Invalid(faults=faults)
    return clean


def _missing_pictures(pages: Iterable[str]) -> set[str]:
    named = {digest for page in pages for digest in _PICTURE.findall(page)}
    return named - set(Picture.objects.filter(digest__in=named).values_list("digest", flat=True))


def wording_of(project: Project, number: int) -> Wording:
    """The project's version of this number; 404 if there is none. 1 query."""
    found = project.wordings.filter(number=number).first()
    if found is None:
        raise NotFound
    return found


def compare(before: Sequence[str], after: Sequence[str]) -> list[Comparison]:
    """What changed from one version to another, page by page; pages that are equal are left out.

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
