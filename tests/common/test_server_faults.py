"""Errors of a full disk are told from others, as the real libraries raise them."""

import errno
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg.errors
import pytest
from django.db import OperationalError

from common import server_faults
from common.server_faults import has_room, is_full, is_own_fault


def _really_full(tmp_path: Path) -> Exception:
    database = sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)
    database.execute("PRAGMA max_page_count = 4")
    database.execute("CREATE TABLE t (x)")
    with pytest.raises(sqlite3.OperationalError) as refused:
        database.execute("INSERT INTO t VALUES (randomblob(100000))")
    return refused.value


def _as_django(cause: Exception) -> Exception:
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("make", "full", "own"),
    [
        (_really_full, True, True),
        (lambda _: _as_django(psycopg.errors.DiskFull("could not extend file")), True, True),
        (lambda _: OSError(errno.ENOSPC, "No space left on device"), True, True),
        (lambda _: OSError(errno.EDQUOT, "Disk quota exceeded"), True, True),
        (lambda _: FileNotFoundError(errno.ENOENT, "No such file"), False, True),
        (lambda _: PermissionError(errno.EACCES, "Permission denied"), False, True),
        (lambda _: OSError("image file is truncated"), False, False),
        (lambda _: _as_django(sqlite3.OperationalError("database is locked")), False, False),
        (lambda _: _as_django(psycopg.OperationalError("connection refused")), False, True),
        (lambda _: _as_django(psycopg.errors.AdminShutdown("terminating connection")), False, True),
        (lambda _: _as_django(psycopg.errors.CannotConnectNow("the database system is starting up")), False, True),
        (lambda _: _as_django(psycopg.errors.LockNotAvailable("lock timeout")), False, False),
        (lambda _: ValueError("no"), False, False),
    ],
)
def test_the_cause_of_an_error_is_told(
    make: Callable[[Path], Exception], full: bool, own: bool, tmp_path: Path
) -> None:
    error = make(tmp_path)
    assert (is_full(error), is_own_fault(error)) == (full, own)
    wrapped = _as_django(error)
    assert (is_full(wrapped), is_own_fault(wrapped)) == (full, own), "as the cause of another"


def test_an_io_error_of_sqlite_is_a_full_disk_only_where_nothing_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_SHMSIZE"
    assert not is_full(error)
    monkeypatch.setattr(server_faults, "free_bytes", lambda: 4096)
    assert is_full(error)


def test_a_data_folder_that_is_gone_has_no_room(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    assert has_room()
    settings.DATA_DIR = tmp_path / "gone"
    assert not has_room()
