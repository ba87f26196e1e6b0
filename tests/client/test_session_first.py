"""A session that no other process has served: what the agent is told that it sent, it sent itself."""

import asyncio

from client.frames import Event, Json
from client.session import Session

ASSIGN: Json = {"session": "s", "world": {"size": [4, 4, 4]}, "capabilities": [], "have": 0, "last_cseq": 0}


def say(seq: int, text: str) -> Event:
    return Event(seq, "agent", "say", {"text": text})


def test_where_the_first_ack_was_lost_the_echoes_are_ours_all_the_same() -> None:
    async def run() -> list[bool]:
        session = Session(ASSIGN)
        await session.say("one")
        # The line breaks before the ack; when it is back, the server tells where it stands.
        session.settle(1)
        await session.say("two")
        for event in (say(1, "one"), say(2, "two")):
            session.take(event)
        session.end("enough")
        return [event.ours async for event in session.events()]

    assert asyncio.run(run()) == [True, True]
