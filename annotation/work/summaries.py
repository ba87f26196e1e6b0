"""The figures of a worker's last page in a project: work done, comparison with other people, money.

Nothing here shows which tasks are references. Answers to references count like all others, in the times and in the
comparison with other people. The comparison uses no truth; it changes once a day, and comes in tenths over many
answers, so that no single answer moves it.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import fmean, median
from typing import Any, NamedTuple

from django.db.models import Max, Sum, Window
from django.db.models.functions import RowNumber

from annotation.models import Annotation, Enrolment, Project
from annotation.tool_registry import Json, OwnTasks, Tool, tool_named, verdict_of
from workforce.models import LedgerEntry

MOST_COMPARED = 200
"""The number of a worker's answers, the newest ones, that are compared."""
MOST_OF_ONE_TASK = 7
"""The most answers of other people to one task that are compared, the first ones. References have far more of them."""
LEAST_COMPARED = 30
"""From this number of answers on a comparison with other people is shown."""
LEAST_TIMES = 10
"""From this number of times on, of the worker and of others, a usual time is shown."""
LEAST_PEOPLE = 3
"""From this number of other people on, their usual time is shown; that of fewer would be the time of a person."""
SEVERAL = 2
"""With a redundancy below this, only references have answers of several people, so nothing is compared."""
LEAST_SHARE = 0.5
"""The least share of a worker's answers to which others have answers too. Below it these are references before all, and
the comparison would tell how many of them the worker missed."""
State = LedgerEntry.State


class Owed(NamedTuple):
    """The worker's money in a project, by how far it has come; bonuses are in these sums, and once more alone.

    Attributes:
        waits: Handed in, and nobody has decided yet.
        approved: To be paid.
        sent: Paid by the people of the project.
        arrived: Known to have arrived.
        bonus: The bonuses in all of these.
        decided_by: When the last of what waits is approved at the latest; None if nothing waits, or no rule does it.
    """

    waits: Decimal
    approved: Decimal
    sent: Decimal
    arrived: Decimal
    bonus: Decimal
    decided_by: datetime | None


class Comparison(NamedTuple):
    """A worker beside the other people of a project.

    Attributes:
        my_s: The worker's median time for a task, in seconds; None with few times.
        their_s: The same of the other people's newest answers.
        same_in_ten: Of ten answers, about how many were like those of most others; None with few answers.
    """

    my_s: float | None
    their_s: float | None
    same_in_ten: int | None


def owed_to(enrolment: Enrolment) -> Owed:
    """The worker's money in the project, rejected entries aside. 1 query, and 1 if a rule decides on what waits."""
    entries = LedgerEntry.objects.filter(worker=enrolment.worker_id, account=enrolment.project.slug).order_by()
    rows = entries.values_list("state", "kind").annotate(total=Sum("amount"), newest=Max("at"))
    sums: dict[str, Decimal] = defaultdict(Decimal)
    newest: list[datetime] = []
    for state, kind, total, at in rows:
        if state == State.REJECTED:
            continue
        sums[state] += total
        if kind == LedgerEntry.Kind.BONUS:
            sums["bonus"] += total
        if state == State.OWED:
            newest.append(at)
    return Owed(
        waits=sums[State.OWED],
        approved=sums[State.APPROVED] + sums[State.FAILED],
        sent=sums[State.SENT],
        arrived=sums[State.CONFIRMED],
        bonus=sums["bonus"],
        decided_by=_decided_by(enrolment, newest),
    )


def _decided_by(enrolment: Enrolment, owed_at: Sequence[datetime]) -> datetime | None:
    """When the rule has approved all that waits. A correction is paid by the first answer's entry, and waits anew."""
    wait_s = enrolment.project.approve_after_s
    if wait_s is None or not owed_at:
        return None
    answers = Annotation.objects.undecided().filter(project=enrolment.project_id, worker=enrolment.worker_id)
    newest: datetime | None = answers.aggregate(at=Max("submitted_at"))["at"]
    return max([*owed_at, *([newest] if newest else [])]) + timedelta(seconds=wait_s)


def worked_s(enrolment: Enrolment) -> float:
    """For how long the worker was at work in the project, as the pages counted it, in seconds. 1 query."""
    theirs = Annotation.objects.current().filter(project=enrolment.project_id, worker=enrolment.worker_id)
    total: float | None = theirs.aggregate(total=Sum("active_s"))["total"]
    return total or 0.0


def comparison_for(enrolment: Enrolment, *, at: datetime) -> Comparison:
    """The worker beside other people, by the answers before the present day (UTC). At most 3 queries."""
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    earlier = Annotation.objects.current().filter(project=enrolment.project_id, submitted_at__lt=day)
    mine = list(
        earlier.filter(worker=enrolment.worker_id)
        .order_by("-submitted_at", "-pk")
        .values_list("task", "answer", "active_s")[:MOST_COMPARED]
    )
    others = earlier.exclude(worker=enrolment.worker_id)
    newest = others.filter(active_s__isnull=False).order_by("-number").values_list("active_s", "worker")
    times = [(active_s, worker) for active_s, worker in newest[:MOST_COMPARED] if active_s is not None]
    are_several = len({worker for _, worker in times}) >= LEAST_PEOPLE
    return Comparison(
        my_s=_usual([active_s for _, _, active_s in mine if active_s is not None]),
        their_s=_usual([active_s for active_s, _ in times]) if are_several else None,
        same_in_ten=_same_in_ten(enrolment.project, {task: answer for task, answer, _ in mine}, others),
    )


def _usual(times: Sequence[float]) -> float | None:
    return round(median(times), 1) if len(times) >= LEAST_TIMES else None


def _same_in_ten(project: Project, mine: dict[int, Json], others: Any) -> int | None:
    tool = tool_named(project.tool)
    # Live sessions are no answers to one question.
    if isinstance(tool, OwnTasks) or project.redundancy < SEVERAL or len(mine) < LEAST_COMPARED:
        return None
    said: dict[int, list[Json]] = defaultdict(list)
    place = Window(RowNumber(), partition_by="task", order_by="pk")
    of_these = others.filter(task__in=list(mine)).annotate(place=place).filter(place__lte=MOST_OF_ONE_TASK)
    for task, answer in of_these.values_list("task", "answer"):
        said[task].append(answer)
    shares = [share for task in said if (share := _agreement(tool, mine[task], said[task])) is not None]
    return round(10 * fmean(shares)) if len(shares) >= max(LEAST_COMPARED, LEAST_SHARE * len(mine)) else None


def _agreement(tool: Tool, mine: Json, others: Sequence[Json]) -> float | None:
    """How much an answer agrees with the common one of others, 0..1; None if these are tied."""
    verdict_in = verdict_of(tool)
    common = tool.merge(others).answer
    if verdict_in(mine) is not None and verdict_in(common) is None:
        return None
    return tool.agree(mine, common)
