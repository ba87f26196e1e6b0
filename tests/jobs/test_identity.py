"""The database and the files carry one identity, and a process whose two differ refuses to work."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from common.file_storage import FileStorage
from jobs import identity, outbox, tasks
from jobs.health import missing
from jobs.identity import IdentityDiffers
from jobs.models import Heartbeat, Installation, Job
from lib.faults import FilesUnavailable
from tests.support.builders import NOON
from tests.support.pages import words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The folder of files of an installation that was started before."""
    identity.make_first(at=NOON)
    return tmp_path / "files"


@pytest.fixture
def ran() -> Any:
    """The subjects of the jobs that ran."""
    ran: list[str] = []
    outbox.handles("tests.kind", lambda running: ran.append(running.subject))
    yield ran
    outbox._handlers.pop("tests.kind")


def test_the_first_start_writes_one_identity_into_both_and_a_repeat_changes_nothing(files: Path) -> None:
    written = (files / identity.FILE).read_text().strip()
    assert Installation.objects.get().identity == written
    assert len(written) == 32
    identity.make_first(at=NOON + timedelta(days=1))
    assert (files / identity.FILE).read_text().strip() == written
    identity.check()


def test_a_first_start_that_was_broken_off_between_the_two_is_completed(files: Path) -> None:
    (files / identity.FILE).unlink()
    Installation.objects.update(stored_at=None)
    identity.make_first(at=NOON)
    identity.check()


def _other_files(files: Path) -> None:
    (files / identity.FILE).write_text("0" * 32)


def _empty_folder(files: Path) -> None:
    (files / identity.FILE).unlink()


def _other_database(files: Path) -> None:
    Installation.objects.all().delete()


@pytest.mark.parametrize("changes", [_other_files, _empty_folder, _other_database])
def test_what_does_not_belong_together_is_refused_until_somebody_says_that_it_does(
    changes: Callable[[Path], None], files: Path
) -> None:
    changes(files)
    for refuses in (identity.check, lambda: identity.make_first(at=NOON)):
        with pytest.raises(IdentityDiffers, match=r"do not belong together.*adopt_files"):
            refuses()
    with pytest.raises(CommandError, match="do not belong together"):
        call_command("prepare")
    assert "identity" in missing()
    call_command("adopt_files", stdout=StringIO())
    identity.check()


def test_a_worker_with_files_of_another_installation_leaves_the_jobs_and_raises_an_alarm(
    files: Path, ran: list[str], dora: Client, caplog: pytest.LogCaptureFixture
) -> None:
    outbox.enqueue("tests.kind", "7")
    job = Job.objects.get()
    Job.objects.update(sent_at=None)
    files.rename(files.with_name("moved"))
    files.mkdir()
    tasks.run(job.pk)
    tasks.sweep()
    job.refresh_from_db()
    assert (job.state, job.attempts, job.sent_at, ran) == ("waiting", 0, None, [])
    assert not Heartbeat.objects.filter(name=Heartbeat.Name.SWEEP).exists()
    assert "work.refused" in caplog.text
    # What a web process with the right files tells of it.
    files.rmdir()
    files.with_name("moved").rename(files)
    assert "workers" in missing()
    assert "A process refuses to work: process" in words_of(dora, "/staff/")

    tasks.run(job.pk)
    tasks.sweep()
    job.refresh_from_db()
    assert (job.state, ran) == ("done", ["7"])
    later = timezone.now() - timedelta(minutes=2)
    Heartbeat.objects.filter(name=Heartbeat.Name.MISPLACED).update(at=later)
    assert missing() == []


def test_a_full_disk_leaves_the_jobs_waiting(files: Path, ran: list[str], settings: Any) -> None:
    outbox.enqueue("tests.kind", "7")
    settings.DISK_RESERVE_BYTES = 1 << 62
    tasks.run(Job.objects.get().pk)
    assert (Job.objects.get().state, ran) == ("waiting", [])
    settings.DISK_RESERVE_BYTES = 0
    tasks.run(Job.objects.get().pk)
    assert ran == ["7"]


def test_a_folder_of_files_that_is_gone_is_no_other_folder(files: Path) -> None:
    files.rename(files.with_name("moved"))
    with pytest.raises(IdentityDiffers, match="have none"):
        identity.check()


def test_a_storage_that_does_not_answer_is_unavailable(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def falls(*args: object) -> None:
        raise ConnectionError("no route to the bucket")

    monkeypatch.setattr(FileStorage, "open", falls)
    with pytest.raises(FilesUnavailable):
        identity.check()
