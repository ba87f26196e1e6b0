"""Bodies that arrive are held to their bounds, and what does not fit is answered before the application has it."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from web.edge.bodies import BoundedBodies

PARTS = [b"x" * 60] * 3


@pytest.fixture(autouse=True)
def _small(settings: Any) -> None:
    settings.ANONYMOUS_BODY_MAX_BYTES = 128


def _play(parts: list[bytes], *, is_whole: bool = True, headers: Any = ()) -> tuple[int, Any, list[bytes]]:
    """The status and the body of the answer to these parts, and what reached the application."""
    reached: list[bytes] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            reached.append(message["body"])
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b"taken"})
                return

    async def story() -> tuple[int, Any]:
        scope = {"type": "http", "method": "POST", "path": "/healthz", "headers": headers, "query_string": b""}
        make: Any = ApplicationCommunicator
        line = make(BoundedBodies(application), scope)
        for number, part in enumerate(parts, 1):
            more = number < len(parts) or not is_whole
            await line.send_input({"type": "http.request", "body": part, "more_body": more})
        start = await line.receive_output(timeout=20)
        body = await line.receive_output(timeout=20)
        await line.send_input({"type": "http.disconnect"})
        await line.wait(timeout=20)
        text = body["body"].decode()
        return start["status"], json.loads(text) if text.startswith("{") else text

    return *asyncio.run(story()), reached


def test_a_small_body_passes_whole() -> None:
    assert _play(PARTS[:2]) == (200, "taken", PARTS[:2])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [[], [(b"content-length", b"180")], [(b"authorization", b"Api-Key wrong")]])
def test_a_larger_one_is_refused_before_it_has_arrived(headers: list[tuple[bytes, bytes]]) -> None:
    status, said, reached = _play(PARTS, headers=headers)
    assert (status, said["code"]) == (413, "too_large")
    assert reached == ([] if headers[:1] == [(b"content-length", b"180")] else PARTS[:2])


def test_a_body_that_pauses_is_refused(settings: Any) -> None:
    settings.BODY_SILENCE_S = 0.05
    status, said, reached = _play(PARTS[:1], is_whole=False)
    assert (status, said["code"], reached) == (408, "timeout", PARTS[:1])
