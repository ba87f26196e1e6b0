"""A checkpoint copies the log of the embedded database into its file."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from django.db import connection

from common.data.sqlite import checkpoint
from tests.support.builders import make_staff

pytestmark = pytest.mark.django_db(transaction=True)


def names_in(file: Path) -> set[str]:
    """The accounts in the database file, without its log."""
    copy = sqlite3.connect(file)
    try:
        return {name for (name,) in copy.execute("SELECT username FROM auth_user")}
    finally:
        copy.close()


def test_committed_rows_reach_the_file_and_nothing_happens_on_postgresql(tmp_path: Path) -> None:
    make_staff("before-it")
    if connection.vendor != "sqlite":
        checkpoint()
        return
    file = Path(connection.settings_dict["NAME"])
    assert file.with_name(f"{file.name}-wal").stat().st_size
    checkpoint()
    assert "before-it" in names_in(Path(shutil.copy(file, tmp_path)))
