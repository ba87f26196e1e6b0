"""`manage.py builder`: runs the built-in agent, which connects to the gateway like every other agent."""

import asyncio
import logging
import random
import secrets
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from builder import BUILDER
from builder.mind import Mind
from builder.runner import serve_with
from crosswalk_client.gateway import AgentClient


class Command(BaseCommand):
    help = "Run the built-in agent until interrupted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", default=f"ws://127.0.0.1:{settings.PORT}", help="Of the server: ws:// or wss://.")
        parser.add_argument("--key", default="", help="An API key with the scope `agents`; else it makes its own.")
        parser.add_argument("--capacity", type=int, default=settings.BUILDER_CAPACITY, help="Sessions at a time.")

    def handle(self, *args: Any, **options: Any) -> None:
        # The client reports every lost connection; losing it while the server restarts is normal.
        logging.getLogger("crosswalk_client").setLevel(logging.WARNING)
        key = options["key"] or _own_key()
        client = AgentClient(options["url"], key, BUILDER, options["capacity"], serve_with(_mind))
        try:
            asyncio.run(client.run())
        except KeyboardInterrupt:
            return


def _mind(world: dict[str, Any]) -> Mind:
    return Mind(world, random.Random())  # noqa: S311 - which of two likely places to build at is no secret


def _own_key() -> str:
    """The API key of this installation's own agent, made at its first start and kept beside the other secrets."""
    kept = Path(settings.DATA_DIR) / "builder_key"
    if not kept.exists():
        _keep(f"cw_{secrets.token_urlsafe(32)}", kept)
    return create_key(name="the built-in agent", scopes=[ApiKey.Scope.AGENTS], at=timezone.now(), key=kept.read_text())


def _keep(key: str, path: Path) -> None:
    """Write the file completely or not at all, readable by its owner alone."""
    # The temporary file has the mode 0600.
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}-", delete=False) as file:
        file.write(key)
    Path(file.name).replace(path)
