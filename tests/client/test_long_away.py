"""A server that is away for hours, and comes back."""

import asyncio
from typing import Any

import pytest

from client.gateway import AgentClient, Refused, Timing
from client.session import Session

TRIES = 1200


def test_an_agent_goes_on_trying_however_long_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    class Away:
        tries = 0

        async def __aenter__(self) -> None:
            Away.tries += 1
            raise OSError("nobody listens") if Away.tries < TRIES else Refused("enough")

        async def __aexit__(self, *why: Any) -> None:
            """Nothing was opened."""

    async def serve(session: Session) -> None:
        """Nobody comes."""

    monkeypatch.setattr("client.gateway.connect", lambda *args, **options: Away())
    client = AgentClient("ws://nowhere", "key", "agent", 1, serve, timing=Timing(longest_wait=0.0))
    with pytest.raises(Refused, match="enough"):
        asyncio.run(client.run())
    assert Away.tries == TRIES
