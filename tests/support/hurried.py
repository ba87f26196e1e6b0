"""The application as uvicorn runs it, except that dead agents are noticed within seconds."""

from datetime import timedelta
from typing import Any

from config import asgi
from interaction.agents import matching


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Set the short times in the server that runs this, and not in tests that import the file."""
    matching.GRACE = timedelta(seconds=1)
    matching.HEARTBEAT_S = 1.0
    matching.SILENT = timedelta(seconds=6)
    await asgi.application(scope, receive, send)
