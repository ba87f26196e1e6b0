"""The editor of a project's instructions: Markdown pages with pictures, a preview, and all versions.

The form works without a script: each button sends the typed text to the server and gets it back; only "Save" stores it.
With scripts the preview is updated while typing (`frontend/src/page/preview.ts`).
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.db.models import Max, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.roles import Role, may_in, project_for
from annotation.models import InstructionVersion, Picture, Project
from annotation.offer import information_page, instructions
from annotation.offer.experiments import MOST_CHARACTERS, arms_of
from annotation.offer.instruction_pictures import keep_picture
from annotation.offer.instructions import Comparison
from common.markdown import render_markdown
from lib.faults import Conflict, Invalid, TooLarge
from web.staff.decorators import paged, staff_actor, staff_only
from web.staff.setup.steps import after, steps_of

PICTURE_WAIT_S, PICTURE_POLL_S = 5.0, 0.1
"""How long a request waits for the job of an added picture, and how often it looks."""


class PageForm(NamedTuple):
    """One page in the form."""

    number: int
    text: str
    html: SafeString
    error: str


class VersionRow(NamedTuple):
    """A version in the list, with its changes to the version before."""

    version: InstructionVersion
    comparisons: list[Comparison]
    is_first: bool


@staff_only
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """The editor. A POST does what its button says; only "save" stores pages, and "add picture" stores a picture."""
    project = project_for(request.user, slug, Role.ADMIN)
    if request.method != "POST":
        return _page(request, project, list(project.instructions) or [""], based_on=_number(project))
    pages = [text.replace("\r\n", "\n") for text in request.POST.getlist("page")] or [""]
    based_on = _whole(request.POST.get("based_on", ""))
    act, _, place = request.POST.get("act", "preview").partition(":")
    index = min(_whole(place), len(pages) - 1)
    if act in {"save", "on"}:
        return _save(request, project, pages, based_on=based_on, then=after(project, "words") if act == "on" else "")
    if act == "picture":
        return _add_picture(request, project, pages, based_on=based_on)
    return _page(request, project, _rearranged(pages, act, index), based_on=based_on, is_unsaved=True)


def _rearranged(pages: list[str], act: str, index: int) -> list[str]:
    """The pages after a button that moves, adds or removes a page; unchanged after any other button."""
    match act:
        case "add":
            return [*pages[: index + 1], "", *pages[index + 1 :]]
        case "remove":
            return [*pages[:index], *pages[index + 1 :]] or [""]
        case "up" if index > 0:
            return [*pages[: index - 1], pages[index], pages[index - 1], *pages[index + 1 :]]
        case "down" if index < len(pages) - 1:
            return [*pages[:index], pages[index + 1], pages[index], *pages[index + 2 :]]
    return pages


def _save(request: HttpRequest, project: Project, pages: list[str], *, based_on: int, then: str) -> HttpResponse:
    try:
        version = instructions.change(
            project=project, pages=pages, based_on=based_on, by=staff_actor(request), at=timezone.now()
        )
    except Invalid as error:
        return _page(request, project, pages, based_on=based_on, is_unsaved=True, error=error)
    except Conflict as error:
        # The author has now been told of the other version, so the next save replaces it.
        project.refresh_from_db()
        return _page(request, project, pages, based_on=_number(project), is_unsaved=True, error=error)
    if version.number != based_on:
        messages.success(request, f"✓ Saved as version {version.number}. Workers see it when they next open the page.")
    elif not then:
        messages.info(request, "Nothing changed, so there is no new version.")
    return redirect(then) if then else redirect("staff-instructions", project.slug)


def _add_picture(request: HttpRequest, project: Project, pages: list[str], *, based_on: int) -> HttpResponse:
    """Store the picture and insert it at the end of a page. The pages themselves are not saved."""
    words = " ".join(request.POST.get("words", "").split()).replace("[", "(").replace("]", ")")
    index = min(_whole(request.POST.get("into", "")), len(pages) - 1)
    file = request.FILES.get("picture")
    try:
        if file is None:
            raise Invalid.at("#/picture", "Choose a file first.")
        if not words:
            raise Invalid.at("#/words", "Say in a few words what the picture shows, for whoever cannot see it.")
        picture = _outcome_of(keep_picture(file=file, at=timezone.now()))
    except (Invalid, TooLarge) as error:
        return _page(request, project, pages, based_on=based_on, is_unsaved=True, picture_error=error, words=words)
    if picture.state == Picture.State.WAITING:
        messages.info(request, "The picture is still being prepared. Preview the pages in a moment to see it.")
    pages[index] = f"{pages[index].rstrip()}\n\n![{words}](/pictures/{picture.digest})\n".lstrip("\n")
    return _page(request, project, pages, based_on=based_on, is_unsaved=True)


def _outcome_of(picture: Picture) -> Picture:
    """The picture after its job, which most often takes less than a second; it may wait still.

    Raises:
        Invalid: the job refused it.
    """
    deadline = time.monotonic() + PICTURE_WAIT_S
    while picture.state == Picture.State.WAITING and time.monotonic() < deadline:
        time.sleep(PICTURE_POLL_S)
        picture.refresh_from_db()
    if picture.state == Picture.State.REFUSED:
        raise Invalid.at("#/picture", picture.problem)
    return picture


def _page(
    request: HttpRequest,
    project: Project,
    pages: Sequence[str],
    *,
    based_on: int,
    is_unsaved: bool = False,
    error: Invalid | Conflict | None = None,
    picture_error: Invalid | TooLarge | None = None,
    words: str = "",
) -> HttpResponse:
    faults = {fault.pointer: fault.detail for fault in error.faults} if error else {}
    found = error or picture_error
    ctx = {
        "section": "projects",
        "project": project,
        "steps": steps_of(project, "words"),
        "pages": [
            PageForm(number, text, render_markdown(text), faults.get(f"#/pages/{number}", ""))
            for number, text in enumerate(pages)
        ],
        "based_on": based_on,
        "is_unsaved": is_unsaved,
        "error": _sentence(error, general=faults.get("#/pages", "")),
        "picture_error": _sentence(picture_error),
        "words": words,
        "most_characters": MOST_CHARACTERS,
        "most_megapixels": settings.PICTURE_MAX_PIXELS // 1_000_000,
        "below": render_markdown(information_page.notes_of(project))
        if project.consent_page is None and project.serves_references
        else "",
    }
    return render(request, "staff/projects/instructions.html", ctx, status=found.status if found else 200)


def _sentence(error: Invalid | Conflict | TooLarge | None, *, general: str = "") -> str:
    if error is None:
        return ""
    if general or not error.faults:
        return general or error.detail
    return error.faults[0].detail


@staff_only
@require_POST
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """One page as the worker will see it, as a piece of HTML for the editor."""
    project_for(request.user, slug, Role.ADMIN)
    text = request.POST.get("page", "")[:MOST_CHARACTERS]
    return HttpResponse(render_markdown(text))


@staff_only
@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """All versions with their changes, newest first; or two versions compared."""
    project = project_for(request.user, slug)
    page = paged(request, project.instruction_versions.order_by("-number"), size=20)
    shown = list(page.object_list)
    before = _before(project, shown)
    rows = [
        VersionRow(
            version,
            instructions.compare(_pages_of(before.get(version.pk)), version.pages),
            is_first=version.pk not in before,
        )
        for version in shown
    ]
    old, new = _whole(request.GET.get("from", "")), _whole(request.GET.get("to", ""))
    ctx = {
        "section": "projects",
        "project": project,
        "page": page,
        "rows": rows,
        "present": _number(project),
        "last": project.instruction_versions.aggregate(last=Max("number"))["last"],
        "of_arms": _numbers_of_arms(project),
        "old": old,
        "new": new,
        "compared": instructions.compare(
            instructions.instruction_version_numbered(project, old).pages,
            instructions.instruction_version_numbered(project, new).pages,
        )
        if old and new
        else None,
        "may_change": may_in(request.user, project, Role.ADMIN),
    }
    return render(request, "staff/projects/instruction_versions.html", ctx)


@staff_only
@require_POST
def restore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Restore an earlier version: its content becomes a new version."""
    project = project_for(request.user, slug, Role.ADMIN)
    earlier = instructions.instruction_version_numbered(project, number)
    if earlier.arm:
        raise Conflict("This version is of an arm, whose instructions come with the experiment in the project's PUT.")
    version = instructions.change(
        project=project,
        pages=earlier.pages,
        based_on=_number(project),
        by=staff_actor(request),
        at=timezone.now(),
    )
    messages.success(request, f"✓ Version {number} is back, as version {version.number}.")
    return redirect("staff-instruction-versions", slug)


@staff_only
@require_safe
def consent_versions(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's information pages, newest first, with the numbers of agreements and withdrawals."""
    project = project_for(request.user, slug)
    ctx = {
        "section": "projects",
        "project": project,
        "rows": [
            (version, agreed, withdrew, render_markdown(version.page.text), render_markdown(version.page.notes))
            for version, agreed, withdrew in information_page.versions_of(project)
        ],
    }
    return render(request, "staff/projects/consent_versions.html", ctx)


def _before(project: Project, shown: Sequence[InstructionVersion]) -> dict[int, InstructionVersion]:
    """For each version the one before it in the same arm, by id; the first of an arm has none. 2 queries."""
    same = InstructionVersion.objects.filter(project=project, arm=OuterRef("arm"), number__lt=OuterRef("number"))
    earlier = project.instruction_versions.annotate(earlier=Subquery(same.order_by("-number").values("pk")[:1]))
    ids = dict(earlier.filter(pk__in=[version.pk for version in shown]).values_list("pk", "earlier"))
    found = InstructionVersion.objects.in_bulk([pk for pk in ids.values() if pk is not None])
    return {pk: found[of] for pk, of in ids.items() if of is not None}


def _numbers_of_arms(project: Project) -> set[int]:
    """The present versions of arms that have instructions of their own. 1 query if there is such an arm."""
    names = [arm.name for arm in arms_of(project) if arm.instructions is not None]
    if not names:
        return set()
    last = project.instruction_versions.filter(arm__in=names).order_by().values("arm").annotate(last=Max("number"))
    return set(last.values_list("last", flat=True))


def _number(project: Project) -> int:
    """The number of the present version; 0 if there is none."""
    return project.instruction_version.number if project.instruction_version else 0


def _pages_of(version: InstructionVersion | None) -> list[str]:
    return list(version.pages) if version else []


def _whole(text: str) -> int:
    """A whole number in the form; 0 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
