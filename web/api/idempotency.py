"""`Idempotency-Key` on any POST of the API: a repeated request gets the first answer again.

Answers are kept for 24 hours per credential, in the database, so that a retry is safe even after a crash. Refusals
(4xx) and failures (5xx) are not kept: the request changed nothing, so it may be tried again.
"""

import hashlib
import re
from collections.abc import Callable, Set
from datetime import datetime, timedelta
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from agents.models import Reply
from common.redaction import Mentions
from lib.faults import Conflict, Invalid
from web.http.problems import problem_of, problem_page

KEPT = timedelta(hours=24)
STUCK = timedelta(minutes=5)
"""An unanswered first request that is older than this is given up: its process was probably killed."""
_SECRET = re.compile(r"[\w-]{20,}")


class IdempotencyMiddleware:
    """Keeps and repeats the answer to each POST under `/api/v1/` that has a key."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.headers.get("Idempotency-Key", "")
        if request.method != "POST" or not key or not request.path.startswith("/api/v1/"):
            return self.get_response(request)
        if len(key) > 255:
            return _refused(request, Invalid("An Idempotency-Key has 255 characters at most."))
        credential = hashlib.sha256(request.headers.get("Authorization", "").encode()).hexdigest()
        fingerprint = _fingerprint(request)
        now = timezone.now()
        try:
            with transaction.atomic():
                reply = Reply.objects.create(credential=credential, key=key, fingerprint=fingerprint, created_at=now)
        except IntegrityError:
            earlier = Reply.objects.get(credential=credential, key=key)
            age = now - earlier.created_at
            if age < KEPT and not (earlier.status is None and age > STUCK):
                return self._again(request, earlier, fingerprint)
            # Of several retries, the one whose UPDATE changes the row takes over the dead or expired key.
            taken = Reply.objects.filter(pk=earlier.pk, created_at=earlier.created_at).update(
                fingerprint=fingerprint, status=None, body="", created_at=now
            )
            if not taken:
                return _refused(request, Conflict("The first request with this Idempotency-Key is still running."))
            reply = earlier
        return self._first(request, reply)

    def _first(self, request: HttpRequest, reply: Reply) -> HttpResponse:
        try:
            response = self.get_response(request)
        except BaseException:
            reply.delete()
            raise
        if 200 <= response.status_code < 300:
            Reply.objects.filter(pk=reply.pk).update(
                status=response.status_code,
                content_type=response.get("Content-Type", ""),
                body=response.content.decode(),
            )
        else:
            reply.delete()
        return response

    def _again(self, request: HttpRequest, earlier: Reply, fingerprint: str) -> HttpResponse:
        if earlier.fingerprint != fingerprint:
            return _refused(request, Conflict("This Idempotency-Key came before with another body."))
        if earlier.status is None:
            return _refused(request, Conflict("The first request with this Idempotency-Key is still running."))
        response = HttpResponse(earlier.body, status=earlier.status, content_type=earlier.content_type)
        response["Idempotent-Replayed"] = "true"
        return response


def forget_old(*, at: datetime) -> int:
    """Delete replies that are older than a day. Returns how many."""
    return Reply.objects.filter(created_at__lt=at - KEPT).delete()[0]


def forget_mentions(*, mentions: Mentions, digests: Set[str]) -> int:
    """Delete replies that name the person, or contain a secret with one of these SHA-256 digests. Returns how many.

    Costs: reads every kept reply, those of one day at most.
    """
    rows = Reply.objects.values_list("pk", "key", "body").iterator(chunk_size=500)
    found = [pk for pk, key, body in rows if mentions.within(f"{key} {body}") or _holds(body, digests)]
    return Reply.objects.filter(pk__in=found).delete()[0]


def _holds(body: str, digests: Set[str]) -> bool:
    return any(hashlib.sha256(word.encode()).hexdigest() in digests for word in _SECRET.findall(body))


def _refused(request: HttpRequest, error: Conflict | Invalid) -> HttpResponse:
    body = problem_of(error)
    assert body is not None  # noqa: S101 - our own errors always have a problem
    return problem_page(request, body)


def _fingerprint(request: HttpRequest) -> str:
    """A digest of the request.

    A multipart body is digested by its parts, because its boundary changes with each retry.
    """
    sha = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    if request.content_type == "multipart/form-data":
        for name in sorted(request.POST):
            for value in request.POST.getlist(name):
                sha.update(f"{name}={value}\n".encode())
        for name in sorted(request.FILES):
            for file in request.FILES.getlist(name):
                sha.update(f"{name}:{file_digest(file)}\n".encode())
        return sha.hexdigest()
    sha.update(request.body)
    return sha.hexdigest()


def file_digest(file: "UploadedFile[Any]") -> str:
    """The SHA-256 (hex) of an uploaded file. The file is read in chunks and rewound."""
    sha = hashlib.sha256()
    for chunk in file.chunks():
        sha.update(chunk)
    file.seek(0)
    return sha.hexdigest()
