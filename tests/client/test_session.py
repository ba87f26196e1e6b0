"""What a session tells apart on its own, without a connection."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from client.frames import BadFrame, Event, Json
from client.session import Session

ASSIGN: Json = {"session": "s", "world": {"size": [4, 4, 4]}, "capabilities": [], "have": 10, "last_cseq": 3}


def alone(scenario: Callable[[Session], Awaitable[None]]) -> None:
    async def run() -> None:
        await scenario(Session(ASSIGN))

    asyncio.run(run())


async def heard(session: Session, *events: Event) -> list[Event]:
    for event in events:
        session.take(event)
    session.end("enough")
    return [event async for event in session.events()]


def say(seq: int, text: str) -> Event:
    return Event(seq, "agent", "say", {"text": text})


def test_an_echo_that_overtakes_its_ack_is_known_as_ours() -> None:
    async def scenario(session: Session) -> None:
        await session.say("mine")
        assert [event.ours for event in await heard(session, say(11, "theirs"), say(12, "mine"))] == [False, True]

    alone(scenario)


def test_after_the_first_ack_all_later_messages_of_the_agent_are_ours() -> None:
    async def scenario(session: Session) -> None:
        await session.say("mine")
        session.acknowledged(4, 12)
        events = await heard(session, say(11, "theirs"), say(12, "changed by the server"), say(13, "also mine"))
        assert [event.ours for event in events] == [False, True, True]

    alone(scenario)


def test_events_that_the_scene_includes_are_not_heard_again() -> None:
    async def scenario(session: Session) -> None:
        assert [event.seq for event in await heard(session, say(9, "a"), say(10, "b"), say(14, "c"), say(12, "d"))] == [
            14
        ]

    alone(scenario)


def test_messages_go_on_from_where_the_server_stands() -> None:
    async def scenario(session: Session) -> None:
        assert await session.send("say", {"text": "one"}) == 4

    alone(scenario)


def test_what_is_sent_is_what_it_was_when_it_was_given() -> None:
    written: list[str] = []

    async def scenario(session: Session) -> None:
        body = {"text": "before"}
        await session.send("say", body)
        body["text"] = "after"
        session.plug(written.append)
        assert '"before"' in written[0]

    alone(scenario)


@pytest.mark.parametrize("missing", ["have", "last_cseq"])
def test_an_assignment_that_lacks_a_number_is_no_assignment(missing: str) -> None:
    async def run() -> None:
        with pytest.raises(BadFrame, match=missing):
            Session({name: value for name, value in ASSIGN.items() if name != missing})

    asyncio.run(run())
