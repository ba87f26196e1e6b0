"""Uploads of videos from the browser, in parts: each whole upload becomes an episode of the project's suite."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access.roles import Role, project_for
from common.serializers import read
from evaluation import uploads
from evaluation.episodes import post_own_video
from evaluation.models import Feed
from lib.faults import CrosswalkError, Invalid
from web.api.episodes import EpisodeReference
from web.api.uploads import CompleteBody
from web.staff.decorators import staff_only


@staff_only
@require_POST
def begin_upload(request: HttpRequest, slug: str) -> HttpResponse:
    """Announce a file; the answer has the address to which each part is put."""
    project_for(request.user, slug, Role.ADMIN)
    filename, size = request.POST.get("filename", "").replace("\0", "")[:255], request.POST.get("bytes", "")
    if not filename or not (size.isascii() and size.isdigit() and len(size) < 16 and int(size)):
        return JsonResponse({"error": "This file is empty."}, status=422)
    try:
        upload = uploads.begin(filename=filename, size=int(size), at=timezone.now())
    except CrosswalkError as error:
        return JsonResponse({"error": error.detail}, status=error.status)
    addresses = [_without_host(part["url"]) for part in uploads.parts_of(upload)]
    return JsonResponse({"upload": upload.public_id, "part_bytes": settings.UPLOAD_PART_BYTES, "parts": addresses})


def _without_host(address: str) -> str:
    """The path and the query: a page sends the parts to the host from which it came."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


@staff_only
@require_POST
def post_video(request: HttpRequest, slug: str) -> HttpResponse:
    """Post a whole upload as an episode."""
    project = project_for(request.user, slug, Role.ADMIN)
    try:
        feed = Feed.objects.select_related("suite").filter(project=project).first()
        if feed is None:
            raise Invalid("This project has no suite yet. Load the page again.")
        parts = _parts(request.POST.get("etags", ""))
        episode, is_new = post_own_video(
            upload=uploads.upload_named(request.POST.get("upload", "")),
            parts=parts,
            suite=feed.suite.slug,
            scenario=request.POST.get("scenario", ""),
            agent=request.POST.get("agent", ""),
            reference=known_outcome(request.POST.get("outcome", ""), request.POST.get("moment", "")),
            at=timezone.now(),
        )
    except CrosswalkError as error:
        return JsonResponse({"error": error.reasons}, status=error.status)
    return JsonResponse({"episode": reverse("staff-episode", args=[episode.external_id]), "is_new": is_new})


def known_outcome(outcome: str, moment: str) -> dict[str, Any] | None:
    """The known outcome of the videos, and its moment; None where people shall judge them."""
    if not outcome:
        return None
    try:
        time_s = float(moment.replace(",", ".")) if moment.strip() else None
    except ValueError:
        raise Invalid("The moment of the known outcome is a number of seconds.") from None
    return read(EpisodeReference, {"outcome": outcome, "time_s": time_s})


def _parts(text: str) -> list[dict[str, Any]]:
    """The parts and their tags, from the JSON list of the tags in their order."""
    try:
        tags = json.loads(text)
    except ValueError:
        raise Invalid("The tags of the parts are missing.") from None
    numbered = [{"number": number, "etag": tag} for number, tag in enumerate(tags, start=1)]
    parts: list[dict[str, Any]] = read(CompleteBody, {"parts": numbered})["parts"]
    return parts
