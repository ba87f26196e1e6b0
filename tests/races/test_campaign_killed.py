"""Killed with `kill -9` at any write of a campaign, the process loses nothing and does nothing twice."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.campaign_process import COMMANDS
from tests.support.servers import make_tables
from tests.support.shared_data import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
PLACES = 16


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Where a process was killed, and what was left once another one had gone on."""
    folder: Path = tmp_path_factory.mktemp("killed-campaigns")
    own = {**os.environ, "CROSSWALK_DATA_DIR": str(folder), "CROSSWALK_LOG_LEVEL": "critical"}
    own |= {"REDIS_URL": "", "DATABASE_URL": "", "CROSSWALK_SECRET_KEY": "only-for-the-tests"}
    make_tables(folder, own)
    said = subprocess.run(
        [sys.executable, "-m", "tests.support.campaign_process", str(PLACES)],
        env=own,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(said.stdout)


def test_the_process_was_killed_at_many_places_of_its_work(found: Any) -> None:
    assert {kill["signal"] for kill in found["kills"]} == {9}
    assert len({kill["place"] for kill in found["kills"]}) == PLACES
    tables = {kill["write"][-1].strip('"') for kill in found["kills"]}
    assert len(tables) > 5, "statements of many kinds were cut off"


def test_after_each_kill_the_campaign_ends_as_if_there_had_been_none(found: Any) -> None:
    for kill in found["kills"]:
        assert kill["left"] == {
            "campaign": "done",
            "outcomes": ["deployed"],
            "rows": [1, 1, 1, 2, 1, 1],
            "items": COMMANDS,
            "acts": True,
            "failed": [],
        }, kill
