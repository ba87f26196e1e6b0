"""A minimal agent to copy: it repeats each command and puts a block on the ground.

python -m crosswalk_client.example_agent --url ws://127.0.0.1:8000 --key KEY --agent my-agent
"""

import argparse
import asyncio
import logging

from crosswalk_client import AgentClient, Session

RED_WOOL = 60
WORK_S = 0.5


async def serve(session: Session) -> None:
    """One worker's session, from its start to its end."""
    x = 0
    async for command in session.commands():
        await session.status(command.id, "received")
        await session.status(command.id, "thinking")
        await session.say(f"You said: {command.text}")
        await session.status(command.id, "acting")
        await asyncio.sleep(WORK_S)  # the real work would be here
        if session.is_stopped(command.id):
            await session.status(command.id, "failed", "stopped")
            continue
        await session.blocks([(x, 1, 0, RED_WOOL)])
        x = (x + 1) % session.world["size"][0]
        await session.status(command.id, "done")


def main() -> None:
    parser = argparse.ArgumentParser(description="An agent that repeats each command.")
    parser.add_argument("--url", default="ws://127.0.0.1:8000")
    parser.add_argument("--key", required=True)
    parser.add_argument("--agent", required=True)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    asyncio.run(AgentClient(options.url, options.key, options.agent, capacity=2, on_session=serve).run())


if __name__ == "__main__":
    main()
