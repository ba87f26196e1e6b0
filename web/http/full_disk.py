"""Refusing writes while the server's disk has no room, before they begin, so that nothing is left half done."""

import json
import logging
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from common.server_faults import has_room, is_full
from lib.faults import DiskFull
from web.http.problems import problem_of, unavailable

logger = logging.getLogger(__name__)

_READS_OR_FREES = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "DELETE"})


class RefuseWrites:
    """Answers writes with 507 while less than `CROSSWALK_DISK_RESERVE_MB` is free. Reads and DELETE go on.

    The reserve lets requests, sessions and jobs that have begun end in order. Where the disk fills up nonetheless, the
    error of the write itself becomes the same answer (`web/http/problems.py`). Costs one system call a write.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in _READS_OR_FREES or has_room():
            return self.get_response(request)
        logger.error("disk.full", extra={"path": request.path})
        return unavailable(request, _problem())


class AnswerWhenFull:
    """The ASGI application, with a 507 where the body of a request did not fit on the disk.

    Django writes large bodies to a temporary file before any of its middleware runs, and the bound of a body may ask
    the database whose credential came with it.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        has_begun = False

        async def sending(message: Any) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._application(scope, receive, sending)
        except Exception as error:
            if has_begun or not is_full(error):
                raise
            logger.exception("disk.full", extra={"path": scope["path"]})
            body = json.dumps(_problem()).encode()
            headers = [(b"content-type", b"application/problem+json"), (b"retry-after", b"60")]
            await send({"type": "http.response.start", "status": DiskFull.status, "headers": headers})
            await send({"type": "http.response.body", "body": body})


def _problem() -> dict[str, Any]:
    body = problem_of(DiskFull())
    assert body is not None  # noqa: S101 - our own errors always have a problem
    return body
