"""The money of a project: its spending, its promises, the room that these leave, and charges.

`spent` never passes the budget, because a claim is refused unless there is room for the most that it may cost: the base
pay, and the highest bonus of the tool. Promises are not stored; they are counted each time, from the holds and from the
answers without a decision.

Locks: all code that changes `spent`, or refuses something because of it, locks the project's row.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import ClassVar, Final

from django.db import transaction
from django.db.models import F, QuerySet

from annotation.models import Annotation, Assignment, Enrolment, Project
from annotation.offer.experiments import most_base_pay
from annotation.tool_registry import Bonus, OwnTasks, tool_named
from lib.faults import Conflict, Invalid
from workforce import ledger
from workforce.models import LedgerEntry, Worker

BASE: Final = "base:annotation:"
"""The beginning of the reason of a base pay; the public id of the annotation follows, of a corrected one the first."""
BONUS: Final = "bonus:annotation:"
"""The beginning of the reason of a bonus; the public id of the annotation follows."""
HELD: Final = Decimal(10**8)
"""The sums of a project stay below this. SQLite accepts more, but then the project's row can no longer be read."""


class OverBudget(Conflict):
    """The budget has no room for this cost."""

    code: ClassVar[str] = "over_budget"
    sentence = "The budget has no room for this: it may take up to {needed} {currency}. Raise the budget first."


def most_for_one(project: Project) -> Decimal:
    """The most that one more task of the project may cost."""
    tool = tool_named(project.tool)
    return most_base(project) + (tool.most_bonus(project) if isinstance(tool, Bonus) else Decimal(0))


def most_base(project: Project) -> Decimal:
    """The highest base pay of a task, for any worker."""
    return most_base_pay(project)


def room(project: Project) -> Decimal | None:
    """The money that may still be promised; None where there is no budget. At most 2 queries, and those of the tool.

    Locks: call with the project locked.
    """
    spent, budget = Project.objects.values_list("spent", "budget").get(pk=project.pk)
    if budget is None:
        return None
    tool = tool_named(project.tool)
    promised = Assignment.objects.held().filter(task__project=project).count()
    if isinstance(tool, OwnTasks):
        promised += tool.unsettled(project)
    left: Decimal = budget - spent - promised * most_for_one(project) - _open_bonus(project)
    return left


def _open_bonus(project: Project) -> Decimal:
    tool = tool_named(project.tool)
    return tool.open_bonus(project) if isinstance(tool, Bonus) else Decimal(0)


def expected_bonuses(project: Project, annotations: Sequence[Annotation]) -> dict[int, Decimal]:
    """The bonus of each of these answers if it were approved now, by annotation id. 0 or 1 query."""
    tool = tool_named(project.tool)
    return tool.expected_bonuses(annotations) if isinstance(tool, Bonus) else {}


def is_money_promised(project: Project) -> bool:
    """True if the project owes or may come to owe something to a worker. At most 2 queries, and those of the tool."""
    return (
        LedgerEntry.objects.filter(account=project.slug).exists()
        or Assignment.objects.held().filter(task__project=project).exists()
        or _open_bonus(project) > 0
    )


def charge(project: Project, earned: Mapping[int, Decimal]) -> None:
    """Add to the project's spending, and to what these workers, by their ids, have earned in it; a negative amount
    subtracts.

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
    """The ledger entries of the base pay of these answers."""
    return _entries(annotations, (BASE,))


def pay_entries(annotations: Collection[Annotation]) -> "QuerySet[LedgerEntry]":
    """The ledger entries of the base pay and the bonuses of these answers."""
    return _entries(annotations, (BASE, BONUS))


def _entries(annotations: Collection[Annotation], kinds: Sequence[str]) -> "QuerySet[LedgerEntry]":
    # By the workers too, since the index has them first.
    workers = {annotation.worker_id for annotation in annotations}
    reasons = [f"{kind}{annotation.pay_id}" for kind in kinds for annotation in annotations]
    return LedgerEntry.objects.filter(worker__in=workers, reason__in=reasons)


def sums_by_state(annotations: Collection[Annotation]) -> dict[str, Decimal]:
    """The base pay and the bonuses of these answers, added up by the state of their entries. 1 query."""
    found: dict[str, Decimal] = {}
    for state, amount in pay_entries(annotations).order_by("state").values_list("state", "amount"):
        found[state] = found.get(state, Decimal(0)) + amount
    return found


def by_worker(rows: Iterable[tuple[int, Decimal]]) -> dict[int, Decimal]:
    """Sums of amounts by worker.

    >>> by_worker([(1, Decimal("0.50")), (2, Decimal("1")), (1, Decimal("0.25"))])
    {1: Decimal('0.75'), 2: Decimal('1')}
    """
    found: dict[int, Decimal] = {}
    for worker, amount in rows:
        found[worker] = found.get(worker, Decimal(0)) + amount
    return found


def correct_pay(
    *, project: Project, worker: Worker, amount: Decimal, why: str, by: str, at: datetime, key: str
) -> bool:
    """Enter a correction, and charge it to the project; False if it was entered before under its key.

    Raises:
        Invalid: the worker never worked in the project, or has earned less than the correction takes back; or the
            project's sums cannot hold so much.
        OverBudget: the project has no room for it.
        Conflict: another correction has this key.
    """
    with transaction.atomic():
        spent = Project.objects.select_for_update().values_list("spent", flat=True).get(pk=project.pk)
        earned = Enrolment.objects.filter(project=project, worker=worker).values_list("earned", flat=True).first()
        if earned is None:
            raise Invalid.at("#/worker", "This worker has never been in the project.")
        left = room(project) if amount > 0 else None
        is_new = ledger.correct(
            worker=worker,
            account=project.slug,
            amount=amount,
            currency=project.currency,
            earned=earned,
            why=why,
            by=by,
            at=at,
            key=key,
        )
        if not is_new:
            return False
        if earned + amount < 0:
            raise Invalid.at("#/amount", f"They earned {earned:.2f} {project.currency} here; take back no more.")
        if spent + amount >= HELD:
            has = f"{spent:.2f} {project.currency}"
            raise Invalid.at("#/amount", f"That is too much: {has} is spent, and books hold {HELD:,} at most.")
        if left is not None and amount > left:
            raise OverBudget(needed=f"{amount:.2f}", currency=project.currency)
        charge(project, {worker.pk: amount})
    return True
