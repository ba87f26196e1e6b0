"""What the embedded database needs from whoever writes to it often."""

from django.db import connection


def checkpoint() -> None:
    """Carry what was committed over from SQLite's log into the database file, while others go on writing.

    Left to itself SQLite lets the commit that fills the log do it, and whoever waits for that one waits for the disk.
    Nothing to do on PostgreSQL, which has a process of its own for it.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
