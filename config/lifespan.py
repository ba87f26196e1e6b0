"""The start of a web process: it checks that it may work before the first request, and loads the rest after it."""

import logging
import sqlite3
from importlib import import_module
from threading import Event, Thread
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.signals import request_finished
from django.db import DatabaseError, connection
from django.utils import timezone

from common.data.sqlite import kept_open
from config.first_start import renew_builder_key
from jobs import identity
from lib.faults import FilesUnavailable

logger = logging.getLogger(__name__)

LOADED_LATER = (
    "config.urls",
    "markdown_it",
    "numpy.ma",
    "encodings.unicode_escape",
    "django.template.context_processors",
    "django.contrib.auth.context_processors",
    "django.contrib.messages.context_processors",
    settings.JOB_QUEUE.rpartition(".")[0],
    "config.file_queue",
    "celery.app.amqp",
    "celery.app.events",
    "celery.events.dispatcher",
    "celery.events.receiver",
    "celery.backends.base",
)
"""The modules that calls of workers load on first use: pages with instructions, marked voxels, messages of jobs."""
LOADER = "loads-later"
"""The name of the thread that loads these, so that nobody's request waits for them."""
FIRST_ANSWER_S = 10.0
"""For how long loading waits for the first answer: the process is to answer soon after its start."""


async def lifespan(scope: Any, receive: Any, send: Any) -> None:
    """The ASGI application of the protocol `lifespan`; uvicorn ends where the start fails, and logs why."""
    kept = None
    while (await receive())["type"] == "lifespan.startup":
        try:
            kept = await sync_to_async(_begin, thread_sensitive=False)()
        except identity.IdentityDiffers as error:
            await send({"type": "lifespan.startup.failed", "message": error.detail})
            return
        Thread(target=_load_later, name=LOADER, daemon=True).start()
        await send({"type": "lifespan.startup.complete"})
    if kept is not None:
        kept.close()
    await send({"type": "lifespan.shutdown.complete"})


def _begin() -> sqlite3.Connection | None:
    """Check that database and files belong together. Where either is away, the process begins and waits for it.

    Returns:
        A connection to keep open while the process lives, on SQLite.

    Raises:
        IdentityDiffers: they do not.
    """
    try:
        identity.check()
        renew_builder_key(at=timezone.now())
        return kept_open()
    except (DatabaseError, FilesUnavailable):
        logger.exception("web.begins_without")
        return None
    finally:
        connection.close()


def _load_later() -> None:
    answered = Event()

    def note(**_: Any) -> None:
        answered.set()

    request_finished.connect(note)
    answered.wait(FIRST_ANSWER_S)
    request_finished.disconnect(note)
    for name in LOADED_LATER:
        try:
            import_module(name)
        except Exception:
            # Whoever needs it says what is wrong with it.
            logger.warning("web.not_loaded", extra={"module": name}, exc_info=True)
