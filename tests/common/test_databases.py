"""The embedded database's log goes over into its file without a commit that waits for it."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from django.db import connection

from common.databases import checkpoint
from tests.builders import make_staff

pytestmark = pytest.mark.django_db(transaction=True)


def names_in(file: Path) -> set[str]:
    """The accounts that the file itself has, without the log beside it."""
    copy = sqlite3.connect(file)
    try:
        return {name for (name,) in copy.execute("SELECT username FROM auth_user")}
    finally:
        copy.close()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL does it by itself")
def test_what_is_committed_reaches_the_file(tmp_path: Path) -> None:
    make_staff("before-it")
    file = Path(connection.settings_dict["NAME"])
    assert file.with_name(f"{file.name}-wal").stat().st_size
    checkpoint()
    assert "before-it" in names_in(Path(shutil.copy(file, tmp_path)))


def test_it_may_be_asked_for_anywhere() -> None:
    checkpoint()
    make_staff("after-it")
    checkpoint()
