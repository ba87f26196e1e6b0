"""What the answers behind the items of tranches cost, and which of them workers had marked as the agent's errors."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from annotation.pay.budget import BASE, BONUS
from learning.models import Item, Tranche
from routing.models import Sending
from workforce.models import LedgerEntry

OUTCOMES: Mapping[str, str] = {"nlu": "nlu_error", "vision": "vision_error"}
"""The outcome of a command by which a worker says that the module erred."""
_BATCH = 400


def costs_of(tranche: Tranche) -> dict[int, Decimal]:
    """What the answers behind each item of the tranche cost, by the item's primary key. Some queries a thousand items.

    Items without paid answers are not named: they were posted, or their truth is a reference.
    """
    behind = Item.annotations.through.objects.filter(item__tranche=tranche)
    items: dict[str, list[int]] = defaultdict(list)
    for item, answer in behind.values_list("item", "annotation__public_id"):
        items[answer].append(item)
    found: dict[int, Decimal] = defaultdict(Decimal)
    answers = list(items)
    for start in range(0, len(answers), _BATCH):
        reasons = [f"{kind}{one}" for one in answers[start : start + _BATCH] for kind in (BASE, BONUS)]
        for reason, amount in LedgerEntry.objects.filter(reason__in=reasons).values_list("reason", "amount"):
            for item in items[reason.rpartition(":")[2]]:
                found[item] += amount
    return dict(found)


def marked_among(module: str, tranches: Iterable[Tranche]) -> set[int]:
    """The tasks behind items of these tranches whose command a worker marked as an error of the module. 1 query."""
    tasks = Item.objects.filter(tranche__in=list(tranches), task__isnull=False).values("task")
    sent = Sending.objects.filter(task__in=tasks, command__outcome=OUTCOMES.get(module, ""))
    return set(sent.values_list("task", flat=True))
