"""`manage.py prepare` on an empty folder makes the same tables as the database that test servers copy."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.servers import make_tables
from tests.support.shared_data import ROOT

pytestmark = pytest.mark.long


def _asked(database: Path, question: str) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(question).fetchall()


def test_an_empty_folder_is_made_ready_and_its_tables_are_those_that_tests_copy(tmp_path: Path) -> None:
    empty, copied = tmp_path / "empty", tmp_path / "copied"
    own = {**os.environ, "DATABASE_URL": "", "REDIS_URL": "", "CROSSWALK_LOG_LEVEL": "error"}
    for folder in (empty, copied):
        folder.mkdir()
    make_tables(copied, {**own, "CROSSWALK_DATA_DIR": str(copied)})
    prepare = [sys.executable, str(ROOT / "manage.py"), "prepare"]
    subprocess.run(prepare, env={**own, "CROSSWALK_DATA_DIR": str(empty)}, cwd=ROOT, check=True)

    made, taken = empty / "crosswalk.sqlite3", copied / "crosswalk.sqlite3"
    tables = "SELECT name, sql FROM sqlite_master WHERE tbl_name <> 'crosswalk_cache' ORDER BY name"
    assert _asked(made, tables) == _asked(taken, tables)
    done = "SELECT app, name FROM django_migrations ORDER BY app, name"
    assert _asked(made, done) == _asked(taken, done)
    assert _asked(made, "SELECT name, type FROM sqlite_master WHERE name = 'crosswalk_cache'")
    assert _asked(made, "SELECT slug, name FROM agents_agent") == [("builder", "Builder")]
    open_to_others = {path.name for path in [empty, *empty.iterdir()] if path.stat().st_mode & 0o077}
    assert open_to_others <= {"static"}
