"""A migrated SQLite database: made once a run, for migrations take ten seconds, and copied to whoever needs one."""

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

NAME = "migrated.sqlite3"
_shared: list[Path] = []


def share(folder: Path) -> None:
    """Keep it in this folder; all processes of a run name the same one, and no other run does."""
    _shared[:] = [folder]


@contextmanager
def _locked() -> Iterator[Path]:
    (folder,) = _shared
    with (folder / f"{NAME}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder / NAME


def make_tables(database: Path, migrate: Callable[[], object]) -> bool:
    """Make the tables of a database that is not there yet; whether they are a copy.

    Whoever of this run comes first has `migrate` make them, and the others wait for that. Where nothing is shared, as
    in a bench, everybody has them made.
    """
    if not _shared:
        migrate()
        return False
    with _locked() as kept:
        if is_copy := kept.exists():
            copy(kept, database)
        else:
            migrate()
            # Under another name until it is whole: this process may be killed.
            copy(database, half := kept.with_suffix(".half"))
            half.rename(kept)
    return is_copy


def copy(source: Path, target: Path) -> None:
    """Copy a database with what its log has not yet brought into it, as a whole and over what was there."""
    for left in ("", "-wal", "-shm"):
        target.with_name(target.name + left).unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
