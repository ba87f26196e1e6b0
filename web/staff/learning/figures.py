"""Plots of one's own data as in paper 004: accuracy over training examples, and the errors of the acting model."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean, stdev
from typing import NamedTuple

from learning.models import GateVerdict, Serving, Tested, TrainedModel, Tranche
from learning.models.trainings import Kind
from learning.serving.gate import group_of
from learning.training.testing import predictions_of
from lib.faults import FilesUnavailable, NotFound
from lib.plots.charts import Point, line_plot, row_plot
from lib.statistics.model_gate.error_rates import WORSE, GateErrors, gate_errors
from web.staff.figure_files import Figure

MOST_MODELS = 500
SIMULATED = 1000
USUAL_CHANGE = 0.2
"""The share of items on which a retrained model differs from the one before, where no comparison has told it."""
LEVELS = ((0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %"))


class Learnt(NamedTuple):
    """Models of one kind that learnt from the same tranches: their mean, and its standard error over the seeds."""

    kind: str
    tranches: str
    examples: float
    seeds: int
    mean: float
    standard_error: float | None


def learnt_on(tranche: Tranche) -> list[Learnt]:
    """The scores of the models that were tested on this tranche, by the tranches that they learnt from. 3 queries."""
    rows = Tested.objects.filter(tranche=tranche, mean_score__isnull=False).select_related("model")
    found: Mapping[tuple[str, str], list[Tested]] = defaultdict(list)
    for row in rows.prefetch_related("model__tranches").order_by("-model_id")[:MOST_MODELS]:
        numbers = sorted(one.number for one in row.model.tranches.all())
        found[row.model.kind, ", ".join(map(str, numbers))].append(row)
    learnt = [_learnt(kind, tranches, rows_of) for (kind, tranches), rows_of in found.items()]
    return sorted(learnt, key=lambda one: (one.examples, one.kind))


def _learnt(kind: str, tranches: str, rows: Sequence[Tested]) -> Learnt:
    values = [row.mean_score or 0.0 for row in rows]
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    examples = fmean(row.model.train_examples for row in rows)
    return Learnt(kind, tranches, examples, len(rows), fmean(values), error)


def over_examples(tranche: Tranche, *, rebiased: bool = False) -> Figure:
    """Figure 4 of the paper: the share of right answers over the number of training examples."""
    kinds = {Kind.REBIASED} if rebiased else {Kind.BASELINE, Kind.UPDATED}
    rows = [one for one in learnt_on(tranche) if one.kind in kinds]
    most = max((one.examples for one in rows), default=0) or 1
    points = [
        Point(
            one.examples / most,
            one.mean,
            None if one.standard_error is None else one.mean - one.standard_error,
            None if one.standard_error is None else one.mean + one.standard_error,
        )
        for one in rows
    ]
    what = "Mean IoU" if tranche.module == "vision" else "Exact match"
    whose = "re-biased models" if rebiased else "baseline and updated models"
    return Figure(
        f"{what} of {whose} on T{tranche.number}",
        "Over the number of training examples; lines up and down: one standard error over the seeds.",
        line_plot(points, bounds=(0, 1), edges=[(0.0, "0"), (1.0, f"{most:,.0f} examples")], levels=LEVELS),
        ("kind", "tranches", "examples", "seeds", "value", "standard_error"),
        [tuple(one) for one in rows],
    )


def errors_by_action(model: TrainedModel | None, tranche: Tranche) -> Figure:
    """How many test items of each action the model gets wrong, most first."""
    wrong: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    about = f"Of the model {model.public_id}." if model else "No model was tested yet."
    try:
        predictions = predictions_of(model, tranche) if model else []
    except (NotFound, FilesUnavailable) as reason:
        predictions, about = [], reason.detail
    for row in predictions:
        group = group_of(tranche.module, row["truth"])
        seen[group] += 1
        wrong[group] += not row["correct"]
    rows = [(name, count, seen[name]) for name, count in wrong.most_common()]
    return Figure(
        f"Errors by action on T{tranche.number}",
        about,
        row_plot([(name, count, f"{count} of {n}") for name, count, n in rows]),
        ("action", "errors", "items"),
        rows,
    )


def errors_of_gate(verdict: GateVerdict) -> Figure:
    """How often the gate errs with test sets of the size that the verdict rests on, by simulation."""
    found = verdict.content
    differ = (found["gained"] + found["lost"]) / found["n"] if found["n"] else 0.0
    changed = max(round(differ, 2), WORSE) if differ else USUAL_CHANGE
    errors = _simulated(found["n"], changed, verdict.look)
    points = f"{WORSE * 100:.0f} points"
    rows = [
        ("no better, no worse: stopped by a rule", errors.unchanged_refused),
        ("no better, no worse: passed", errors.unchanged_passed),
        (f"{points} worse: passed", errors.worse_passed),
        (f"{points} better, {points} worse on T0: passed", errors.forgetful_passed),
        (f"{points} better: passed", errors.better_passed),
    ]
    return Figure(
        f"How often the gate errs with {found['n']} test items",
        f"{SIMULATED:,} simulated models of each kind at look {verdict.look}, with as many items on T0. They differ "
        f"from the acting one on {changed:.0%} of the items.",
        row_plot([(name, share, f"{share:.1%}") for name, share in rows]),
        ("models", "share"),
        rows,
    )


@lru_cache(maxsize=256)
def _simulated(items: int, changed: float, look: int) -> GateErrors:
    """The same for the same arguments, so that it is computed once. Some tenths of a second."""
    return gate_errors([items], changed=changed, look=look, runs=SIMULATED)[0]


def shown_model(module: str, serving: Serving | None) -> TrainedModel | None:
    """The model whose errors are drawn: the acting one, else the newest. At most 1 query."""
    if serving is not None and serving.model is not None:
        return serving.model
    return TrainedModel.objects.filter(module=module).order_by("-pk").first()
