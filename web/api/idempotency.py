"""`Idempotency-Key` on any POST of the API: a repeated request gets the first answer again.

The credential is checked first, so a revoked key gets 401 and no kept answer. Answers are kept for 24 hours at least
per credential, in the database. Refusals (4xx) and failures (5xx) are not kept: the request changed nothing, so it may
be tried again. Of an answer with a secret (`Cache-Control: no-store`) only the fingerprint of its request is kept: a
repeat runs again, which such an endpoint allows.

What is guaranteed, also where the process is killed at any moment:

- An endpoint whose work is a short write (`commits_with_answer`, the default) runs in one transaction with the keeping
  of its answer: either both are there, or neither is. So its work is done exactly once, and if the answer cannot be
  kept, nothing is saved. A first request that goes on for longer than `STUCK`, so that a repeat took over its key,
  saves nothing either.
- An endpoint whose work takes long, or that writes nothing, does its own transactions, and its answer is kept in
  another one after them, since one transaction around all would hold SQLite's only writer meanwhile. If the process is
  killed between the two, the work is done and a repeat after `STUCK` does it again. Each of these endpoints therefore
  finds what it wrote before by a name that the caller chose, or by its content, and writes no second one.
- In both cases an error rolls back what it would roll back without a key, and what is to happen after the commit
  (`transaction.on_commit`) happens after the commit.
"""

import gzip
import hashlib
import logging
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.utils import timezone
from rest_framework.exceptions import APIException

from agents.models import Reply
from common.redaction import Mentions
from lib.faults import Conflict, CrosswalkError, Invalid, TooManyRequests
from lib.name_patterns import IDEMPOTENCY_KEY
from web.http.endpoints import Endpoint, admitted_endpoint
from web.http.problems import refused

logger = logging.getLogger(__name__)
PROMISED = timedelta(hours=24)
WRONG_BY = timedelta(days=1)
"""How far the server's clock may be ahead or behind for a while without ending that promise."""
KEPT = PROMISED + 2 * WRONG_BY
STUCK = timedelta(minutes=5)
"""An unanswered first request that is older than this is given up: its process was probably killed."""
_RUNNING = "The first request with this Idempotency-Key is still running."
NEVER_KEPT = {"Cache-Control": "no-store"}
"""The headers of an answer with a secret (RFC 9111, section 5.2.2.5)."""


def digest_of(request: HttpRequest) -> str:
    """A digest of the credential and the `Idempotency-Key`; "" without a key.

    For endpoints whose answer has a secret, and is therefore not kept: they find by it what the first request made.
    """
    key = request.headers.get("Idempotency-Key", "")
    said = f"{request.headers.get('Authorization', '')}\n{key}"
    return hashlib.sha256(said.encode()).hexdigest() if key else ""


class IdempotencyMiddleware:
    """Keeps and repeats the answer to each POST under `/api/v1/` that has a key."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        _finish(request, response)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """The kept answer, a refusal, or the answer of an endpoint that commits with it; None if the endpoint shall
        answer by itself.

        This is the last of the middleware that sees the view, so that nothing else would still refuse the request.
        """
        key = request.headers.get("Idempotency-Key")
        if request.method != "POST" or key is None or not request.path.startswith("/api/v1/"):
            return None
        endpoint = _admitted(request, view, args, kwargs)
        if endpoint is None:
            return None
        if not re.fullmatch(IDEMPOTENCY_KEY, key):
            return refused(request, Invalid("An Idempotency-Key has 1 to 255 printable characters of ASCII."))
        answer = _begin(request, key)
        if answer is not None:
            # The endpoint does not run, so the request is counted here.
            try:
                endpoint.check_throttles(endpoint.request)
            except TooManyRequests as refusal:
                return refused(request, refusal)
            return answer
        reply = _first(request)
        if reply is None or not endpoint.commits_with_answer:
            return None
        return _answer_and_keep(request, reply, lambda: view(request, *args, **kwargs))


def _admitted(
    request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Endpoint | None:
    """The endpoint; None if it does not accept the credential, so that it itself answers with the refusal."""
    if not hasattr(view, "cls"):
        return None
    try:
        endpoint = admitted_endpoint(view, request, args, kwargs)
        return endpoint if isinstance(endpoint, Endpoint) else None
    except (CrosswalkError, APIException, Http404):
        return None


def _begin(request: HttpRequest, key: str) -> HttpResponse | None:
    """Note that the request runs and return None, or return the answer to an earlier request with its key."""
    credential = hashlib.sha256(request.headers.get("Authorization", "").encode()).hexdigest()
    fingerprint = _fingerprint(request)
    now = timezone.now()
    try:
        with transaction.atomic():
            reply = Reply.objects.create(credential=credential, key=key, fingerprint=fingerprint, created_at=now)
    except IntegrityError:
        reply = Reply.objects.get(credential=credential, key=key)
        age = now - reply.created_at
        if age < KEPT and not (reply.status is None and age > STUCK):
            return _again(request, reply, fingerprint)
        # Of several retries, the one whose UPDATE changes the row takes over the dead or expired key; none does if the
        # first request has been answered just now.
        taken = Reply.objects.filter(pk=reply.pk, created_at=reply.created_at, status=reply.status).update(
            fingerprint=fingerprint, status=None, body="", is_secret=False, created_at=now
        )
        if not taken:
            return refused(request, Conflict(_RUNNING))
        reply.created_at = now
    request.first_reply = reply  # type: ignore[attr-defined]
    return None


def _again(request: HttpRequest, earlier: Reply, fingerprint: str) -> HttpResponse | None:
    """The answer to a repeat; None if the first answer had a secret, so that the endpoint must answer anew."""
    if earlier.fingerprint != fingerprint:
        return refused(request, Conflict("This Idempotency-Key came before with another body."))
    if earlier.is_secret:
        return None
    if earlier.status is None:
        return refused(request, Conflict(_RUNNING))
    response = HttpResponse(earlier.body, status=earlier.status, content_type=earlier.content_type)
    response["Idempotent-Replayed"] = "true"
    return response


def _answer_and_keep(request: HttpRequest, reply: Reply, answer: Callable[[], HttpResponse]) -> HttpResponse:
    """The endpoint's answer, kept in the transaction of its work.

    Raises:
        Exception: as the endpoint itself raises, with the writes that it would leave without a key.
    """
    is_kept = False

    def settle() -> None:
        if is_kept:
            request.first_reply = None  # type: ignore[attr-defined]

    with transaction.atomic():
        # Runs before all that the endpoint asks for after the commit: where that fails, the answer stays kept.
        transaction.on_commit(settle)
        outcome = _outcome(answer)
        if isinstance(outcome, HttpResponse) and _is_success(outcome):
            is_kept = _keep(reply, outcome)
            if not is_kept:
                transaction.set_rollback(True)
                outcome = refused(request, Conflict(_RUNNING))
    settle()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _outcome(answer: Callable[[], HttpResponse]) -> HttpResponse | Exception:
    """The endpoint's answer with its body made, or what it raises: an error must not roll back more than it does."""
    try:
        response = answer()
        return response.render() if isinstance(response, SimpleTemplateResponse) else response
    except Exception as error:
        return error


def _is_success(response: HttpResponse) -> bool:
    return 200 <= response.status_code < 300


def _finish(request: HttpRequest, response: HttpResponse) -> None:
    """Keep the first answer if it is a success and not kept yet; otherwise delete the note that the request runs."""
    reply = _first(request)
    if reply is None:
        return
    if not _is_success(response):
        _note_of(reply).delete()
        return
    try:
        _keep(reply, response)
    except DatabaseError:
        # The work itself is committed: an error in its place would say that nothing was saved.
        logger.exception("idempotency.not_kept")


def _first(request: HttpRequest) -> Reply | None:
    """The note that this request runs, the first with its key; None if there is none, or its answer is kept."""
    return getattr(request, "first_reply", None)


def _note_of(reply: Reply) -> "QuerySet[Reply]":
    """The note, unless a repeat has taken it over."""
    return Reply.objects.filter(pk=reply.pk, created_at=reply.created_at, status=None)


def _keep(reply: Reply, response: HttpResponse) -> bool:
    """Keep the answer; False if a repeat has taken the key over. 1 query."""
    is_secret = response.get("Cache-Control") == NEVER_KEPT["Cache-Control"]
    kept = _note_of(reply).update(
        status=response.status_code,
        content_type=response.get("Content-Type", ""),
        body="" if is_secret else _text(response),
        is_secret=is_secret,
    )
    return kept == 1


def _text(response: HttpResponse) -> str:
    """The body before compression; a repeat is sent without it."""
    body = response.content
    return (gzip.decompress(body) if response.get("Content-Encoding") == "gzip" else body).decode()


def forget_old(*, at: datetime) -> int:
    """Delete replies that are older than `KEPT`. Returns how many."""
    return Reply.objects.filter(created_at__lt=at - KEPT).delete()[0]


def forget_mentions(*, mentions: Mentions) -> int:
    """Delete replies that name the person. Returns how many.

    Costs: reads every kept reply, those of three days at most.
    """
    rows = Reply.objects.values_list("pk", "key", "body").iterator(chunk_size=500)
    found = [pk for pk, key, body in rows if mentions.within(f"{key} {body}")]
    return Reply.objects.filter(pk__in=found).delete()[0]


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
