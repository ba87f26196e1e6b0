"""Celery only carries the message "row N is due"; the work itself is a row of `jobs`."""

import os
from pathlib import Path

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def _broker() -> dict[str, object]:
    """The broker that the settings name, else Celery's filesystem transport inside the data folder."""
    url = settings.CELERY_BROKER_URL or settings.REDIS_URL
    if url:
        return {"broker_url": url, "broker_transport_options": {"visibility_timeout": 3600}}
    folder = Path(settings.DATA_DIR) / "queue"
    for name in ("messages", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {
        "broker_url": "filesystem://",
        "broker_transport_options": {
            "data_folder_in": str(folder / "messages"),
            "data_folder_out": str(folder / "messages"),
            "control_folder": str(folder / "control"),
            "polling_interval": 0.2,
        },
    }


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
    beat_schedule={"sweep": {"task": "jobs.sweep", "schedule": 5.0, "options": {"expires": 5.0}}},
    beat_schedule_filename=str(Path(settings.DATA_DIR) / "beat"),
    timezone="UTC",
)
app.autodiscover_tasks(["jobs"])
