"""Frames sent in one turn of the event loop leave together, in their order, and whole."""

import asyncio
from typing import Any

import pytest
from websockets.frames import Frame, Opcode

from web.sockets.protocol import MOST_JOINED_BYTES, JoinedWrites, frame_of


class Transport:
    def __init__(self) -> None:
        self.did: list[Any] = []

    def is_closing(self) -> bool:
        return "closed" in self.did

    def write(self, data: bytes) -> None:
        self.did.append(data)

    def close(self) -> None:
        self.did.append("closed")


async def _turns(found: Transport, act: Any) -> list[Any]:
    joined: Any = JoinedWrites(found, asyncio.get_running_loop())  # type: ignore[arg-type]
    act(joined)
    at_once = list(found.did)
    await asyncio.sleep(0)
    return [at_once, found.did]


@pytest.mark.parametrize("length", [0, 125, 126, 65_535, 65_536])
def test_a_frame_is_that_of_the_library(length: int) -> None:
    content = b"x" * length
    assert frame_of(content) == Frame(Opcode.TEXT, content).serialize(mask=False)


@pytest.mark.parametrize(
    ("act", "at_once", "later"),
    [
        (lambda to: (to.write(b"a"), to.write(b"b")), [], [b"ab"]),
        (lambda to: (to.write(b"a"), to.close(), to.write(b"b")), [b"a", "closed"], [b"a", "closed"]),
        (lambda to: to.write(b"a" * (MOST_JOINED_BYTES + 1)), [b"a" * (MOST_JOINED_BYTES + 1)], None),
    ],
    ids=["together", "before the end", "many at once"],
)
def test_writes_of_a_turn_leave_together(act: Any, at_once: list[Any], later: list[Any] | None) -> None:
    assert asyncio.run(_turns(Transport(), act)) == [at_once, at_once if later is None else later]
