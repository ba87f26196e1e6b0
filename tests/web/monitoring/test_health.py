"""Health, readiness and metrics, as a program that watches the server sees them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from common.file_storage import FileStorage
from jobs import health as checks
from jobs import identity, tasks
from jobs.models import Heartbeat, Job
from lib.briefly_kept import BrieflyKept
from tests.support.builders import NOON
from tests.support.full_disk import room_for, stored
from web.monitoring import health

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _server_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that was started, and a worker that swept. Each request checks anew."""
    monkeypatch.setattr(health, "_missing", BrieflyKept(checks.missing, keep_s=0.0, patience_s=1.0))
    identity.make_first(at=NOON)
    tasks.sweep()


def test_the_server_says_that_it_is_alive_and_ready_and_leaves_no_file(stranger: APIClient) -> None:
    files = stored()["files"]
    assert stranger.get("/healthz").status_code == 200
    ready = stranger.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"missing": []})
    assert stored()["files"] == files


Breaks = Callable[[pytest.MonkeyPatch, Path], object]


def _job(**changes: Any) -> Job:
    return Job.objects.create(kind="k", subject="1", created_at=NOON, **{"due_at": NOON, **changes})


def _migration_waits(patch: pytest.MonkeyPatch, folder: Path) -> None:
    plan = "django.db.migrations.executor.MigrationExecutor.migration_plan"
    patch.setattr(plan, lambda executor, targets: ["0002"])


def _files_take_nothing(patch: pytest.MonkeyPatch, folder: Path) -> None:
    def falls(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    patch.setattr(FileStorage, "_save", falls)


def _silent(minutes: int) -> Breaks:
    before = timedelta(minutes=minutes)
    return lambda patch, folder: Heartbeat.objects.update(at=timezone.now() - before)


@pytest.mark.parametrize(
    ("breaks", "missing"),
    [
        (_migration_waits, ["migrations"]),
        (_files_take_nothing, ["files"]),
        (lambda patch, folder: folder.rename(folder.with_name("away")), ["files", "identity"]),
        (lambda patch, folder: (folder / identity.FILE).write_text("another"), ["identity"]),
        (lambda patch, folder: patch.setattr("django.conf.settings.DISK_RESERVE_BYTES", 1 << 62), ["disk"]),
        (_silent(2), ["sweep"]),
        (lambda patch, folder: _job(), ["jobs"]),
        (lambda patch, folder: _job(due_at=timezone.now() + timedelta(minutes=30)), []),
        (lambda patch, folder: checks.beat(Heartbeat.Name.MISPLACED, at=timezone.now()), ["workers"]),
    ],
)
def test_what_is_missing_is_named(
    breaks: Breaks, missing: list[str], stranger: APIClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as patch:
        breaks(patch, tmp_path / "files")
        ready = stranger.get("/readyz")
        assert stranger.get("/healthz").status_code == 200
    assert (ready.status_code, ready.json()) == (503 if missing else 200, {"missing": missing})


def test_a_database_that_takes_no_row_is_missing(stranger: APIClient) -> None:
    with room_for(0):
        assert stranger.get("/readyz").json() == {"missing": ["database"]}
    assert stranger.get("/readyz").json() == {"missing": []}


def test_a_long_queue_that_moves_is_no_fault(stranger: APIClient) -> None:
    _job()
    lease_ends = timezone.now() + timedelta(minutes=1)
    running = _job(state="running", due_at=lease_ends)
    assert stranger.get("/readyz").json() == {"missing": []}
    running.delete()
    checks.beat(Heartbeat.Name.JOB, at=timezone.now())
    assert stranger.get("/readyz").json() == {"missing": []}


def test_however_many_ask_the_checks_run_once_in_a_while(
    stranger: APIClient, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(health, "_missing", BrieflyKept(checks.missing, keep_s=60.0, patience_s=1.0))
    assert stranger.get("/readyz").json() == {"missing": []}
    with django_assert_num_queries(0):
        for _ in range(20):
            assert stranger.get("/readyz").json() == {"missing": []}


def test_checks_that_hang_are_told_as_such(stranger: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: BrieflyKept[list[str]] = BrieflyKept(checks.missing, keep_s=0.0, patience_s=0.0)
    monkeypatch.setattr(health, "_missing", kept)
    with kept._lock:
        ready = stranger.get("/readyz")
    assert (ready.status_code, ready.json()) == (503, {"missing": ["answer"]})


def test_jobs_that_wait_because_of_the_server_are_an_alarm_of_the_staff_pages() -> None:
    _job(held_since=NOON, error="FileNotFoundError: source", due_at=timezone.now() + timedelta(minutes=1))
    (told,) = checks.alarms(at=timezone.now())
    assert told.startswith("Since 2026-11-21 12:00 UTC jobs wait because of a fault of the server's own: FileNotFound")
    assert checks.missing() == []


def test_the_checks_cost_few_queries(django_assert_max_num_queries: Any) -> None:
    _job()
    with django_assert_max_num_queries(20):
        checks.missing()
    with django_assert_max_num_queries(7):
        checks.alarms(at=timezone.now())
