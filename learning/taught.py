"""The agent's gain from the work in one project, as a worker may be told."""

from typing import NamedTuple

from annotation.models import Project
from learning.models import Item, Serving, Tested, TrainedModel
from learning.training.lineage import LEARNT


class Taught(NamedTuple):
    """The models that learnt from a project's answers, and their tests.

    Attributes:
        examples: How many examples the models may learn from it; those of tests are not among them.
        is_in_use: A model that learnt from them acts in new sessions.
        right, before: The shares of a test that this model gets right, and that one before it got right; None where
            they were not tested on the same.
    """

    examples: int
    is_in_use: bool
    right: float | None
    before: float | None


def taught_by(project: Project) -> Taught | None:
    """None where nothing has been learnt from the project yet. At most 5 queries."""
    tranches = list(project.tranches.closed().values_list("pk", flat=True))
    learnt = Item.objects.filter(tranche__in=tranches, origin=Item.Origin.ANNOTATED, split__in=LEARNT)
    examples = learnt.usable().count()
    if not examples:
        return None
    serving = Serving.objects.filter(model__tranches__in=tranches).select_related("model").first()
    if serving is None or serving.model is None:
        return Taught(examples, is_in_use=False, right=None, before=None)
    now = _tests_of(serving.model)
    earlier = (
        TrainedModel.objects.filter(module=serving.module, pk__lt=serving.model.pk, tests__tranche__in=now)
        .exclude(tranches__in=tranches)
        .order_by("-pk")
        .first()
    )
    before = _tests_of(earlier) if earlier else {}
    shared = [tranche for tranche in now if tranche in before and now[tranche].n]
    if not shared:
        return Taught(examples, is_in_use=True, right=None, before=None)
    total = sum(now[tranche].n for tranche in shared)
    return Taught(
        examples,
        is_in_use=True,
        right=sum(now[tranche].correct for tranche in shared) / total,
        before=sum(before[tranche].correct for tranche in shared) / total,
    )


def _tests_of(model: TrainedModel) -> dict[int, Tested]:
    """The tests of a model by their tranche. 1 query."""
    return {test.tranche_id: test for test in model.tests.all()}
