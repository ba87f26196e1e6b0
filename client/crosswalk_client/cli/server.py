"""`crosswalk server`: the backup of a server's data folder on its own machine, and its restoring. It needs no key."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from crosswalk_client.api.uploads import digest
from crosswalk_client.cli.common import Subparsers, command
from crosswalk_client.cli.output import Fault, result

DATABASE, LOCK = "crosswalk.sqlite3", "serve.lock"
BEFORE, AFTER = ("audit",), ("files", "secret_key")
"""The names that are copied before the database and after it. The audit's anchors name no event that the copy has not,
and each file that the database names is in the copy."""
PASSING = (".incoming", ".probe")
"""Folders of half-written files, and of those of the health check."""
SEAL = "backup.json"
"""The last file of a backup: where it is, the backup is complete."""


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    whole = commands.add_parser("server", help="back up the data folder of a server on this machine, and restore it")
    inside = whole.add_subparsers(dest="what", metavar="backup|restore", required=True)
    backup_ = command(
        inside,
        common,
        "backup",
        backup,
        help="copy the data folder of a server, which may run meanwhile; again into the same folder copies what is new",
        examples="crosswalk server backup --data /srv/crosswalk --to /srv/backup",
    )
    backup_.add_argument("--to", type=Path, required=True, metavar="FOLDER", help="where the copy goes")
    restore_ = command(
        inside,
        common,
        "restore",
        restore,
        help="put a complete backup into the data folder of a server that is stopped",
        examples="crosswalk server restore --data /srv/crosswalk --from /srv/backup",
    )
    restore_.add_argument("--from", dest="source", type=Path, required=True, metavar="FOLDER", help="the backup")
    restore_.add_argument("--replace", action="store_true", help="replace the data that is there")
    for made in (backup_, restore_):
        made.add_argument(
            "--data",
            type=Path,
            default=os.environ.get("CROSSWALK_DATA_DIR") or None,
            metavar="FOLDER",
            help="the server's data folder; else CROSSWALK_DATA_DIR",
        )


def backup(asked: Namespace) -> int:
    data, to = _data(asked), asked.to
    if not (data / DATABASE).is_file():
        raise Fault(f"{data / DATABASE} is not there. A database elsewhere is backed up with its own tools (pg_dump).")
    to.mkdir(parents=True, exist_ok=True, mode=0o700)
    (to / SEAL).unlink(missing_ok=True)
    copied = sum(_copy(data / name, to / name) for name in BEFORE)
    _copy_database(data / DATABASE, to / DATABASE)
    copied += sum(_copy(data / name, to / name) for name in AFTER)
    sealed = {"at": datetime.now(timezone.utc).isoformat(), "database_sha256": digest(to / DATABASE)}
    told = {**sealed, "files": _count(to / "files"), "copied_now": copied}
    (to / SEAL).write_text(json.dumps(told))
    result(asked, told, f"{to}: the database and {told['files']} stored files; {copied} files were copied now.")
    return 0


def restore(asked: Namespace) -> int:
    data, source = _data(asked), asked.source
    try:
        sealed: dict[str, Any] = json.loads((source / SEAL).read_text())
    except (OSError, ValueError):
        raise Fault(f"{source} is no complete backup: {SEAL} is not there.") from None
    if digest(source / DATABASE) != sealed["database_sha256"]:
        raise Fault(f"{source / DATABASE} has changed since the backup was made.")
    if (found := _count(source / "files")) < sealed["files"]:
        raise Fault(f"{source} is no complete backup: it has {found} of its {sealed['files']} stored files.")
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _stopped(data):
        if (data / DATABASE).exists() and not asked.replace:
            raise Fault(f"{data} has the data of a server already; --replace replaces it.")
        for name in (*BEFORE, *AFTER):
            if (data / name).is_dir():
                shutil.rmtree(data / name)
            _copy(source / name, data / name)
        # A log of the earlier database would be taken for one of this.
        for ending in ("-wal", "-shm"):
            (data / f"{DATABASE}{ending}").unlink(missing_ok=True)
        _copy_database(source / DATABASE, data / DATABASE)
    result(asked, sealed, f"{data} is as it was at {sealed['at']}. Start the server.")
    return 0


def _data(asked: Namespace) -> Path:
    if asked.data is None:
        raise Fault("Name the server's data folder: --data FOLDER.")
    return Path(asked.data)


@contextmanager
def _stopped(data: Path) -> Iterator[None]:
    """Hold the lock that a running server holds.

    Raises:
        Fault: a server runs on this folder.
    """
    import fcntl

    with (data / LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Fault(f"A server runs on {data}. Stop it first.") from None
        yield


def _copy_database(source: Path, to: Path) -> None:
    """Copy the database as it is at one moment; the copy is there whole or not at all.

    Raises:
        Fault: the copy is damaged.
    """
    unfinished = to.with_name(f"{to.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(unfinished)) as new,
    ):
        old.backup(new)
        # One file alone: without a log beside it.
        new.execute("PRAGMA journal_mode=DELETE")
        found = new.execute("PRAGMA quick_check").fetchone()[0]
    if found != "ok":
        raise Fault(f"The copy of {source} is damaged: {found}.")
    unfinished.chmod(0o600)
    unfinished.replace(to)


def _copy(source: Path, to: Path) -> int:
    """Copy a file or a folder, but for files that are there with the same size and time; how many were copied."""
    copied = 0
    for path in _files(source):
        target = to / path.relative_to(source) if source.is_dir() else to
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            if _is_same(path, target):
                continue
            unfinished = target.with_name(f"{target.name}.unfinished")
            shutil.copy2(path, unfinished)
        except FileNotFoundError:
            continue  # the server has deleted it meanwhile
        unfinished.replace(target)
        copied += 1
    return copied


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(PASSING):
            yield path


def _count(folder: Path) -> int:
    return sum(1 for _ in _files(folder))


def _is_same(path: Path, target: Path) -> bool:
    if not target.exists():
        return False
    one, other = path.stat(), target.stat()
    return (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)
