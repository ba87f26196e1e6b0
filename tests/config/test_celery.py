"""The start of a worker of background jobs."""

from pathlib import Path
from typing import Any

from celery.signals import worker_init

import config.celery  # noqa: F401  # connects the signal
from lib.files.scratch import scratch_folder


def test_a_worker_removes_what_jobs_of_killed_ones_left(tmp_path: Path, settings: Any) -> None:
    settings.SCRATCH_DIR = tmp_path / "scratch"
    (settings.SCRATCH_DIR / "left").mkdir(parents=True)
    with scratch_folder(settings.SCRATCH_DIR) as used:
        worker_init.send(sender=None)
        assert [folder for folder in settings.SCRATCH_DIR.iterdir() if folder.is_dir()] == [used]
