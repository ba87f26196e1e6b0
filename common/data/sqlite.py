"""Maintenance of the embedded SQLite database."""

import sqlite3
from pathlib import Path

from django.db import connection


def checkpoint() -> None:
    """Copy committed pages from SQLite's log into the database file, while other connections go on writing.

    Without this call SQLite copies them within the commit that fills the log, and that commit waits for the disk.
    Does nothing on PostgreSQL, which has a process of its own for it.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")


def kept_open() -> sqlite3.Connection | None:
    """A connection for a process to keep open, so that the files of SQLite's log stay where they are.

    The last connection that closes removes them, and the next one makes them anew: on a full disk it could not, and
    then nobody could read either. None on PostgreSQL, and where the database does not exist yet.
    """
    name = Path(str(connection.settings_dict["NAME"]))
    if connection.vendor != "sqlite" or not name.is_file():
        return None
    kept = sqlite3.connect(name, check_same_thread=False)
    # The log is opened by the first look at the database.
    kept.execute("PRAGMA schema_version").fetchone()
    return kept
