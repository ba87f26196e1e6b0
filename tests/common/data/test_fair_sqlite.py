"""When a connection to SQLite holds its turn to write, and when it gives it back."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.utils import OperationalError
from pytest_django import DjangoDbBlocker

from common.data.fair_sqlite.base import DatabaseWrapper, lock_of
from lib.fair_lock import FairLock


@pytest.fixture
def writer(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Any]:
    """Another connection like the one of the settings, to a database of its own with the table `t`."""
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has one writer")
    with django_db_blocker.unblock():
        wrapper = _connection(tmp_path / "own.sqlite3")
        with wrapper.cursor() as cursor:
            cursor.execute("CREATE TABLE t (n INTEGER UNIQUE)")
        yield wrapper
        wrapper.close()


def _connection(path: Path) -> Any:
    options = {**connection.settings_dict["OPTIONS"], "timeout": 0.2}
    return DatabaseWrapper({**connection.settings_dict, "NAME": path, "OPTIONS": options})


def _insert(wrapper: Any, number: int) -> None:
    with wrapper.cursor() as cursor:
        cursor.execute("INSERT INTO t VALUES (%s)", [number])


def _fail(wrapper: Any) -> None:
    with wrapper.cursor() as cursor:
        cursor.execute("INSERT INTO missing VALUES (1)")


def _is_free(wrapper: Any) -> bool:
    lock = lock_of(wrapper.settings_dict["NAME"])
    is_free = lock.acquire(timeout_s=0)
    if is_free:
        lock.release()
    return is_free


@pytest.mark.parametrize(
    ("write", "raises"),
    [(lambda one: _insert(one, 1), None), (_fail, OperationalError)],
    ids=["a statement", "a statement that fails"],
)
def test_a_statement_outside_a_transaction_gives_its_turn_back(
    writer: Any, write: Callable[[Any], None], raises: type[Exception] | None
) -> None:
    if raises:
        with pytest.raises(raises):
            write(writer)
    else:
        write(writer)
    assert _is_free(writer)


def test_a_transaction_holds_its_turn_to_its_end(writer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "get_connection", lambda using=None: writer)
    with transaction.atomic():
        assert not _is_free(writer)
        with transaction.atomic():
            _insert(writer, 1)
        assert not _is_free(writer)
    assert _is_free(writer)
    with pytest.raises(IntegrityError), transaction.atomic():
        _insert(writer, 1)
    assert _is_free(writer)
    with transaction.atomic():
        writer.close()
        assert _is_free(writer)


def test_who_does_not_get_a_turn_in_time_is_told_so_and_takes_nothing(writer: Any) -> None:
    lock = lock_of(writer.settings_dict["NAME"])
    assert lock.acquire(timeout_s=0)
    with pytest.raises(OperationalError, match="locked"):
        _insert(writer, 1)
    assert writer.held is None
    lock.release()
    _insert(writer, 1)


def test_reads_wait_for_no_writer(writer: Any) -> None:
    lock: FairLock = lock_of(writer.settings_dict["NAME"])
    assert lock.acquire(timeout_s=0)
    with writer.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM t").fetchone() == (0,)
    lock.release()


def test_threads_write_one_after_the_other(writer: Any) -> None:
    path = writer.settings_dict["NAME"]

    def write(first: int) -> None:
        own = _connection(path)
        own.settings_dict["OPTIONS"]["timeout"] = 20
        for number in range(first, first + 25):
            _insert(own, number)
        own.close()

    threads = [threading.Thread(target=write, args=(25 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with writer.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM t").fetchone() == (100,)
