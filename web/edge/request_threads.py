"""The ASGI application of Django's views: it answers requests on a few threads that live as long as the process.

Django's own ASGI handler makes a thread for each request, and with it a new connection to the database, and passes each
request through several hops between the event loop and that thread. Here a request is read on the event loop, answered
on one thread by all middleware and the view, and sent from the event loop.

An answer that is sent piece by piece has a thread of its own while it is sent, so a slow client holds none of those
that answer requests. All its pieces are made on that one thread, because a database cursor belongs to one. An answer
that follows something while it changes holds a thread only while it looks.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import Any, TypeVar

from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.db import close_old_connections, connections
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from lib.faults import ServerFault
from web.edge.bodies import Receive, Send, refuse
from web.http.streams import Followed

T = TypeVar("T")

FOLLOWED_MAX = 200
"""Answers that one process follows at a time; a page beyond these gets one look, and asks again."""
WAITING_MAX = 500
"""Requests beyond those that are being answered; each may keep a body in memory."""
AT_ONCE_BYTES = 256 * 1024
"""A file of this size or less is read by the thread that answers the request."""


class ThreadedHandler(ASGIHandler):
    """Answers HTTP requests on `CROSSWALK_WEB_THREADS` threads; further requests wait in their order."""

    def __init__(self) -> None:
        # Without Django's own __init__, which adapts the middleware to the event loop.
        BaseHandler.__init__(self)
        self.load_middleware()
        self._threads = ThreadPoolExecutor(settings.WEB_THREADS, thread_name_prefix="requests")
        self._unanswered = 0
        self._followed: set[Followed] = set()

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if self._unanswered >= settings.WEB_THREADS + WAITING_MAX:
            await refuse(ServerFault("Too many requests wait already. Please send the same again."), receive, send)
            return
        self._unanswered += 1
        try:
            try:
                body = await self.read_body(receive)
            except RequestAborted:
                return
            response, content = await _on(self._threads, self._respond, scope, body)
        finally:
            self._unanswered -= 1
        await send(_start_of(response))
        if isinstance(response, Followed):
            await self._follow(response, receive, send)
        elif content is None:
            await _send_pieces(response, receive, send)
        else:
            await send({"type": "http.response.body", "body": content})

    async def _follow(self, response: Followed, receive: Receive, send: Send) -> None:
        """Send what changes until the client leaves; between two looks no thread is held."""
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + (response.for_s if len(self._followed) < FOLLOWED_MAX else 0)
        self._followed.add(response)
        gone = asyncio.ensure_future(receive())
        try:
            while not gone.done() and (content := await _on(self._threads, _look, response)) is not None:
                await send({"type": "http.response.body", "body": content, "more_body": True})
                if loop.time() >= ends_at:
                    break
                await asyncio.wait({gone}, timeout=response.every_s)
            await send({"type": "http.response.body"})
        finally:
            gone.cancel()
            self._followed.discard(response)
            await _on(self._threads, response.close)

    def _respond(self, scope: Any, body: Any) -> tuple[HttpResponseBase, bytes | None]:
        """The response, and its content; None for the content of a response that is sent piece by piece."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        if request is None:
            body.close()
        response: Any = refusal if request is None else self.get_response(request)
        if _is_sent_in_pieces(response) and scope["method"] != "HEAD":
            # `request_finished` is sent when the response is closed, on another thread.
            close_old_connections()
            return response, None
        content = b"" if scope["method"] == "HEAD" else b"".join(response)
        response.close()
        return response, content


def _is_sent_in_pieces(response: Any) -> bool:
    return response.streaming and int(response.get("Content-Length", AT_ONCE_BYTES + 1)) > AT_ONCE_BYTES


def _start_of(response: HttpResponseBase) -> dict[str, Any]:
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
    headers += [(b"Set-Cookie", cookie.OutputString().encode("ascii")) for cookie in response.cookies.values()]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


async def _send_pieces(response: HttpResponseBase, receive: Receive, send: Send) -> None:
    """Send the pieces one after another, each when the client has taken the one before; stop when the client leaves."""
    reader = ThreadPoolExecutor(1, thread_name_prefix="pieces")
    # After the body of a request there is one message more: that the client left.
    gone = asyncio.ensure_future(receive())
    pieces = iter(response)
    at_once = getattr(response, "pieces_at_once", 1)
    try:
        while not gone.done() and (content := await _on(reader, _take, pieces, at_once)):
            await send({"type": "http.response.body", "body": content, "more_body": True})
        await send({"type": "http.response.body"})
    finally:
        gone.cancel()
        await _on(reader, _end, response)
        reader.shutdown(wait=False)


def _look(response: Followed) -> bytes | None:
    close_old_connections()
    try:
        return response.next_piece()
    finally:
        close_old_connections()


def _take(pieces: Iterator[bytes], at_once: int) -> bytes:
    """The next pieces as one; empty at their end."""
    while taken := list(islice(pieces, at_once)):
        if content := b"".join(taken):
            return content
    return b""


def _end(response: HttpResponseBase) -> None:
    response.close()
    connections.close_all()


async def _on(threads: Executor, work: Callable[..., T], *args: Any) -> T:
    # What a request sets in context variables, such as its id, ends with it.
    return await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, work, *args)
