"""`python -m config.worker`: the worker of background jobs beside the web server: one process with two threads.

It is what `celery -A config.celery worker --pool threads --concurrency 2 …` starts, without Celery's command line: that
loads an interactive shell, which takes 10 MB and a good part of the start.
"""

import logging
import os
import sys

from config.celery import app

THREADS = 2


def main() -> None:
    """Work until a signal ends the process."""
    # `manage.py prepare` has made Django's checks. Again they would load all pages here, which a worker does not show.
    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
    worker = app.Worker(
        pool_cls="threads",
        concurrency=THREADS,
        loglevel=logging.WARNING,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


if __name__ == "__main__":
    main()
