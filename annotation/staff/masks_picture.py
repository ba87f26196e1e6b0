"""Pictures of scenes with what was marked in them."""

from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from annotation import roles
from annotation.models import SceneTask, Task
from annotation.tools.voxels.agreement import mask_of
from annotation.voxels.dataset import agent_mask_of
from annotation.voxels.mask import Keys
from annotation.voxels.picture import VERSION, picture_of
from annotation.voxels.picture_svg import svg_of
from annotation.voxels.store import scene_named
from common.errors import NotFound
from common.staff import staff_only

A_DAY_S = 24 * 3600


def address_of(task: Task) -> str:
    """Where the picture of a task is; another one as soon as something else is shown in it."""
    digest: str = task.payload["scene"]
    return f"{reverse('staff-scene-picture', args=[digest])}?task={task.pk}&v={_tag(digest, shown_mask(task))}"


def shown_mask(task: Task) -> Keys | None:
    """What is marked in the picture of a task: the truth, else what it has come to, else what the agent saw."""
    truth, consensus = getattr(task, "truth", None), getattr(task, "consensus", None)
    known = truth.answers[0] if truth and truth.answers else consensus.answer if consensus else {}
    mask = mask_of(known)
    return agent_mask_of(task) if mask is None else mask


def scene_picture(request: HttpRequest, digest: str) -> HttpResponseBase:
    """A scene as it is, or with `?task=` as that task shows it; for accounts that see a project which shows it."""
    response = _picture(request, digest)
    if response.status_code in {200, 304}:
        # Staff pages are never kept; here whatever the address says with `v` stays true.
        response["Cache-Control"] = "private, no-cache"
        if response.get("ETag") == quote_etag(request.GET.get("v", "")):
            response["Cache-Control"] = f"private, max-age={A_DAY_S}, immutable"
        del response["Expires"]
    return response


@staff_only
@require_safe
def _picture(request: HttpRequest, digest: str) -> HttpResponseBase:
    task = _task_showing(request, digest)
    mask = shown_mask(task) if task else None
    etag = quote_etag(_tag(digest, mask))
    known = get_conditional_response(request, etag=etag)
    if known is not None:
        return known
    title = f"Scene with “{task.payload.get('phrase', '')}”" if task else "Scene"
    svg = svg_of(picture_of(scene_named(digest), mask), title=title)
    return HttpResponse(svg, content_type="image/svg+xml; charset=utf-8", headers={"ETag": etag})


def _task_showing(request: HttpRequest, digest: str) -> Task | None:
    """The task that the address names; None where it names none.

    Raises:
        NotFound: no task of a project that the account sees shows this scene, or that task does not.
    """
    shown = SceneTask.objects.filter(scene__digest=digest, task__project__in=roles.projects_for(request.user))
    name = request.GET.get("task", "")
    if not name:
        if not shown.exists():
            raise NotFound
        return None
    if not (name.isascii() and name.isdigit() and len(name) <= 18):
        raise NotFound
    found = shown.select_related("task__truth", "task__consensus").filter(task=int(name)).first()
    if found is None:
        raise NotFound
    return found.task


def _tag(digest: str, mask: Keys | None) -> str:
    """What the picture is of, in few characters."""
    return sha256(f"{VERSION} {digest} ".encode() + (b"-" if mask is None else mask.tobytes())).hexdigest()[:20]
