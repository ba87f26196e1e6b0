"""Whether the server can do its work: checks for programs and people that watch it."""

import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min, Q
from django.utils import timezone

from common.server_faults import has_room
from jobs import identity
from jobs.models import Heartbeat, Job

PATIENCE_S = 2
"""How long a check waits for a lock of the database."""
SWEEP_LATE = timedelta(minutes=1)
"""Workers sweep every few seconds; without a sweep for so long, background work stands still."""
JOBS_LATE = timedelta(minutes=5)
"""Work that has been due for so long, while no job has run for as long, stands still."""
MISPLACED_FOR = timedelta(minutes=1)
"""How long a process that refused to work is told of after it last did."""


class Check(NamedTuple):
    """One fact that must hold.

    Attributes:
        name: For programs.
        sentence: For people, where it does not hold.
        look: Raises an exception, or returns False, where it does not hold.
    """

    name: str
    sentence: str
    look: Callable[[], object]


def missing() -> list[str]:
    """The names of the checks that do not hold now.

    Costs: at most 20 statements, one of them a write; one small file written, read and deleted. 20 ms, embedded.
    """
    return [check.name for check in CHECKS if not _holds(check)]


def alarms(*, at: datetime) -> list[str]:
    """Sentences for staff about what holds up the server's work. At most 7 queries; it writes nothing."""
    told = [check.sentence for check in (DISK, IDENTITY, SWEEP, JOBS) if not _holds(check)]
    for beat in Heartbeat.objects.filter(name=Heartbeat.Name.MISPLACED, at__gt=at - MISPLACED_FOR):
        told.append(f"A process refuses to work: {beat.detail}")
    held = Job.objects.held().aggregate(since=Min("held_since"), error=Min("error"))
    if held["since"] is not None:
        since = f"{held['since']:%Y-%m-%d %H:%M} UTC"
        told.append(f"Since {since} jobs wait because of a fault of the server's own: {held['error']}")
    return told


def beat(name: Heartbeat.Name, *, at: datetime, detail: str = "", every: timedelta = timedelta()) -> None:
    """Note that something was at work, unless that was noted less than `every` ago. 1 query, 2 the first time."""
    rows = Heartbeat.objects.filter(name=name)
    changed = rows.filter(at__lte=at - every).update(at=at, detail=detail)
    if not changed and not rows.exists():
        Heartbeat.objects.bulk_create([Heartbeat(name=name, at=at, detail=detail)], ignore_conflicts=True)


def this_process() -> str:
    """The machine and the number of this process, for people."""
    return f"process {os.getpid()} on {socket.gethostname()}"


def _holds(check: Check) -> bool:
    try:
        return check.look() is not False
    except Exception:
        return False


@contextmanager
def _impatient() -> Iterator[None]:
    """A transaction that gives up after `PATIENCE_S` where another one holds a lock."""
    if connection.vendor != "sqlite":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE_S}s'")
            cursor.execute(f"SET LOCAL statement_timeout = '{PATIENCE_S}s'")
            yield
        return
    with connection.cursor() as cursor:
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_S * 1000}")
    try:
        with transaction.atomic():
            yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")


def _writes_a_row() -> bool:
    word = secrets.token_hex(8)
    with _impatient():
        beat(Heartbeat.Name.PROBE, at=timezone.now(), detail=word)
    # Another process may have written since.
    return Heartbeat.objects.filter(name=Heartbeat.Name.PROBE, at__gt=timezone.now() - SWEEP_LATE).exists()


def _has_all_migrations() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _writes_a_file() -> bool:
    word = secrets.token_hex(8).encode()
    name = default_storage.save(f".probe/{secrets.token_hex(8)}", ContentFile(word))
    try:
        with default_storage.open(name) as file:
            return bool(file.read() == word)
    finally:
        default_storage.delete(name)


def _sweeps() -> bool:
    return Heartbeat.objects.filter(name=Heartbeat.Name.SWEEP, at__gt=timezone.now() - SWEEP_LATE).exists()


def _works() -> bool:
    """Whether no job is long due, or jobs do run: a long queue that moves is no fault."""
    now = timezone.now()
    if not Job.objects.due(at=now - JOBS_LATE).exists():
        return True
    at_work = Q(name=Heartbeat.Name.JOB, at__gt=now - JOBS_LATE)
    running = Job.objects.filter(state=Job.State.RUNNING, due_at__gt=now)
    return Heartbeat.objects.filter(at_work).exists() or running.exists()


def _is_nobody_misplaced() -> bool:
    since = timezone.now() - MISPLACED_FOR
    return not Heartbeat.objects.filter(name=Heartbeat.Name.MISPLACED, at__gt=since).exists()


DATABASE = Check("database", "The database takes no rows.", _writes_a_row)
MIGRATIONS = Check("migrations", "The database waits for migrations: run manage.py prepare.", _has_all_migrations)
FILES = Check("files", "The storage takes no files.", _writes_a_file)
IDENTITY = Check("identity", "The files here do not belong to this database; see /readyz and the log.", identity.check)
DISK = Check("disk", "The disk of the data folder is full: every write is refused.", has_room)
SWEEP = Check("sweep", "No background worker has been heard of for a minute: is one running, and the broker?", _sweeps)
JOBS = Check("jobs", "Work has been due for five minutes, and no job has run since.", _works)
WORKERS = Check("workers", "A process refuses to work.", _is_nobody_misplaced)
CHECKS = (DATABASE, MIGRATIONS, FILES, IDENTITY, DISK, SWEEP, JOBS, WORKERS)
