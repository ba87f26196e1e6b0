"""Figures 4 to 7 of paper 004 on one's own data: what models learnt, on the union of the test sets of tranches.

T_n are the test items of the tranches 0 to n, R_n what there was to learn from up to then.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from learning.models import Tested, Tranche
from learning.models.trainings import Kind
from learning.training.metrics import Score, mean_on, repeats_in, score_of
from lib.plots.charts import Point
from lib.plots.series import series_plot
from web.staff.figure_files import Figure

MOST_TESTS = 5000
LEVELS = ((0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %"))
LINES = {Kind.BASELINE: "baseline", Kind.UPDATED: "updated", Kind.REBIASED: "re-biased"}


class Scored(NamedTuple):
    """A model with its scores.

    Attributes:
        learnt: The numbers of the tranches that it learnt from.
        tests: The score on the test items of each tranche, by its number.
    """

    kind: Kind
    learnt: frozenset[int]
    examples: int
    tests: Mapping[int, Score]


class Mean(NamedTuple):
    """The mean over the seeds, and its standard error where there are several."""

    seeds: int
    value: float
    error: float | None

    def at(self, place: float) -> Point:
        if self.error is None:
            return Point(place, self.value)
        return Point(place, self.value, self.value - self.error, self.value + self.error)


def scored_models(module: str) -> list[Scored]:
    """The newest models of a module that were tested. 3 queries."""
    repeats = repeats_in([module])
    rows = Tested.objects.filter(model__module=module, n__gt=0, mean_score__isnull=False)
    rows = rows.select_related("model", "tranche").prefetch_related("model__tranches")
    found: dict[int, tuple[Scored, dict[int, Score]]] = {}
    for row in rows.order_by("-model_id")[:MOST_TESTS]:
        if row.model_id not in found:
            tests: dict[int, Score] = {}
            learnt = frozenset(one.number for one in row.model.tranches.all())
            found[row.model_id] = (
                Scored(Kind(row.model.kind), learnt, row.model.train_examples, tests),
                tests,
            )
        if (score := score_of(row, repeats)) is not None:
            found[row.model_id][1][row.tranche.number] = score
    return [scored for scored, _ in found.values()]


def mean_of(models: Iterable[Scored], numbers: Sequence[int]) -> Mean | None:
    """The mean of the models that were tested on these tranches; None if none was."""
    values = [value for one in models if (value := mean_on(numbers, one.tests)) is not None]
    return mean_of_values(values) if values else None


def mean_of_values(values: Sequence[float]) -> Mean:
    """The mean of one value for each seed, one at least."""
    return Mean(len(values), fmean(values), stdev(values) / len(values) ** 0.5 if len(values) > 1 else None)


def paper_figures(module: str, tranches: Sequence[Tranche]) -> dict[str, Callable[[], Figure]]:
    """The plots by their names in the address; none where no closed tranche has test items."""
    tested = sorted(one.number for one in tranches if one.status == Tranche.Status.CLOSED and one.test)
    if not tested:
        return {}
    closed = sorted(one.number for one in tranches if one.status == Tranche.Status.CLOSED)
    what = "Mean IoU" if module == "vision" else "Exact match"
    found: dict[str, Callable[[], Figure]] = {"over_examples": lambda: _over_examples(module, tested, what)}
    if len(tested) > 1:
        found["by_tranche"] = lambda: _by_tranche(
            module, closed, tested, title=f"{what} on T_n", about=_ABOUT_T_N, until=None
        )
    if tested[0] == 0:
        found["on_first"] = lambda: _by_tranche(
            module, closed, tested, title=f"{what} on T_0", about=_ABOUT_T_0, until=0
        )
    return found


_ABOUT_T_N = (
    "Baseline models, updated ones and re-biased ones after each tranche n, on all test items up to it: Figures 5 and "
    "6 of the paper. Lines up and down: one standard error over the seeds."
)
_ABOUT_T_0 = (
    "The same models on the first test items alone, Figure 7 of the paper: whether a model forgets what it learnt "
    "first. Lines up and down: one standard error over the seeds."
)


def _over_examples(module: str, tested: Sequence[int], what: str) -> Figure:
    """Figure 4 of the paper: the share of right answers on all test items, over the number of training examples."""
    groups: Mapping[tuple[Kind, frozenset[int]], list[Scored]] = defaultdict(list)
    for one in scored_models(module):
        groups[one.kind, one.learnt].append(one)
    means = [
        (kind, learnt, fmean(one.examples for one in models), mean)
        for (kind, learnt), models in groups.items()
        if (mean := mean_of(models, tested)) is not None
    ]
    means.sort(key=lambda row: (row[2], row[0]))
    most = max((examples for _, _, examples, _ in means), default=0) or 1
    plain = [(examples, mean) for kind, _, examples, mean in means if kind != Kind.REBIASED]
    again = [(examples, mean) for kind, _, examples, mean in means if kind == Kind.REBIASED]
    lines = [
        (name, [mean.at(examples / most) for examples, mean in rows])
        for name, rows in (("updated", plain), ("re-biased", again))
    ]
    return Figure(
        f"{what} on T_all, over training examples",
        f"On the test items of the tranches {_listed(tested)} together: Figure 4 of the paper. The first point of "
        "“updated” is the baseline. Lines up and down: one standard error over the seeds.",
        series_plot(lines, edges=[(0.0, "0"), (1.0, f"{most:,.0f} examples")], levels=LEVELS),
        ("kind", "tranches", "examples", "seeds", "value", "standard_error"),
        [
            (kind.value, _listed(learnt), examples, mean.seeds, mean.value, mean.error)
            for kind, learnt, examples, mean in means
        ],
    )


def _by_tranche(
    module: str, closed: Sequence[int], tested: Sequence[int], *, title: str, about: str, until: int | None
) -> Figure:
    """Models of each kind after each tranche, on T_n; with `until` on the tests up to that tranche alone."""
    models = scored_models(module)
    last = closed[-1] or 1
    lines: dict[Kind, list[Point]] = {kind: [] for kind in Kind}
    rows = []
    for n in closed:
        numbers = [number for number in tested if number <= (n if until is None else until)]
        for kind in Kind:
            mean = mean_of([one for one in models if _is_after(one, kind, n, closed)], numbers)
            if mean is not None:
                lines[kind].append(mean.at(n / last))
                rows.append((n, kind.value, mean.seeds, mean.value, mean.error))
    return Figure(
        title,
        about,
        series_plot(
            [(LINES[kind], points) for kind, points in lines.items()],
            edges=[(n / last, f"T{n}") for n in closed],
            levels=LEVELS,
        ),
        ("tranche", "kind", "seeds", "value", "standard_error"),
        rows,
    )


def _is_after(model: Scored, kind: Kind, n: int, closed: Sequence[int]) -> bool:
    """Whether the model is of this kind as it is after tranche n: the baseline always, the others learnt from R_n."""
    if kind == Kind.BASELINE:
        return model.kind == kind
    until_n = frozenset(number for number in closed if number <= n)
    # After tranche 0 a baseline model is the updated one too.
    kinds = {kind, Kind.BASELINE} if n == 0 and kind == Kind.UPDATED else {kind}
    return model.kind in kinds and model.learnt == until_n


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
