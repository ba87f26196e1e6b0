"""Pictures of scenes with their marked voxels."""

from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from annotation.access import roles
from annotation.models import SceneTask, Task
from annotation.scene_store import scene_named
from annotation.tools.voxels.agreement import agent_mask_of, mask_of
from lib.faults import NotFound
from lib.voxels.mask import Keys
from lib.voxels.picture import VERSION, picture_of, svg_of
from web.staff.decorators import staff_only

A_DAY_S = 24 * 3600


def address_of(task: Task) -> str:
    """The address of a task's picture. It changes whenever the marked voxels change."""
    digest: str = task.payload["scene"]
    return f"{reverse('staff-scene-picture', args=[digest])}?task={task.pk}&v={_tag(digest, shown_mask(task))}"


def shown_mask(task: Task) -> Keys | None:
    """The mask in a task's picture: the truth, or the consensus, or what the agent marked."""
    truth, consensus = getattr(task, "truth", None), getattr(task, "consensus", None)
    known = truth.answers[0] if truth and truth.answers else consensus.answer if consensus else {}
    mask = mask_of(known)
    return agent_mask_of(task) if mask is None else mask


def scene_picture(request: HttpRequest, digest: str) -> HttpResponseBase:
    """A scene, or with `?task=` the scene with that task's mask.

    The account must have a role in a project with the scene.
    """
    response = _picture(request, digest)
    if response.status_code in {200, 304}:
        # Staff pages are never cached, but a picture with `v` in its address never changes.
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
    """The task that the address names; None if it names none.

    Raises:
        NotFound: no task of the account's projects shows this scene, or the named task does not.
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
    """A short digest of the picture's content."""
    return sha256(f"{VERSION} {digest} ".encode() + (b"-" if mask is None else mask.tobytes())).hexdigest()[:20]
