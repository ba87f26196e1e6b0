"""The key that the built-in agent makes for itself, at its first start."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from agents.keys import find_key
from agents.models import ApiKey
from crosswalk_client.gateway import AgentClient
from tests.support.builders import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def used(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys that builders have come with; each ends at once."""
    settings.DATA_DIR = tmp_path
    keys: list[str] = []
    begin = AgentClient.__init__

    def noted(self: AgentClient, url: str, key: str, *rest: Any) -> None:
        keys.append(key)
        begin(self, url, key, *rest)

    async def nothing(self: AgentClient) -> None:
        return

    monkeypatch.setattr(AgentClient, "__init__", noted)
    monkeypatch.setattr(AgentClient, "run", nothing)
    return keys


def test_it_is_made_once_for_nobody_else_to_read(used: list[str], tmp_path: Path) -> None:
    call_command("builder")
    call_command("builder")
    first, second = used
    assert first == second
    found = find_key(first, at=NOON)
    assert found is not None
    assert found.allows(ApiKey.Scope.AGENTS)
    assert (tmp_path / "builder_key").stat().st_mode & 0o777 == 0o600


def test_the_empty_file_of_a_start_that_died_gets_a_key(used: list[str], tmp_path: Path) -> None:
    (tmp_path / "builder_key").touch()
    call_command("builder")
    assert used[0].startswith("cw_")
