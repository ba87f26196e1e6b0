"""The application as uvicorn runs it, but that dead agents are noticed in seconds, so that tests need not wait."""

from datetime import timedelta
from typing import Any

from config import asgi
from interaction.agents import matching


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Only a server that runs it hurries: tests that merely come across this file do not."""
    matching.GRACE = timedelta(seconds=1)
    matching.HEARTBEAT_S = 1.0
    matching.SILENT = timedelta(seconds=6)
    await asgi.application(scope, receive, send)
