"""The built-in agent as a program of its own."""

import asyncio
import logging
import random
from contextlib import suppress
from typing import Any

from builder import BUILDER
from builder.mind import Mind
from builder.models.store import ModelStore, fetch_from
from builder.runner import serve_with
from crosswalk_client.gateway import AgentClient


def run(url: str, key: str, capacity: int) -> None:
    """Serve sessions with the built-in agent until interrupted.

    Args:
        url: Of the server: ws:// or wss://.
        key: An API key with the scope `agents`.
        capacity: How many sessions it takes at a time.

    Raises:
        crosswalk_client.Refused: the server refuses the key.
    """
    # The client reports every lost connection; losing it while the server restarts is normal.
    logging.getLogger("crosswalk_client").setLevel(logging.WARNING)
    store = ModelStore(fetch_from(url.replace("ws", "http", 1), key))
    client = AgentClient(url, key, BUILDER, capacity, serve_with(_mind, store=store))
    with suppress(KeyboardInterrupt):
        asyncio.run(client.run())


def _mind(world: dict[str, Any]) -> Mind:
    return Mind(world, random.Random())  # noqa: S311 - which of two likely places to build at is no secret
