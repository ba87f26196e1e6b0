"""The masks of a project: the result of each phrase, the agreement of workers, downloads, and import of scenes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Case, IntegerField, Q, QuerySet, When
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access import roles
from annotation.access.roles import Role
from annotation.datasets.annotations import as_lines
from annotation.datasets.masks import as_list, dataset_rows, scene_list, settled_masks
from annotation.datasets.masks_import import KINDS, MOST_SCENES, import_payloads
from annotation.models import Annotation, Project, Task
from annotation.tools.voxels.agreement import ABSENT, agent_mask_of, mask_of
from annotation.tools.voxels.tool import voxels
from lib.faults import Conflict, Invalid, NotFound, TooLarge
from lib.strict_json import parse_json
from lib.voxels.likeness import between, mean_of
from lib.voxels.mask import Keys
from lib.voxels.overlap import iou
from web.api import mask_files
from web.http.exports import exported
from web.http.keyset_pages import Part, counted, window
from web.staff.datasets import masks_figures
from web.staff.datasets.masks_picture import address_of
from web.staff.decorators import chosen, staff_actor, staff_only
from web.staff.figure_files import file_asked

ROWS = 25
"""Rows on a page. Each has a picture and all its answers."""
MOST_COUNTED = 10_000
MOST_BYTES = 10_000_000
MOST_FAULTS = 50
UNSURE_BELOW = 0.8
"""Workers count as disagreeing if their answers' mean IoU with the result is below this."""
ORDINARY, REFERENCE = "task", "reference"
KINDS_SHOWN = ((ORDINARY, "tasks only"), (REFERENCE, "references only"))
DIFFER, NOT_THERE, AGENT = "differ", "absent", "agent"
SHOWN = (
    (DIFFER, f"workers differ (sure below {UNSURE_BELOW:.0%})"),
    (NOT_THERE, "it is not there"),
    (AGENT, "with the agent's mask"),
)
AS_WORDS = {
    "tasks": "tasks: each phrase is to be marked",
    "references": "references: these masks are right",
    "agent_masks": "tasks, with these as the agent's masks",
}
LINES, ARRAYS, SCENES = "jsonl", "npz", "scenes"


class MaskRow(NamedTuple):
    """A task in the list. IoUs are None if there is nothing to compare.

    `absents` of the `answers` say that nothing is there.
    """

    task: Task
    phrase: str
    picture: str
    answers: int
    absents: int
    iou: float | None
    tolerant: float | None
    agent: float | None


def project_with_masks(request: HttpRequest, slug: str, role: Role = Role.VIEWER) -> Project:
    """The project, if the account has at least this role in it; 404 if its tool marks no voxels."""
    found = roles.project_for(request.user, slug, role)
    if not voxels.marks_in(found):
        raise NotFound
    return found


@staff_only
@require_safe
def masks(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_with_masks(request, slug)
    figures = masks_figures.figures_of(project, named=partial(roles.name_of, request.user))
    if (file := file_asked(request, figures)) is not None:
        return file
    return _page(request, project)


def _page(request: HttpRequest, project: Project, *, status: int = 200, **more: Any) -> HttpResponse:
    kind = chosen(request, "kind", [value for value, _ in KINDS_SHOWN])
    only = chosen(request, "only", [value for value, _ in SHOWN])
    search = request.GET.get("q", "").strip()
    rows = _narrowed(project, kind, only, search)
    page = window(request, [Part(rows, ("id",), is_descending=True)], size=ROWS)
    named = partial(roles.name_of, request.user)
    of_workers = masks_figures.by_worker(project)
    plots = {
        "references": masks_figures.references(project),
        "between-workers": masks_figures.between_workers(project),
        "workers": masks_figures.workers(of_workers, named=named),
    }
    ctx = {
        "section": "projects",
        "project": project,
        "rows": _rows(page.rows),
        "following": page.following,
        "preceding": page.preceding,
        "total": counted(rows, most=MOST_COUNTED),
        "totals": _totals(project),
        "kind": kind,
        "kinds": KINDS_SHOWN,
        "only": only,
        "shown": SHOWN,
        "q": search,
        "is_narrowed": bool(kind or only or search),
        "figures": [(name, figure) for name, figure in plots.items() if not figure.is_empty],
        "of_workers": of_workers[: masks_figures.MOST_ROWS],
        "newest": masks_figures.NEWEST_MASKS,
        "may_import": roles.may_in(request.user, project, Role.REVIEWER),
        "as_words": AS_WORDS.items(),
        "most_scenes": MOST_SCENES,
        "most_faults": MOST_FAULTS,
        "as_kind": "tasks",
        "key_prefix": "imported",
        **more,
    }
    return render(request, "staff/datasets/masks.html", ctx, status=status)


def _narrowed(project: Project, kind: str, only: str, search: str) -> QuerySet[Task]:
    rows = Task.objects.filter(project=project).select_related("project", "consensus", "truth")
    if kind:
        rows = rows.filter(is_reference=kind == REFERENCE)
    if only == DIFFER:
        rows = rows.filter(consensus__confidence__lt=UNSURE_BELOW)
    elif only == NOT_THERE:
        rows = rows.filter(consensus__answer__has_key=ABSENT)
    elif only == AGENT:
        rows = rows.filter(payload__has_key="agent_mask")
    if search:
        rows = rows.filter(Q(key__contains=search) | Q(scene_task__phrase__icontains=search))
    return rows


def _totals(project: Project) -> Mapping[str, Any]:
    """Counts over the newest MOST_COUNTED settled tasks: all, those with an absent object, and mean confidence.

    1 query.
    """
    is_absent = Case(When(consensus__answer__has_key=ABSENT, then=1), default=0, output_field=IntegerField())
    newest = settled_masks(project).select_related(None).order_by("-pk").annotate(is_absent=is_absent)
    rows = list(newest.values_list("is_absent", "consensus__confidence")[:MOST_COUNTED])
    sure = mean_of([confidence for _, confidence in rows])
    return {"settled": sure.n, "absent": sum(absent for absent, _ in rows), "sure": sure.value}


def _rows(tasks: Sequence[Task]) -> list[MaskRow]:
    """The rows of the list. 1 query."""
    said: dict[int, list[Keys]] = {}
    answers = Annotation.objects.counting().filter(task__in=[task.pk for task in tasks]).order_by("number")
    for pk, answer in answers.values_list("task_id", "answer"):
        mask = mask_of(answer)
        if mask is not None:
            said.setdefault(pk, []).append(mask)
    return [_row(task, said.get(task.pk, [])) for task in tasks]


def _row(task: Task, said: Sequence[Keys]) -> MaskRow:
    pairs = between(said)
    consensus = getattr(task, "consensus", None)
    known = mask_of(consensus.answer) if consensus and consensus.settled_at else None
    agent = agent_mask_of(task)
    return MaskRow(
        task=task,
        phrase=task.payload.get("phrase", ""),
        picture=address_of(task),
        answers=len(said),
        absents=sum(not mask.size for mask in said),
        iou=mean_of([pair.iou for pair in pairs]).value,
        tolerant=mean_of([pair.tolerant for pair in pairs]).value,
        agent=None if agent is None or known is None else iou(agent, known),
    )


# Files ---------------------------------------------------------------------------------------------------------


@staff_only
@require_safe
def download(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The dataset as a file: `?form=jsonl`, `npz` (with `&after=`), `scenes`."""
    project = project_with_masks(request, slug)
    form = chosen(request, "form", [LINES, ARRAYS, SCENES]) or LINES
    if form == ARRAYS:
        after = request.GET.get("after", "")
        return mask_files.arrays(request, project, by=staff_actor(request), after=after)
    is_scenes = form == SCENES
    return exported(
        request,
        as_list(scene_list(project)) if is_scenes else as_lines(dataset_rows(project, with_shares=True)),
        what="scenes" if is_scenes else "masks",
        by=staff_actor(request),
        project=project.slug,
        content_type="application/json" if is_scenes else "application/x-ndjson",
        filename=f"{project.slug}-scene_list.json" if is_scenes else f"{project.slug}-masks.jsonl",
    )


@staff_only
@require_POST
def import_masks(request: HttpRequest, slug: str) -> HttpResponse:
    """Import scenes in droidlet's format from a file, as tasks. If one scene is wrong, no task is created."""
    project = project_with_masks(request, slug, Role.REVIEWER)
    kind, prefix = request.POST.get("as", ""), request.POST.get("key_prefix", "").strip()
    try:
        made = import_payloads(
            project=project,
            payloads=_payloads_of(request.FILES.get("file")),
            kind=kind,
            key_prefix=prefix,
            by=staff_actor(request),
            at=timezone.now(),
        )
    except (Conflict, Invalid, TooLarge) as error:
        faults = [(_place_of(fault.pointer), fault.detail) for fault in error.faults]
        problem = {"detail": error.detail, "faults": faults[:MOST_FAULTS], "more": max(len(faults) - MOST_FAULTS, 0)}
        kept = {"as_kind": kind if kind in KINDS else "tasks", "key_prefix": prefix}
        return _page(request, project, problem=problem, status=error.status, **kept)
    known = f", {made.unchanged} were there already" if made.unchanged else ""
    passed = f" Passed over: {', '.join(made.ignored[:10])}." if made.ignored else ""
    what = "reference" if kind == "references" else "task"
    messages.success(request, f"✓ {made.created} {what}{'s' * (made.created != 1)} made{known}.{passed}")
    return redirect("staff-masks", slug)


def _payloads_of(file: Any) -> list[Any]:
    """The scenes in a file: a list of scenes, an object with a list under `scenes`, or one scene."""
    if file is None:
        raise Invalid.at("#/file", "Choose a file first.")
    if (file.size or 0) > MOST_BYTES:
        raise TooLarge(f"A file has at most {MOST_BYTES:,} bytes.")
    try:
        found = parse_json(file.read())
    except ValueError as error:
        raise Invalid.at("#/file", f"This file is not JSON: {error}.") from None
    if isinstance(found, dict) and isinstance(found.get("scenes"), list):
        found = found["scenes"]
    return found if isinstance(found, list) else [found]


def _place_of(pointer: str) -> str:
    """A pointer in words.

    >>> _place_of("#/scenes/0/inst_seg_tags/1/locs"), _place_of("#/scenes/4"), _place_of("#/scenes"), _place_of("#/as")
    ('scene 1, inst_seg_tags/1/locs', 'scene 5', 'scenes', 'as')
    """
    head, _, rest = pointer.removeprefix("#/").partition("/")
    number, slash, path = rest.partition("/")
    if head != "scenes" or not number.isdigit():
        return head
    return f"scene {int(number) + 1}, {path}" if slash else f"scene {int(number) + 1}"
