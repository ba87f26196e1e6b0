"""The lineage of a model: its tranches, the answers behind them, and the workers who gave these."""

from typing import Any

from django.db.models import Q, QuerySet

from annotation.models import Annotation
from learning.models import Item, TrainedModel
from workforce.models import Worker

LEARNT = ("train", "valid")
"""The splits that a model has seen: it learns from the first, and is chosen by the second."""


def items_behind(model: TrainedModel) -> QuerySet[Item]:
    return Item.objects.filter(tranche__in=model.tranches.all(), split__in=LEARNT)


def annotations_behind(model: TrainedModel) -> QuerySet[Annotation]:
    """The answers from which the truths of its items follow."""
    return Annotation.objects.filter(items__in=items_behind(model)).distinct()


def workers_behind(model: TrainedModel) -> QuerySet[Worker]:
    """The workers who gave these answers, or said what was learnt."""
    items = items_behind(model)
    behind = Q(pk__in=Annotation.objects.filter(items__in=items).values("worker")) | Q(items__in=items)
    return Worker.objects.filter(behind).distinct()


def lineage_of(model: TrainedModel, *, whole: bool = True) -> dict[str, Any]:
    """The lineage as the API shows it. 3 queries.

    Args:
        whole: False leaves out the answers and the workers, which are many, as null.
    """
    tranches = sorted(model.tranches.all(), key=lambda one: one.number)
    annotations, workers = None, None
    if whole:
        annotations = list(annotations_behind(model).order_by("pk").values_list("public_id", flat=True))
        workers = sorted(workers_behind(model).values_list("pseudonym", flat=True))
    return {
        "tranches": [{"n": one.number, "sha256": one.sha256} for one in tranches],
        "annotations": annotations,
        "workers": workers,
        "code": model.code,
    }


def models_that_learnt_from(worker: Worker) -> QuerySet[TrainedModel]:
    """The models that learnt from what this worker said or answered."""
    theirs = Item.objects.filter(Q(authors=worker) | Q(annotations__worker=worker), split__in=LEARNT)
    return TrainedModel.objects.filter(tranches__in=theirs.values("tranche")).distinct()
