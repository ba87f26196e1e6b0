"""Killed at any moment between outcome, report and task, the processes lose nothing and do nothing twice."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lib.command_text import plain
from tests.support.routing_process import COMMANDS, KILLS, TEXTS, outcome_of, text_of
from tests.support.servers import make_tables, own_database
from tests.support.shared_data import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SEED = "20261122"
ALL = [f"c{number}" for number in range(COMMANDS)]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The rows that are left after two processes at a time were killed."""
    folder: Path = tmp_path_factory.mktemp("killed")
    database, drop = own_database()
    own = {**os.environ, **database, "CROSSWALK_DATA_DIR": str(folder), "CROSSWALK_LOG_LEVEL": "error"}
    own |= {"REDIS_URL": "", "CROSSWALK_SECRET_KEY": "only-for-the-tests"}
    try:
        make_tables(folder, own)
        said = subprocess.run(
            [sys.executable, "-m", "tests.support.routing_process", SEED],
            env=own,
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    finally:
        drop()
    return json.loads(said.stdout)


def test_they_were_killed_in_the_midst_of_it(left: Any) -> None:
    assert left["killed"] > KILLS, "most were at work when they were killed"
    assert left["failed"] == []


def test_every_error_has_one_report_with_its_scene(left: Any) -> None:
    wrong = [(f"c{number}", outcome_of(number)) for number in range(COMMANDS) if outcome_of(number) != "ok"]
    assert sorted((command, outcome) for command, outcome, _ in left["reports"]) == sorted(wrong)
    assert {state for _, _, state in left["reports"]} == {"routed"}
    assert (left["without_scene"], left["scenes"]) == (0, 3)


def test_every_distinct_text_has_one_task(left: Any) -> None:
    assert len(left["words"]) == TEXTS
    assert Counter(map(plain, left["words"])) == Counter({plain(text_of(number)) for number in range(COMMANDS)})


def test_every_command_names_the_task_of_its_words_once(left: Any) -> None:
    words = {command: key for to, command, key in left["sendings"] if to == "words"}
    assert sorted(command for to, command, _ in left["sendings"] if to == "words") == sorted(ALL)
    for number in range(0, COMMANDS, 3):
        assert len({words[f"c{number + other}"] for other in range(3)}) == 1
    assert len(set(words.values())) == TEXTS


def test_every_scene_is_asked_about_once(left: Any) -> None:
    seen = [command for to, command, _ in left["sendings"] if to == "things"]
    assert sorted(seen) == sorted(c for number, c in enumerate(ALL) if outcome_of(number) == "vision_error")
    assert left["things"] == 3
