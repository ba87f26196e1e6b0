"""The material of commands and scenes: a list that is pasted or chosen as a file, and generated scenes."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.datasets.generated_scenes import post_generated
from annotation.models import Project
from annotation.projects.task_lists import TEXT, ToPayload, post_list
from annotation.tools.parse.tool import parse
from annotation.tools.voxels.settings import MARK, stage_of
from common.serializers import read
from lib.faults import Conflict, Fault, Invalid, TooLarge
from lib.voxels.generator_options import BadOption, Options
from web.api.generated_scenes import GeneratedBody
from web.staff.decorators import staff_actor
from web.staff.setup.fields import Field, Kind, errors_of, read_form, shown, shown_again
from web.staff.setup.steps import address_of, after, steps_of

MOST_BYTES = 8 * 1024 * 1024
MOST_SHOWN_AGAIN = 400_000
"""The most characters of a refused list that come back in the page, where they can be mended."""
NEWEST = 10
GENERATED = [
    Field("n", "How many scenes", Kind.WHOLE, is_needed=True, does="Each has a phrase about an object, or several."),
    Field("seed", "Seed", Kind.WHOLE, empty=0, does="The same seed makes the same scenes."),
    Field(
        "references",
        "Make references of them",
        Kind.YES,
        does="Their right answers are known, so they measure workers. Leave it out to have people mark them.",
    ),
]


def page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what is there; a posted form adds a list, or generated scenes."""
    if request.method != "POST":
        return _page(request, project)
    act = request.POST.get("act", "")
    try:
        posted = _generate(request, project) if act == "generate" else _add(request, project)
    except (Invalid, Conflict, TooLarge) as error:
        return _page(request, project, error=error, status=error.status)
    known = f" {posted.unchanged} were there already." if posted.unchanged else ""
    messages.success(request, f"✓ {posted.created} added.{known}")
    return redirect(address_of(project, "material"))


def text_of(request: HttpRequest) -> str:
    """The pasted text, or that of the chosen file.

    Raises:
        TooLarge, Invalid: the file is too large, or is no text.
    """
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("list", "").replace("\0", "")
    if (file.size or 0) > MOST_BYTES:
        raise TooLarge(f"A file has at most {MOST_BYTES // 1024 // 1024} MiB. The API takes more, in parts.")
    try:
        return bytes(file.read()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid.at("#", "This file is no text in UTF-8.") from None


def _add(request: HttpRequest, project: Project) -> Any:
    only_json: ToPayload = _needs_scene if not parse.is_tool_of(project) else _as_it_is
    return post_list(project=project, content=text_of(request), to_payload=only_json, at=timezone.now())


def _as_it_is(bare: dict[str, Any]) -> dict[str, Any]:
    return bare


def _needs_scene(bare: dict[str, Any]) -> dict[str, Any]:
    if set(bare) == {TEXT}:
        raise Invalid.at("#", "A scene is a line of JSON: an object with `scene`, and `phrase`.")
    return bare


def _generate(request: HttpRequest, project: Project) -> Any:
    typed, errors = read_form(GENERATED, request.POST, {})
    if errors:
        raise Invalid(faults=[Fault(f"#/{path}", detail) for path, detail in errors.items()])
    body = read(GeneratedBody, typed)
    try:
        return post_generated(
            project=project,
            seed=body["seed"],
            n=body["n"],
            options=Options(),
            as_references=body["references"],
            by=staff_actor(request),
            at=timezone.now(),
        )
    except BadOption as error:
        raise Invalid.at(f"#/{error.name}", str(error)) from None


def by_line(fault: Fault) -> Fault:
    """The pointer in words: `Line 3, payload/text`."""
    line, _, rest = fault.pointer.removeprefix("#/").partition("/")
    if not line.isdigit():
        return Fault("", fault.detail)
    return Fault(f"Line {line}, {rest}" if rest else f"Line {line}", fault.detail)


def _page(
    request: HttpRequest,
    project: Project,
    *,
    error: Invalid | Conflict | TooLarge | None = None,
    status: int = 200,
) -> HttpResponse:
    is_generating = request.POST.get("act") == "generate"
    errors = errors_of(error, GENERATED) if error and is_generating else {}
    is_voxels = not parse.is_tool_of(project)
    tasks = project.tasks.posted().order_by("-pk")
    ctx = {
        "section": "projects",
        "project": project,
        "steps": steps_of(project, "material"),
        "next": after(project, "material"),
        "is_voxels": is_voxels,
        "marks": is_voxels and stage_of(project) == MARK,
        "faults": [by_line(fault) for fault in error.faults or [Fault("#", error.detail)]]
        if error and not is_generating
        else [],
        "typed": _typed_again(request) if error and not is_generating else "",
        "generated": shown_again(GENERATED, request.POST, errors)
        if is_generating
        else shown(GENERATED, {"n": 20, "seed": 0}),
        "errors": errors,
        "tasks": tasks[:NEWEST],
        "task_count": tasks.count(),
        "reference_count": tasks.filter(is_reference=True).count(),
    }
    return render(request, "staff/setup/material/lists.html", ctx, status=status)


def _typed_again(request: HttpRequest) -> str:
    """The refused list, so that it can be mended in the page. A file's text stands there too."""
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("list", "")
    file.seek(0)
    return bytes(file.read(MOST_SHOWN_AGAIN)).decode("utf-8-sig", errors="replace")
