"""Plots of the errors of a model, by action and by noun, and of the errors of the gate."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from learning.models import GateVerdict, Serving, TrainedModel, Tranche
from learning.serving.gate import NLU, gate_settings, group_of
from learning.training.inputs import items_of
from learning.training.testing import predictions_of
from lib.faults import FilesUnavailable, NotFound
from lib.logical_form.spans import tokenise
from lib.plots.charts import row_plot
from lib.statistics.model_gate.error_rates import WORSE, GateErrors, gate_errors
from web.staff.figure_files import Figure

Json = Mapping[str, Any]
MOST_ROWS = 15
"""The rows of a plot by noun; its file has all."""
SIMULATED = 1000
USUAL_CHANGE = 0.2
"""The share of items on which a retrained model differs from the one before, where no comparison has told it."""


def errors_by_action(model: TrainedModel | None, tranches: Sequence[Tranche]) -> Figure:
    """How many test items of each action the model gets wrong, most first."""
    return _errors(model, tranches, "action", lambda row, _: [group_of(tranches[-1].module, row["truth"])])


def errors_by_noun(model: TrainedModel | None, tranches: Sequence[Tranche]) -> Figure:
    """How many test items that name a thing the model gets wrong, by the words of the name, most first."""
    return _errors(model, tranches, "noun", lambda row, given: nouns_of(row["truth"], given))


def nouns_of(truth: Any, given: Json) -> list[str]:
    """The names of things in a command, in its own words; of a scene the phrase."""
    if "phrase" in given:
        return [str(given["phrase"]).lower()]
    tokens = tokenise(str(given.get("text", "")))
    return sorted({" ".join(tokens[first : last + 1]).lower() for first, last in _named_spans(truth)})


def _named_spans(value: Any) -> Iterator[tuple[int, int]]:
    """The spans of words by which a form names things."""
    if isinstance(value, list):
        for one in value:
            yield from _named_spans(one)
    elif isinstance(value, dict):
        span = value.get("obj_text")
        if value.get("pred_text") == "has_name" and isinstance(span, list) and isinstance(span[-1], list):
            yield span[-1][0], span[-1][1]
        for one in value.values():
            yield from _named_spans(one)


def _errors(
    model: TrainedModel | None,
    tranches: Sequence[Tranche],
    by: str,
    groups: Callable[[Mapping[str, Any], Json], Iterable[str]],
) -> Figure:
    wrong: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    about = f"Of the model {model.public_id}." if model else "No model was tested yet."
    given = {item.item: item.given or {} for item in items_of(tranches, "test")} if model else {}
    counted: set[str] = set()
    for tranche in reversed(tranches) if model else ():
        try:
            rows_here = predictions_of(model, tranche) if model else []
            for row in (one for one in rows_here if one["item"] not in counted):
                for group in groups(row, given.get(row["item"], {})):
                    seen[group] += 1
                    wrong[group] += not row["correct"]
            counted.update(row["item"] for row in rows_here)
        except NotFound:
            continue  # it was not tested on this one
        except FilesUnavailable as reason:
            about = reason.detail
    rows = [(name, count, seen[name]) for name, count in wrong.most_common()]
    shown = [(name, count, f"{count} of {n}") for name, count, n in rows[:MOST_ROWS]]
    more = f" The {MOST_ROWS} with the most errors; the file has all {len(rows)}." if len(rows) > MOST_ROWS else ""
    return Figure(
        f"Errors by {by} on T{tranches[-1].number}",
        about + more,
        row_plot(shown),
        (by, "errors", "items"),
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
    return gate_errors([items], changed=changed, look=look, runs=SIMULATED, settings=gate_settings(NLU))[0]


def shown_model(module: str, serving: Serving | None) -> TrainedModel | None:
    """The model whose errors are drawn: the acting one, else the newest. At most 1 query."""
    if serving is not None and serving.model is not None:
        return serving.model
    return TrainedModel.objects.filter(module=module).order_by("-pk").first()
