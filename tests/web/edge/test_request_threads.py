"""How requests share the threads that answer them."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from web.edge import request_threads
from web.edge.request_threads import ThreadedHandler
from web.http.streams import Followed, streamed

THREADS = 2
made: list[str] = []
"""The acts of this file's views, in order; each test begins with none."""


def _name(request: HttpRequest) -> HttpResponse:
    return HttpResponse(threading.current_thread().name)


def _pieces(request: HttpRequest) -> StreamingHttpResponse:
    def pieces() -> Iterator[bytes]:
        try:
            for _ in range(1000):
                made.append(threading.current_thread().name)
                yield b"x" * 1000
        finally:
            made.append("closed")

    return streamed(pieces(), content_type="text/plain", batch=2)


def _small(request: HttpRequest) -> StreamingHttpResponse:
    response = streamed(iter([b"a", b"b"]), content_type="text/plain")
    response["Content-Length"] = "2"
    return response


def _fails(request: HttpRequest) -> HttpResponse:
    raise ValueError


def _followed(request: HttpRequest) -> StreamingHttpResponse:
    def look() -> str:
        made.append(threading.current_thread().name)
        return str(len(made) // 2)

    return Followed(look, every_s=0.01, for_s=60)


urlpatterns = [
    path("followed", _followed),
    path("name", _name),
    path("pieces", _pieces),
    path("small", _small),
    path("fails", _fails),
]
handler404 = handler500 = lambda request, exception=None: HttpResponse(status=404 if exception else 500)


class Caller:
    """A client of the handler; it takes what is sent up to `takes` messages, and then no more until it leaves."""

    def __init__(self, to: str, *, method: str = "GET", takes: int = 10**9) -> None:
        self.scope = {"type": "http", "method": method, "path": f"/{to}", "query_string": b"", "headers": []}
        self.left, self.stalled = asyncio.Event(), asyncio.Event()
        self.got: list[dict[str, Any]] = []
        self._takes = takes
        self._asked = False

    async def receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b""}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.got.append(message)
        if len(self.got) > self._takes:
            self.stalled.set()
            await self.left.wait()

    @property
    def status(self) -> int:
        return int(self.got[0]["status"])

    @property
    def content(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.got)


@pytest.fixture
def handler(settings: Any) -> ThreadedHandler:
    settings.MIDDLEWARE, settings.ROOT_URLCONF, settings.WEB_THREADS = [], __name__, THREADS
    made.clear()
    return ThreadedHandler()


async def _answered(handler: ThreadedHandler, to: str, **how: Any) -> Caller:
    caller = Caller(to, **how)
    await handler(caller.scope, caller.receive, caller.send)
    return caller


def test_clients_that_take_nothing_hold_no_thread_of_the_others(handler: ThreadedHandler) -> None:
    async def run() -> None:
        slow = [Caller("pieces", takes=2) for _ in range(THREADS + 1)]
        sending = [asyncio.ensure_future(handler(one.scope, one.receive, one.send)) for one in slow]
        for one in slow:
            await one.stalled.wait()
        quick = await _answered(handler, "name")
        assert (quick.status, quick.content[:8]) == (200, b"requests")
        for one in slow:
            one.left.set()
        await asyncio.gather(*sending)
        # The client that left is sent no more, and the view's work ends.
        assert made.count("closed") == len(slow)
        assert all(len(one.got) < 10 for one in slow)
        assert not any(name.startswith("requests") for name in made)

    asyncio.run(run())


def test_what_is_followed_holds_no_thread_between_two_looks(handler: ThreadedHandler) -> None:
    async def run() -> list[Caller]:
        open_pages = [Caller("followed") for _ in range(3 * THREADS)]
        following = [asyncio.ensure_future(handler(one.scope, one.receive, one.send)) for one in open_pages]
        while len(made) < 20 * THREADS:
            assert (await _answered(handler, "name")).status == 200
        for one in open_pages:
            one.left.set()
        await asyncio.gather(*following)
        return open_pages

    pages = asyncio.run(run())
    assert all(name.startswith("requests") for name in made)
    assert all(one.content.startswith((b"retry: ", b"event: ", b"data: ")) for one in pages)
    assert all(b"event: still" in one.content or b"data: " in one.content for one in pages)
    assert pages[0].got[-1] == {"type": "http.response.body"}, "the answer ends when the client leaves"


def test_a_page_beyond_those_that_are_followed_gets_one_look(
    handler: ThreadedHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_threads, "FOLLOWED_MAX", 0)
    caller = asyncio.run(_answered(handler, "followed"))
    assert caller.content == b"retry: 3000\ndata: 0\n\n"


def test_pieces_come_whole_in_order_and_from_one_thread(handler: ThreadedHandler) -> None:
    caller = asyncio.run(_answered(handler, "pieces"))
    assert caller.content == b"x" * 1_000_000
    assert len({name for name in made if name != "closed"}) == 1
    # Two at a time.
    assert len(caller.got[1]["body"]) == 2000


def test_a_thread_is_used_again(handler: ThreadedHandler) -> None:
    async def run() -> set[bytes]:
        return {(await _answered(handler, "name")).content for _ in range(3 * THREADS)}

    assert len(asyncio.run(run())) <= THREADS


@pytest.mark.parametrize(
    ("to", "method", "status", "content"),
    [
        ("small", "GET", 200, b"ab"),
        ("small", "HEAD", 200, b""),
        ("pieces", "HEAD", 200, b""),
        ("missing", "GET", 404, b""),
        ("fails", "GET", 500, b""),
    ],
)
def test_answers(handler: ThreadedHandler, to: str, method: str, status: int, content: bytes) -> None:
    caller = asyncio.run(_answered(handler, to, method=method))
    assert (caller.status, caller.content) == (status, content)
    assert not made


def test_more_requests_than_may_wait_are_told_to_come_again(
    handler: ThreadedHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_threads, "WAITING_MAX", -THREADS)
    caller = Caller("name")
    caller.left.set()
    asyncio.run(handler(caller.scope, caller.receive, caller.send))
    assert caller.status == 503
    assert (b"retry-after", b"1") in caller.got[0]["headers"]


def test_a_client_that_leaves_before_its_body_is_whole_is_not_answered(handler: ThreadedHandler) -> None:
    caller = Caller("name")
    caller._asked = True
    caller.left.set()
    asyncio.run(handler(caller.scope, caller.receive, caller.send))
    assert caller.got == []
