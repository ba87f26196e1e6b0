"""An agent that obeys each command at once, by one block whose place names the command, and notes its events.

python -m tests.support.quick_agent URL KEY AGENT NOTES
"""

import asyncio
import json
import os
import sys

from crosswalk_client import AgentClient, Event, Session
from crosswalk_client.gateway import Timing

RED_WOOL = 60
CAPACITY = 100
TIMING = Timing(ping=2.0, first_wait=0.1, longest_wait=0.5, reassign=20.0)
"""Impatient: the servers of tests come back in seconds."""


def block_of(command: str) -> tuple[int, int, int, int]:
    """The block of the command "c3": nobody else puts one there."""
    return int(command.removeprefix("c")), 5, 5, RED_WOOL


class Notes:
    """A file that keeps every line that was written, also of a process that is killed."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, **line: object) -> None:
        os.write(self._file, (json.dumps({"process": os.getpid(), **line}) + "\n").encode())


async def serve(session: Session, notes: Notes) -> None:
    notes.write(session=session.id, have=session.have)
    async for event in session.events():
        # A world that is sent again includes all events before it.
        notes.write(session=session.id, **({"have": event.seq} if event.type == "world" else {"seq": event.seq}))
        await _obey(session, event)


async def _obey(session: Session, event: Event) -> None:
    command = await session.command_in(event)
    if command is None:
        return
    for state in ("received", "acting"):
        await session.status(command.id, state)
    await session.blocks([block_of(command.id)])
    await session.status(command.id, "done")


async def main() -> None:
    url, key, agent, path = sys.argv[1:]
    notes = Notes(path)
    await AgentClient(url, key, agent, CAPACITY, lambda session: serve(session, notes), timing=TIMING).run()


if __name__ == "__main__":
    asyncio.run(main())
