"""The logical forms of a project: figures, downloads, and import of right forms as references."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.datasets import forms_import
from annotation.datasets.forms import dataset_lines, dataset_rows
from annotation.datasets.forms_lines import AUTO, JSONL, SHAPES
from annotation.models import Project
from annotation.tools.parse.tool import parse
from lib.faults import Conflict, Invalid, NotFound, TooLarge
from web.http.exports import exported
from web.staff.datasets import forms_figures
from web.staff.decorators import chosen, staff_actor, staff_only
from web.staff.figure_files import file_asked

MOST_SHOWN = 100
"""The number of lines that the preview of an import lists; further ones are only counted."""
SHAPE_NAMES = {
    AUTO: "see from the lines",
    "jsonl": 'JSON Lines: {"text": …, "form": …}',
    "pairs": "command|form",
    "ids": "id|command|form",
    "tabs": "command, tab, form",
}


def project_with_forms(request: HttpRequest, slug: str, role: Role = Role.VIEWER) -> Project:
    """The project, if the account has at least this role in it; 404 if its tool makes no forms."""
    found = roles.project_for(request.user, slug, role)
    if not parse.is_tool_of(found):
        raise NotFound
    return found


@staff_only
@require_safe
def forms(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_with_forms(request, slug)
    if (file := file_asked(request, forms_figures.figures_of(project))) is not None:
        return file
    return _page(request, project)


def _page(request: HttpRequest, project: Project, *, status: int = 200, **more: Any) -> HttpResponse:
    seen = forms_figures.overview(project)
    ctx = {
        "section": "projects",
        "project": project,
        "tally": seen.tally,
        "newest": forms_figures.NEWEST,
        "is_cut": seen.tally.n >= forms_figures.NEWEST,
        "figures": [(name, one) for name, one in seen.figures.items() if name != "words"],
        "slots": forms_figures.slots_of(seen.tally),
        "shapes": SHAPE_NAMES.items(),
        "may_import": roles.may_in(request.user, project, Role.REVIEWER),
        "most_lines": forms_import.MOST_LINES,
        "shape": AUTO,
        **more,
    }
    return render(request, "staff/datasets/forms.html", ctx, status=status)


@staff_only
@require_safe
def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The dataset as a file. Workers have their pseudonyms in it, even for admins."""
    project = project_with_forms(request, slug)
    shape = chosen(request, "shape", list(SHAPES)) or JSONL
    ending = "jsonl" if shape == JSONL else "txt"
    return exported(
        request,
        dataset_lines(dataset_rows(project), shape),
        what="forms",
        by=staff_actor(request),
        project=project.slug,
        content_type="text/plain; charset=utf-8",
        filename=f"{project.slug}-forms-{shape}.{ending}",
    )


@staff_only
@require_POST
def import_forms(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview an import (`act=preview`), or make references of the lines (`act=import`)."""
    project = project_with_forms(request, slug, Role.REVIEWER)
    shape = request.POST.get("shape", AUTO)
    content = request.POST.get("lines", "")
    skip_refused = request.POST.get("skip_refused") == "yes"
    asked: dict[str, Any] = {"shape": shape, "lines": content, "skip_refused": skip_refused}
    try:
        if file := request.FILES.get("file"):
            asked["lines"] = content = _text_of(file)
        if request.POST.get("act") != "import":
            return _page(request, project, preview=_preview(forms_import.drafted(content, shape=shape)), **asked)
        made = forms_import.import_pairs(
            project=project,
            content=content,
            shape=shape,
            skip_refused=skip_refused,
            by=staff_actor(request),
            at=timezone.now(),
        )
    except (Conflict, Invalid, TooLarge) as error:
        faults = [(_place_of(fault.pointer), fault.detail) for fault in error.faults]
        problem = {"detail": error.detail, "faults": faults[:MOST_SHOWN], "more": max(len(faults) - MOST_SHOWN, 0)}
        return _page(request, project, problem=problem, status=error.status, **asked)
    known = f", {made.unchanged} were there already" if made.unchanged else ""
    left = len({one["line"] for one in made.refused})
    skipped = f", {left} line{'s' * (left != 1)} left out" if left else ""
    messages.success(request, f"✓ {made.created} reference{'s' * (made.created != 1)} made{known}{skipped}.")
    return redirect("staff-forms", slug)


def _preview(draft: forms_import.Draft) -> dict[str, Any]:
    repaired = [(one["line"], one["reasons"]) for one in draft.repaired]
    refused: dict[int, list[tuple[str, str]]] = {}
    for one in draft.refused:
        refused.setdefault(one["line"], []).append((one["path"], one["reason"]))
    return {
        "references": len(draft.bodies),
        "accepted": draft.accepted,
        "refused": list(refused.items())[:MOST_SHOWN],
        "refused_count": len(refused),
        "repaired": repaired[:MOST_SHOWN],
        "repaired_count": len(repaired),
        "most": MOST_SHOWN,
    }


def _place_of(pointer: str) -> str:
    """A pointer in words.

    >>> _place_of("#/lines/3/event_sequence/0"), _place_of("#/lines/3"), _place_of("#/shape")
    ('line 3, event_sequence/0', 'line 3', 'shape')
    """
    head, _, rest = pointer.removeprefix("#/").partition("/")
    if head != "lines" or not rest:
        return head
    line, slash, path = rest.partition("/")
    return f"line {line}, {path}" if slash else f"line {line}"


def _text_of(file: Any) -> str:
    if (file.size or 0) > forms_import.MOST_BYTES:
        raise TooLarge(f"A file has at most {forms_import.MOST_BYTES} bytes.")
    try:
        found: str = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("This file is not text in UTF-8.") from None
    return found
