"""Maintenance of the embedded SQLite database."""

from django.db import connection


def checkpoint() -> None:
    """Copy committed pages from SQLite's log into the database file, while other connections go on writing.

    Without this call SQLite copies them within the commit that fills the log, and that commit waits for the disk.
    Does nothing on PostgreSQL, which has a process of its own for it.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
