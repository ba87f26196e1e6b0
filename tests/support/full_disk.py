"""A disk without room, simulated: writes of the database that fail as they do on a full disk, and what is stored."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg.errors
from django.apps import apps
from django.core.files.storage import default_storage
from django.db import OperationalError, connection

from events.log import DELIVER

WRITES = ("INSERT", "UPDATE", "DELETE")
SEALS = ('UPDATE "audit_auditevent"', "UPDATE audit_auditevent ")
"""Events of the audit log are sealed after the commit, or later where that fails."""
PRESENCE = {"used_at", "used_from", "lease_expires_at"}
"""Columns that say when and from where a credential or a page was last used, whatever became of the request."""


def database_is_full() -> OperationalError:
    """The error of the present database when its disk is full."""
    cause: Exception
    if connection.vendor == "sqlite":
        cause = sqlite3.OperationalError("database or disk is full")
        cause.sqlite_errorcode, cause.sqlite_errorname = sqlite3.SQLITE_FULL, "SQLITE_FULL"
    else:
        cause = psycopg.errors.DiskFull("could not extend file: No space left on device")
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@contextmanager
def room_for(writes: int) -> Iterator[list[str]]:
    """Let so many writing statements succeed, and every later one fail; yields the statements that failed.

    What is asked for after the commit is not counted: sealing the audit log, and the job that delivers events. Where
    that fails, a schedule makes up for it.
    """
    left, failed = writes, []

    def is_counted(statement: str, values: Any) -> bool:
        if not statement.lstrip().upper().startswith(WRITES) or statement.startswith(SEALS):
            return False
        return not (statement.startswith('INSERT INTO "jobs_job"') and DELIVER in (values or ()))

    def execute(run: Any, statement: str, values: Any, *rest: Any) -> Any:
        nonlocal left
        if is_counted(statement, values):
            if left == 0:
                failed.append(statement)
                raise database_is_full()
            left -= 1
        return run(statement, values, *rest)

    with connection.execute_wrapper(execute):
        yield failed


def stored() -> dict[str, list[Any]]:
    """All rows of each table without when somebody was last there, and the names of all stored files."""
    rows = {}
    for model in apps.get_models():
        columns = [field.attname for field in model._meta.concrete_fields if field.attname not in PRESENCE]
        rows[model._meta.label] = sorted(model._default_manager.order_by().values_list(*columns), key=repr)
    folder = Path(default_storage.path(""))
    return {**rows, "files": sorted(str(path) for path in folder.rglob("*") if path.is_file())}
