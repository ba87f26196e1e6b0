"""Bounds on the bodies of requests, held while a body arrives.

Django writes the whole body of a request into a temporary file before any code of ours sees the request. This ASGI
application stands before Django. It checks the credential of a request as soon as its body is larger than an anonymous
one may be, and refuses what is too large or too slow before Django has read it.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from io import BytesIO
from types import SimpleNamespace
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.urls import Resolver404, resolve
from rest_framework.exceptions import APIException

from lib.faults import CrosswalkError, RequestTimeout, TooLarge, Unauthorized
from web.edge.client_address import address_of_scope
from web.edge.failed_credentials import count_failure
from web.http.endpoints import admitted_endpoint
from web.http.problems import RETRY_AFTER_S, plain_problem, problem_of

DRAIN_S, DRAIN_BYTES = 2.0, 4 * 1024 * 1024
"""How long, and how much of, a refused body is still read and dropped: a connection that is closed while bytes arrive
loses the answer."""
Refusal = CrosswalkError | APIException
# Django and Channels describe ASGI with different types.
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class BoundedBodies:
    """Passes requests on to an ASGI application; their bodies arrive within the bounds."""

    def __init__(self, application: Callable[[Any, Receive, Send], Awaitable[None]]) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        body = Body(scope, receive)
        await self._application(scope, body.receive, send)
        if body.refusal is not None:
            refusal = body.refusal
            if isinstance(refusal, Unauthorized):
                refusal = await asyncio.to_thread(count_failure, address_of_scope(scope)) or refusal
            await refuse(refusal, receive, send)


class Body:
    """The body of one request, as it arrives."""

    def __init__(self, scope: Any, receive: Receive) -> None:
        self._scope, self._receive = scope, receive
        self._most = settings.ANONYMOUS_BODY_MAX_BYTES
        self._is_most_known = self._is_whole = False
        self._received = 0
        self._began = time.monotonic()
        self.refusal: Refusal | None = None

    async def receive(self) -> Any:
        """The next part of the body. After a refusal the application is told that the client went away."""
        if self._is_whole:
            return await self._receive()
        try:
            await self._check_size(_declared_length(self._scope))
            message = await self._next_in_time()
            if message["type"] == "http.request":
                self._received += len(message.get("body", b""))
                self._is_whole = not message.get("more_body", False)
                await self._check_size(self._received)
        except (CrosswalkError, APIException) as refusal:
            self.refusal, self._is_whole = refusal, True
            return {"type": "http.disconnect"}
        return message

    async def _next_in_time(self) -> Any:
        silence_s, least = settings.BODY_SILENCE_S, settings.BODY_LEAST_BYTES_A_SECOND
        left_s = self._began + silence_s + self._received / least - time.monotonic()
        try:
            async with asyncio.timeout(min(left_s, silence_s)):
                return await self._receive()
        except TimeoutError:
            raise RequestTimeout(
                f"The body came too slowly: a body may pause for {silence_s} seconds at most and must bring {least} "
                "bytes a second. Send it again over a better line, or as an upload in parts."
            ) from None

    async def _check_size(self, size: int) -> None:
        if size <= self._most:
            return
        if not self._is_most_known:
            # Not the thread that answers requests: this one waits for no other request.
            self._most = await sync_to_async(_most_bytes, thread_sensitive=False)(self._scope)
            self._is_most_known = True
        if size > self._most:
            raise TooLarge(f"The body of this request has at most {self._most} bytes.")


def _declared_length(scope: Any) -> int:
    """The `Content-Length`; 0 where there is none, or none that can be read."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


def _most_bytes(scope: Any) -> int:
    """How many bytes the body of this request may have, by its address and its credential.

    Raises:
        TooLarge: the request has no credential, so it may have no more than an anonymous request.
        CrosswalkError, APIException: the credential is not valid, or does not allow the request.
    """
    try:
        return _most_of_view(ASGIRequest(scope, BytesIO()))
    finally:
        # The thread serves other requests later. A new connection to SQLite takes five times as long as the check.
        close_old_connections()


def _most_of_view(request: ASGIRequest) -> int:
    anonymous = TooLarge(
        f"Without a credential the body of a request has at most {settings.ANONYMOUS_BODY_MAX_BYTES} bytes. Send a "
        "valid credential with a larger one."
    )
    signed_in: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    try:
        match = resolve(request.path_info)
    except Resolver404:
        raise anonymous from None
    if not hasattr(match.func, "cls"):
        if not _is_signed_in(request):
            raise anonymous
        # The form around the file of a staff page.
        return signed_in + settings.ANONYMOUS_BODY_MAX_BYTES
    try:
        endpoint = admitted_endpoint(match.func, request, match.args, match.kwargs)
    except Unauthorized:
        if "Authorization" in request.headers:
            raise
        raise anonymous from None
    if not endpoint.authentication_classes and not endpoint.permission_classes:
        raise anonymous
    most_body_bytes = getattr(endpoint, "most_body_bytes", None)
    return most_body_bytes() if most_body_bytes else signed_in


def _is_signed_in(request: ASGIRequest) -> bool:
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return False
    store = import_module(settings.SESSION_ENGINE).SessionStore(key)
    # `get_user` reads nothing of a request but its session.
    holder: Any = SimpleNamespace(session=store)
    return get_user(holder).is_authenticated


async def refuse(refusal: Refusal, receive: Receive, send: Send) -> None:
    """Answer with the problem, then drop what still arrives for a moment, and close the connection."""
    problem = problem_of(refusal) or plain_problem(500)
    content = json.dumps(problem).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    if problem["status"] == 401:
        headers.append((b"www-authenticate", b"Api-Key, Bearer"))
    if wait := getattr(refusal, "wait", None) or RETRY_AFTER_S.get(problem["status"]):
        headers.append((b"retry-after", str(wait).encode()))
    await send({"type": "http.response.start", "status": problem["status"], "headers": headers, "trailers": False})
    await send({"type": "http.response.body", "body": content, "more_body": True})
    dropped = 0
    try:
        async with asyncio.timeout(DRAIN_S):
            while dropped < DRAIN_BYTES:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    break
                dropped += len(message.get("body", b""))
    except TimeoutError:
        pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})
