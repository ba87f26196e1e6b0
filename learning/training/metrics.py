"""The scores of models on the test items of each tranche."""

from collections.abc import Sequence
from typing import Any

from learning.models import Tested, TrainedModel


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
