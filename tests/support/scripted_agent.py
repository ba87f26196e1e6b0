"""An agent that acts on single words of a command, so that a test reaches every question of a decision tree.

python -m tests.support.scripted_agent URL KEY AGENT

"read": it tells a parse. "found" and "lost": it takes some phrase for a block, or for nothing. "quiet": it begins and
is never heard of again.
"""

import asyncio
import sys

from crosswalk_client import AgentClient, Event, Session
from crosswalk_client.gateway import Timing

FORM = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "STOP"}]}
VOXELS = {"found": [(15, 2, 14), (15, 3, 14)], "lost": []}
TIMING = Timing(ping=2.0, first_wait=0.1, longest_wait=0.5, reassign=20.0)


async def serve(session: Session) -> None:
    async for event in session.events():
        await _obey(session, event)


async def _obey(session: Session, event: Event) -> None:
    command = await session.command_in(event)
    if command is None:
        return
    words = command.text.split()
    for state in ("received", "thinking", "acting"):
        await session.status(command.id, state)
    if "read" in words:
        await session.parse(command.id, FORM, "scripted-1")
    for word, voxels in VOXELS.items():
        if word in words:
            await session.objects(command.id, f"the {word} one", voxels)
    if "quiet" not in words:
        await session.status(command.id, "done")


async def main() -> None:
    url, key, agent = sys.argv[1:]
    await AgentClient(url, key, agent, 4, serve, timing=TIMING).run()


if __name__ == "__main__":
    asyncio.run(main())
