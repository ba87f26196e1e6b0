"""`crosswalk server`: a backup is taken while the server writes, and is put back whole or not at all."""

import fcntl
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosswalk_client.cli.main import main

DATABASE = "crosswalk.sqlite3"


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """The folder of a server that runs: the newest row is in the log of its database alone."""
    folder = tmp_path / "data"
    for name in ("audit/anchor-1", "files/episodes/a/source", "files/.incoming/half", "secret_key", "queue/job"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    connection = sqlite3.connect(folder / DATABASE)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE kept (number INTEGER)")
    connection.execute("INSERT INTO kept VALUES (1)")
    connection.commit()
    yield folder
    connection.close()


def rows(folder: Path) -> list[int]:
    with sqlite3.connect(folder / DATABASE) as connection:
        return [number for (number,) in connection.execute("SELECT number FROM kept ORDER BY number")]


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def back_up(data: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """How many files were copied."""
    assert main(["server", "backup", "--data", str(data), "--to", str(data.parent / "backup"), "--json"]) == 0
    return int(json.loads(capsys.readouterr().out)["copied_now"])


def restore(data: Path, *more: str) -> int:
    return main(["server", "restore", "--data", str(data), "--from", str(data.parent / "backup"), *more])


def test_a_backup_is_restored_with_what_was_committed(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert back_up(data, capsys) == 3
    (data / "files/episodes/b").mkdir()
    (data / "files/episodes/b/source").write_text("new")
    assert back_up(data, capsys) == 1, "what is there is not copied again"
    fresh = data.parent / "fresh"
    assert restore(fresh) == 0
    assert rows(fresh) == [1]
    assert files(fresh) == {
        DATABASE,
        "audit/anchor-1",
        "files/episodes/a/source",
        "files/episodes/b/source",
        "secret_key",
        "serve.lock",
    }
    assert (fresh / DATABASE).stat().st_mode & 0o077 == 0


def test_a_restored_folder_has_nothing_of_what_was_there(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    back_up(data, capsys)
    other = data.parent / "other"
    restore(other)
    (other / "files/later").write_text("later")
    with sqlite3.connect(other / DATABASE) as connection:
        connection.execute("INSERT INTO kept VALUES (2)")
    assert restore(other) == 1
    assert "--replace" in capsys.readouterr().err
    assert rows(other) == [1, 2]
    assert restore(other, "--replace") == 0
    assert rows(other) == [1]
    assert "files/later" not in files(other)


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (lambda backup, data: (backup / "backup.json").unlink(), "no complete backup"),
        (lambda backup, data: (backup / DATABASE).write_bytes(b"x"), "has changed since"),
        (lambda backup, data: (backup / "files/episodes/a/source").unlink(), "has 0 of its 1 stored files"),
    ],
)
def test_a_spoilt_backup_is_refused(
    spoilt: "object", said: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back_up(data, capsys)
    assert callable(spoilt)
    spoilt(data.parent / "backup", data)
    assert restore(data.parent / "fresh") == 1
    assert said in capsys.readouterr().err
    assert not (data.parent / "fresh" / DATABASE).exists()


def test_the_folder_of_a_running_server_is_not_restored(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    back_up(data, capsys)
    with (data / "serve.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert restore(data, "--replace") == 1
    assert "Stop it first" in capsys.readouterr().err
    assert main(["server", "backup", "--data", str(data / "queue"), "--to", str(data.parent / "x")]) == 1
    assert "pg_dump" in capsys.readouterr().err
