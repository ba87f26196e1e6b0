"""An agent's client and the gateway of the conformance test in one process, both in a hurry."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from client.conformance.checks import Result, examine
from client.conformance.server import Gateway
from client.conformance.trial import Options
from client.gateway import AgentClient, Timing
from client.session import Session

KEY, AGENT = "secret", "builder"
HURRY = Timing(first_wait=0.01, longest_wait=0.02, rate=0.05, gap=0.01)
BRISK = Options(commands=("build a small cube",), connect_s=10, patience_s=2, stop_s=1, settle_s=0.05)
Serve = Callable[[Session], Awaitable[None]]


@asynccontextmanager
async def serving(
    gateway: Gateway, serve: Serve, *, capacity: int = 2, timing: Timing = HURRY, limit: int = 64
) -> AsyncIterator[AgentClient]:
    """A client of the gateway, connected."""
    async with gateway.listen() as url:
        client = AgentClient(url, KEY, AGENT, capacity, serve, timing=timing, most_unacknowledged=limit)
        running = asyncio.create_task(client.run())
        try:
            assert await gateway.until(lambda: gateway.hellos, 10)
            yield client
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await running


def gateway_of() -> Gateway:
    return Gateway(key=KEY, agent=AGENT)


def examined(serve: Serve, *, options: Options = BRISK, capacity: int = 2) -> dict[str, Result]:
    """What the conformance test says of an agent, by check."""

    async def run() -> list[Result]:
        gateway = gateway_of()
        async with serving(gateway, serve, capacity=capacity):
            return await examine(gateway, options)

    return {result.name: result for result in asyncio.run(run())}


async def idle(session: Session) -> None:
    """An agent that never says anything."""
    await session.until_ended()
