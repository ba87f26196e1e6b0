"""Celery only carries the message "row N is due"; the work itself is a row of `jobs`."""

import logging
import os
from pathlib import Path
from typing import Any

from celery import Celery, bootsteps
from celery.signals import celeryd_init, worker_init
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

from config.private_files import create_privately
from lib.files.scratch import remove_abandoned

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
logger = logging.getLogger(__name__)

SWEEP_EVERY_S = 5.0
TRANSPORT_ALIASES["files"] = "config.file_queue:Transport"


def _broker() -> dict[str, object]:
    """The broker that the settings name, else a queue of files inside the data folder."""
    url = settings.CELERY_BROKER_URL or settings.REDIS_URL
    if url:
        return {"broker_url": url, "broker_transport_options": {"visibility_timeout": 3600}}
    folder = Path(settings.DATA_DIR) / "queue"
    for name in ("messages", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {
        "broker_url": "files://",
        "broker_transport_options": {
            "data_folder_in": str(folder / "messages"),
            "data_folder_out": str(folder / "messages"),
            "control_folder": str(folder / "control"),
            "polling_interval": 0.2,
        },
    }


class Clock(bootsteps.StartStopStep):
    """Sends the message that starts a sweep, from each worker: sweeps may overlap, and none is missed with a worker.

    Celery's own clock is a process of its own that nobody restarts, and it keeps a file that it cannot write on a full
    disk.
    """

    requires = ("celery.worker.components:Timer",)

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._entry: Any = None

    def start(self, worker: Any) -> None:
        self._entry = worker.timer.call_repeatedly(SWEEP_EVERY_S, _send_sweep)

    def stop(self, worker: Any) -> None:
        if self._entry is not None:
            self._entry.cancel()


def _send_sweep() -> None:
    try:
        app.send_task("jobs.sweep", expires=SWEEP_EVERY_S)
    except Exception as error:
        # The broker is away, or its disk is full; the next message may come through.
        logger.warning("sweep.not_sent", extra={"error": str(error)})


@celeryd_init.connect
def _create_privately(**_: object) -> None:
    create_privately()


app = Celery("crosswalk")
app.conf.update(
    **_broker(),
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    timezone="UTC",
)
app.steps["worker"].add(Clock)
app.autodiscover_tasks(["jobs"])


@worker_init.connect
def remove_abandoned_scratch(**_: object) -> None:
    """Remove what jobs of killed workers left on the disk."""
    removed = remove_abandoned(settings.SCRATCH_DIR)
    if removed:
        logger.warning("scratch.removed", extra={"folders": removed})
