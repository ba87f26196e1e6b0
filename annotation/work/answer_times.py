"""How long a worker waits for the answer to a submission, a correction, a report or a release."""

from django.db import transaction

from annotation.models import Project
from lib.even_times import EvenTimes

_times = EvenTimes()
"""The durations of each act that this process has measured, by project."""
now = _times.now


def even_out(project: Project, act: str, *, since: float) -> None:
    """Let the act take as long for a reference, which is scored, as for any other task, which may be settled.

    Call it in the transaction of the act. The worker waits after the commit, so nobody waits for a lock.

    Args:
        since: The moment, of `now`, before which the act is the same for both.
    """
    if project.serves_references and project.hides_references:
        transaction.on_commit(lambda: _times.hold_back((project.pk, act), since=since))
