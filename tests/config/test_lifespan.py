"""A web process whose files belong to another database does not start, and says why."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agents.keys import find_key
from agents.models import ApiKey
from config.asgi import application
from config.private_files import BUILDER_KEY
from jobs import identity
from lib.faults import FilesUnavailable
from tests.support.builders import NOON

pytestmark = pytest.mark.django_db(transaction=True)


def _started() -> list[dict[str, Any]]:
    """The answers of the process to the server that starts and stops it."""
    said: list[dict[str, Any]] = []
    asked = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, Any]:
        return {"type": next(asked)}

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    process: Any = application
    asyncio.run(process({"type": "lifespan"}, receive, send))
    return said


def test_a_web_process_starts_where_files_and_database_belong_together(tmp_path: Path) -> None:
    complete = [{"type": "lifespan.startup.complete"}, {"type": "lifespan.shutdown.complete"}]
    identity.make_first(at=NOON)
    assert _started() == complete
    (tmp_path / "files" / identity.FILE).write_text("another")
    (failed,) = _started()
    assert failed["type"] == "lifespan.startup.failed"
    assert "do not belong together" in failed["message"]


def test_a_web_process_starts_while_its_files_are_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def falls() -> None:
        raise FilesUnavailable

    monkeypatch.setattr(identity, "check", falls)
    assert _started()[0] == {"type": "lifespan.startup.complete"}


def test_a_web_process_lets_the_agent_of_its_keeper_in(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    identity.make_first(at=NOON)
    assert _started()[0] == {"type": "lifespan.startup.complete"}
    assert not ApiKey.objects.exists()
    (tmp_path / BUILDER_KEY).write_text("cw_key-of-the-built-in-agent")
    for _ in range(2):
        assert _started()[0] == {"type": "lifespan.startup.complete"}
    found = find_key("cw_key-of-the-built-in-agent", at=NOON)
    assert found is not None
    assert found.allows(ApiKey.Scope.AGENTS)
