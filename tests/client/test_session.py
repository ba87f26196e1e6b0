"""One session without a connection: which events are new, which are its own, and the numbers of messages."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from crosswalk_client.frames import BadFrame, Event, Json
from crosswalk_client.session import Session

ASSIGN: Json = {"session": "s", "world": {"size": [4, 4, 4]}, "capabilities": [], "have": 10, "last_cseq": 3}
FIRST = {**ASSIGN, "have": 0, "last_cseq": 0}


def say(seq: int, text: str) -> Event:
    return Event(seq, "agent", "say", {"text": text})


def heard(assign: Json, before: Callable[[Session], Any], events: list[Event]) -> list[Event]:
    """The events of a session that has sent "mine" when they arrive."""

    async def run() -> list[Event]:
        session = Session(assign)
        await session.say("mine")
        before(session)
        for event in events:
            session.take(event)
        session.end("enough")
        return [event async for event in session.events()]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("assign", "before", "events", "ours"),
    [
        (ASSIGN, lambda session: None, [say(11, "theirs"), say(12, "mine")], [False, True]),
        (
            ASSIGN,
            lambda session: session.acknowledged(4, 12),
            [say(11, "theirs"), say(12, "changed by the server"), say(13, "also mine")],
            [False, True, True],
        ),
        # The connection breaks before the ack; after the reconnect the server names its last number.
        (FIRST, lambda session: session.settle(1), [say(1, "mine"), say(2, "two")], [True, True]),
    ],
    ids=["echo before its ack", "after the first ack", "no other process served it"],
)
def test_a_process_knows_its_own_messages(
    assign: Json, before: Callable[[Session], Any], events: list[Event], ours: list[bool]
) -> None:
    assert [event.ours for event in heard(assign, before, events)] == ours


def test_events_that_the_scene_includes_are_not_heard_again() -> None:
    events = [say(9, "a"), say(10, "b"), say(14, "c"), say(12, "d")]
    assert [event.seq for event in heard(ASSIGN, lambda session: None, events)] == [14]


def test_messages_are_numbered_from_the_servers_last_and_are_copies() -> None:
    written: list[str] = []

    async def run() -> None:
        session, body = Session(ASSIGN), {"text": "before"}
        assert await session.send("say", body) == 4
        body["text"] = "after"
        session.plug(written.append)

    asyncio.run(run())
    assert '"before"' in written[0]


@pytest.mark.parametrize("missing", ["have", "last_cseq"])
def test_an_assignment_that_lacks_a_number_is_refused(missing: str) -> None:
    async def run() -> None:
        with pytest.raises(BadFrame, match=missing):
            Session({name: value for name, value in ASSIGN.items() if name != missing})

    asyncio.run(run())
