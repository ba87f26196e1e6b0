"""The cost of the answers behind the items of tranches, and which of them workers had marked as the agent's errors."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

from annotation.models import Annotation
from annotation.pay.budget import pay_entries
from learning.models import Item, Tranche
from routing.models import Sending
from workforce.ledger import PAYABLE

OUTCOMES: Mapping[str, str] = {"nlu": "nlu_error", "vision": "vision_error"}
"""The outcome of a command by which a worker says that the module erred."""
_BATCH = 400


def costs_of(tranche: Tranche) -> dict[int, Decimal]:
    """The cost of the answers behind each item, by the item's primary key. Some queries a thousand items.

    Items without paid answers are not named: they were posted, or their truth is a reference.
    """
    behind: dict[int, list[int]] = defaultdict(list)
    for item, answer in Item.annotations.through.objects.filter(item__tranche=tranche).values_list(
        "item", "annotation"
    ):
        behind[answer].append(item)
    found: dict[int, Decimal] = defaultdict(Decimal)
    known = sorted(behind)
    for start in range(0, len(known), _BATCH):
        answers = list(
            Annotation.objects.filter(pk__in=known[start : start + _BATCH]).only("public_id", "first_id", "worker")
        )
        items = {one.pay_id: behind[one.pk] for one in answers}
        for reason, amount in pay_entries(answers).filter(state__in=PAYABLE).values_list("reason", "amount"):
            for item in items[reason.rpartition(":")[2]]:
                found[item] += amount
    return dict(found)


def marked_among(module: str, tranches: Iterable[Tranche]) -> set[int]:
    """The tasks behind items of these tranches whose command a worker marked as an error of the module. 1 query."""
    tasks = Item.objects.filter(tranche__in=list(tranches), task__isnull=False).values("task")
    sent = Sending.objects.filter(task__in=tasks, command__outcome=OUTCOMES.get(module, ""))
    return set(sent.values_list("task", flat=True))
