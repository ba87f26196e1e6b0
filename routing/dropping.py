"""Commands whose data is dropped, since their session was rejected: their reports are dismissed, and tasks that no
other command asks for are withdrawn. Where that is overturned, all of it is taken up again.

Nothing here is told which way it goes: it looks at the command as it is now, under its lock. So it may run as often and
as late as it likes, and two that run at once end up alike.

Locks: as in `sending`, the project that was sent to, then the report, then the command.
"""

from datetime import datetime

from django.db import transaction

from annotation.models import Project
from annotation.withdrawing import restore, withdraw
from routing import cases
from routing.cases import Case
from routing.models import Sending
from routing.reports import follow
from routing.sending import ask_for, held, locked_report, sendings_of
from routing.states import renew_state


def reconsider(*, project: int, command: str, at: datetime) -> None:
    """Bring what was made of a command in line with whether its data counts. Call after the commit of what changed it.

    Costs: some 6 queries, 10 more for each project that it was sent to.
    """
    case = cases.case_of(project, command)
    if case is None:
        return
    with transaction.atomic():
        report = locked_report(case)
        # Whoever sends it at this moment is waited for; whoever comes later sees what it is.
        now = held(case)
        if report is not None:
            follow(report=report, case=now, at=at)
        if not now.dropped:
            ask_for(project=project, command=command)
    sent = Sending.objects.filter(project=project, command=command, task__isnull=False)
    for to in list(sent.order_by("to_id").values_list("to_id", flat=True).distinct()):
        _reconsider_in(to, case, at=at)


def _reconsider_in(project: int, case: Case, *, at: datetime) -> None:
    with transaction.atomic():
        to = Project.objects.select_for_update().get(pk=project)
        report = locked_report(case)
        is_dropped = bool(held(case).dropped)
        rows = sendings_of(case, to).filter(task__isnull=False, is_dropped=not is_dropped)
        changed = list(rows.select_related("task").order_by("pk"))
        rows.update(is_dropped=is_dropped)
        for task in [row.task for row in changed if row.task is not None]:
            task.project = to
            if not is_dropped:
                restore(task=task, at=at)
            elif not Sending.objects.filter(task=task, is_dropped=False).exists():
                withdraw(task=task, at=at)
        if report is not None:
            renew_state(report, at=at, is_known=case.truth is not None)
