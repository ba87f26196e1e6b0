"""Telling errors of the server's own machine, above all a full disk, from errors of what somebody sent."""

import errno
import shutil
from collections.abc import Iterator

from django.conf import settings
from django.db import InterfaceError, OperationalError

from lib.faults import ServerFault

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_POSTGRES_FULL = "53100"
"""SQLSTATE `disk_full` (PostgreSQL manual, appendix A)."""
_POSTGRES_AWAY = ("08", "57P")
"""SQLSTATEs of connections that fail, and of a server that ends or starts (PostgreSQL manual, appendix A)."""
_NEEDED_BYTES = 1024 * 1024
"""SQLite reports some writes to a full disk as an I/O error; less free space than this explains such an error."""


def is_full(error: BaseException) -> bool:
    """Whether the error, or one that it follows from, means that a disk has no room left.

    The disk may be that of the data folder, of temporary files, or of the PostgreSQL server.
    """
    return any(_is_full(one) for one in _chain(error))


def is_own_fault(error: BaseException) -> bool:
    """Whether the server's machines caused the error: a file that cannot be found, read or written, a full disk, a
    database that is away.

    An OSError without a number comes from no system call: Pillow raises it for damaged pictures. Storages raise a
    FileNotFoundError without one.
    """
    return is_full(error) or is_database_away(error) or any(_is_own_fault(one) for one in _chain(error))


def is_database_away(error: BaseException) -> bool:
    """Whether the error means that PostgreSQL cannot be reached, or ended the connection because it ends itself."""
    return any(_is_away(one) for one in _chain(error))


def has_room() -> bool:
    """Whether the disk of the data folder has more free space than `CROSSWALK_DISK_RESERVE_MB`. One system call."""
    return free_bytes() >= settings.DISK_RESERVE_BYTES


def free_bytes() -> int:
    """The free bytes on the disk of the data folder; 0 where the folder cannot be found."""
    try:
        return shutil.disk_usage(settings.DATA_DIR).free
    except OSError:
        return 0


def _chain(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _is_own_fault(error: BaseException) -> bool:
    if isinstance(error, ServerFault | FileNotFoundError):
        return True
    return isinstance(error, OSError) and error.errno is not None


def _is_away(error: BaseException) -> bool:
    cause = error.__cause__
    if not isinstance(error, OperationalError | InterfaceError) or not type(cause).__module__.startswith("psycopg"):
        return False
    # An error that PostgreSQL did not send itself has no SQLSTATE.
    state = getattr(cause, "sqlstate", None)
    return state is None or state.startswith(_POSTGRES_AWAY)


def _is_full(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    if getattr(error, "sqlstate", None) == _POSTGRES_FULL:
        return True
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")):
        return free_bytes() < _NEEDED_BYTES
    return name == "SQLITE_FULL"
