"""A real worker that outlived its server, with another data folder and the same database."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from config.serving import WORKER
from tests.support.servers import Site, own_site
from tests.support.shared_data import ROOT

pytestmark = pytest.mark.long

ENQUEUE = """
from jobs.outbox import enqueue
enqueue("jobs.forget_finished", "7")
"""
LOOK = """
import json
from jobs.models import Heartbeat, Job
job = Job.objects.get(subject="7")
print(json.dumps([job.state, job.attempts, *Heartbeat.objects.order_by("name").values_list("name", flat=True)]))
"""


def run(site: Site, code: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v", "0", "-c", code]
    return subprocess.run(command, env=site.environment, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


@contextmanager
def worker(site: Site, **environment: str) -> Iterator[None]:
    """A Celery worker on the site's database."""
    with (site.folder / "worker.log").open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", *WORKER],
            env={**site.environment, **environment},
            cwd=ROOT,
            stdout=said,
            stderr=said,
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def eventually(site: Site, wanted: list[Any]) -> None:
    until = time.monotonic() + 120
    while (told := json.loads(run(site, LOOK))) != wanted:
        assert time.monotonic() < until, told
        time.sleep(0.5)


def test_it_leaves_the_jobs_to_a_worker_with_the_right_files(tmp_path: Path) -> None:
    ours, other = tmp_path / "ours", tmp_path / "other"
    for folder in (ours, other):
        folder.mkdir()
    database = os.environ.get("DATABASE_URL", "")
    secret = {"CROSSWALK_SECRET_KEY": "only-for-the-tests"}
    with own_site(ours, **({} if database else {"DATABASE_URL": ""}), **secret) as site:
        shared = site.environment["DATABASE_URL"] or f"sqlite://{ours / 'crosswalk.sqlite3'}"
        run(site, ENQUEUE)
        with worker(site, CROSSWALK_DATA_DIR=str(other), DATABASE_URL=shared):
            eventually(site, ["waiting", 0, "misplaced"])
        with worker(site):
            eventually(site, ["done", 1, "job", "misplaced", "sweep"])
