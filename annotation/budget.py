"""The money of a project: what it has spent and promised, what room that leaves, and what is charged to it.

`spent` never passes the budget, because a claim is refused while there would be no room for all that may follow from
it: the base pay, and the most that the tool may pay above it. What was promised is counted anew each time, from the
holds and the work that nobody has decided on yet.

Locks: all that changes `spent`, or refuses something because of it, holds the project's row.
"""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Final

from django.db.models import F, QuerySet

from annotation.arms import most_base_pay
from annotation.models import Annotation, Assignment, Enrolment, Project
from annotation.tools import tool_named
from workforce.models import LedgerEntry

BASE: Final = "base:annotation:"
"""How the reason of a base pay begins; the public id of the annotation follows."""
BONUS: Final = "bonus:annotation:"
"""The same for a bonus."""
HELD: Final = Decimal(10**8)
"""What a project's books hold stays below this. SQLite takes more too, and then nobody can read the project."""


def most_for_one(project: Project) -> Decimal:
    """The most that one more task of the project may cost."""
    return most_base(project) + tool_named(project.tool).most_bonus(project)


def most_base(project: Project) -> Decimal:
    """The most that anybody is paid for a task, before any bonus."""
    return most_base_pay(project)


def room(project: Project) -> Decimal | None:
    """What may still be promised; None where there is no budget. At most 2 queries, and those of the tool.

    Locks: call with the project locked.
    """
    spent, budget = Project.objects.values_list("spent", "budget").get(pk=project.pk)
    if budget is None:
        return None
    tool = tool_named(project.tool)
    promised = Assignment.objects.held().filter(task__project=project).count()
    if tool.makes_its_own:
        promised += tool.unsettled(project)
    left: Decimal = budget - spent - promised * most_for_one(project) - tool.open_bonus(project)
    return left


def is_money_promised(project: Project) -> bool:
    """Whether anybody is or may be owed something by the project. At most 2 queries, and those of the tool."""
    return (
        LedgerEntry.objects.filter(account=project.slug).exists()
        or Assignment.objects.held().filter(task__project=project).exists()
        or tool_named(project.tool).open_bonus(project) > 0
    )


def charge(project: Project, earned: Mapping[int, Decimal]) -> None:
    """Add to what the project has spent and to what these workers, by their ids, have earned in it; less than 0 takes.

    Locks: call with the project locked. 1 query, and 1 a worker, in the order of their ids.
    """
    total = sum(earned.values(), Decimal(0))
    if total:
        Project.objects.filter(pk=project.pk).update(spent=F("spent") + total)
    for worker in sorted(earned):
        if earned[worker]:
            rows = Enrolment.objects.filter(project=project, worker=worker)
            rows.update(earned=F("earned") + earned[worker])


def base_entries(annotations: Collection[Annotation]) -> "QuerySet[LedgerEntry]":
    """What is owed for these answers themselves, without any bonus."""
    # By the workers too, since the index has them first.
    workers = {annotation.worker_id for annotation in annotations}
    reasons = [f"{BASE}{annotation.public_id}" for annotation in annotations]
    return LedgerEntry.objects.filter(worker__in=workers, reason__in=reasons)


def by_worker(rows: Iterable[tuple[int, Decimal]]) -> dict[int, Decimal]:
    """Sums of amounts by worker.

    >>> by_worker([(1, Decimal("0.50")), (2, Decimal("1")), (1, Decimal("0.25"))])
    {1: Decimal('0.75'), 2: Decimal('1')}
    """
    found: dict[int, Decimal] = {}
    for worker, amount in rows:
        found[worker] = found.get(worker, Decimal(0)) + amount
    return found
