"""The scores of models on the test items of each tranche, and on those of several tranches together."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count

from learning.models import Item, Tested, TrainedModel, Tranche
from learning.training.testing import prediction_lines
from lib.faults import FilesUnavailable
from lib.strict_json import parse_json

Repeats = Mapping[int, Mapping[str, int]]
"""By the primary key of a tranche: its test items that a later tranche has again, with another truth, and the number
of the next tranche that has them."""


class Score(NamedTuple):
    """How right a model was on the test items of one tranche.

    Attributes:
        total: The sum of the scores of the `n` items.
        again: Of each item that a later tranche has again: the number of that tranche, and the score of the item here.
    """

    n: int
    total: float
    again: Sequence[tuple[int, float]]


def metrics_of(models: Sequence[TrainedModel]) -> list[dict[str, Any]]:
    """One row for each model and tranche that it was tested on. 2 queries.

    The value is the share of test items that were right, exactly; for masks the mean IoU.
    """
    rows = Tested.objects.filter(model__in=models).select_related("model", "tranche")
    found = rows.prefetch_related("model__tranches").order_by("model__run__number", "tranche__number")
    return [
        {
            "kind": row.model.kind,
            "trained_on": sorted(one.number for one in row.model.tranches.all()),
            "tested_on": row.tranche.number,
            "seed": row.model.seed,
            "n": row.n,
            "value": row.mean_score,
        }
        for row in found
    ]


def repeats_in(modules: Collection[str]) -> Repeats:
    """The test items that stand in several closed tranches of these modules. 1 query."""
    tests = Item.objects.filter(split="test", tranche__module__in=modules, tranche__status=Tranche.Status.CLOSED)
    several = tests.order_by().values("tranche__module", "item").annotate(rows=Count("pk")).filter(rows__gt=1)
    rows = tests.filter(item__in=several.values("item")).order_by("-tranche__number")
    later: dict[tuple[str, str], int] = {}
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for tranche, module, number, item in rows.values_list("tranche", "tranche__module", "tranche__number", "item"):
        if (module, item) in later:
            found[tranche][item] = later[module, item]
        later[module, item] = number
    return found


def score_of(tested: Tested, repeats: Repeats) -> Score | None:
    """The score of a test; None where its predictions are needed and their file is not there."""
    returned = repeats.get(tested.tranche_id, {})
    again = []
    try:
        for line in prediction_lines(tested) if returned else ():
            row = parse_json(line)
            if row["item"] in returned:
                again.append((returned[row["item"]], value_of(row)))
    except FilesUnavailable:
        return None
    return Score(tested.n, tested.n * (tested.mean_score or 0.0), again)


def mean_on(numbers: Iterable[int], scores: Mapping[int, Score]) -> float | None:
    """The mean score on the test items of all these tranches; None without items, or where one of them has no score.

    An item that several of them have counts once, in the newest of them: its truth there is the one that stands.

    Args:
        numbers: Of all tranches with test items up to one of them.
    """
    wanted = list(numbers)
    if not wanted or any(number not in scores for number in wanted):
        return None
    items, total = 0, 0.0
    for number in wanted:
        replaced = [value for later, value in scores[number].again if later <= max(wanted)]
        items += scores[number].n - len(replaced)
        total += scores[number].total - sum(replaced)
    return total / items if items else None


def value_of(row: Mapping[str, Any]) -> float:
    """The score of one kept prediction: the IoU of a mask, else 1 or 0."""
    return float(row["iou"]) if "iou" in row else float(row["correct"])
