"""One training at a time: the job of the run that is next."""

from datetime import datetime

from jobs.models import Job
from jobs.outbox import enqueue
from learning.models import Run

TRAIN = "learning.train"
"""The kind of job that trains one run; its subject is the run."""
ATTEMPTS = 4


def train_next() -> None:
    """Have the next run trained, unless one is being trained. 1 or 3 queries.

    One job at a time has the unique key, so that trainings leave a thread of the worker for all other work.
    """
    if Job.objects.unfinished().filter(unique_key=TRAIN).exists():
        return
    run = Run.objects.waiting().first() or Run.objects.filter(status=Run.Status.RUNNING, claimed_by="").first()
    if run is not None:
        enqueue(TRAIN, str(run.pk), unique_key=TRAIN, max_attempts=ATTEMPTS)


def keep_training(at: datetime) -> None:
    """Have the next run trained; each minute, in case a process died between two runs."""
    train_next()
