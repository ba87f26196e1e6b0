"""The plots of a project's page and a worker's page: accuracy, drift, references, agreement, times, answers a day.

Each plot reads only a limited number of the newest rows, so it costs the same in a project with a million answers.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate

from annotation.models import Annotation, AnnotationQuerySet, Project, Record
from annotation.references.reference_health import has_classes
from annotation.tool_registry import tool_named, verdict_of
from lib.plots.charts import Point, bar_plot, heat_plot, line_plot
from lib.plots.intervals import Measured, interval_plot
from lib.statistics import agreement, answer_times, sequential
from lib.statistics.accuracy import accuracy_windows
from lib.statistics.intervals import wilson
from web.staff.figure_files import Figure
from workforce.models import Worker

NEWEST = 2_000
"""The number of newest answers that a plot reads: a page with five plots stays within 150 ms."""
MOST_RATERS = 12
MOST_ROWS = 20
DAYS = 14
WINDOW = 10
"""The number of references in one point of a worker's accuracy over time."""
DRIFT_BELOW = 0.7
"""The threshold of the drift plot in a project without a gate."""
BINS = 24

Named = Callable[[Worker], str]
Figures = Mapping[str, Callable[[], Figure]]


def figures_of_project(project: Project, *, named: Named, wanted: int, at: datetime) -> Figures:
    """The plots of a project's page, by their names in the address. Each is computed when it is called.

    1 to 2 queries.
    """
    every: dict[str, Callable[[], Figure]] = {
        "throughput": partial(throughput, project, wanted=wanted, at=at),
        "accuracy": partial(accuracy, project, named=named),
        "references": partial(references, project),
        "agreement": partial(agreement_of_raters, project, named=named),
        "times": partial(times, project),
    }
    if not has_classes(project):
        # Accuracy and agreement are defined for tools with yes and no. Workers of other tools are compared on another
        # page.
        del every["accuracy"], every["agreement"]
    return every


def figures_of_worker(worker: Worker, project: Project | None) -> Figures:
    """The plots of a worker's page. Times are drawn only for one project."""
    figures: dict[str, Callable[[], Figure]] = {"drift": partial(accuracy_over_time, worker, project)}
    if project is not None:
        figures["times"] = partial(times, project, worker=worker)
    return figures


def throughput(project: Project, *, wanted: int, at: datetime) -> Figure:
    """Answers a day, and the date by which all `wanted` answers arrive if the last days go on. 1 query."""
    first = (at - timedelta(days=DAYS - 1)).replace(hour=0, minute=0, second=0, microsecond=0)
    counted = dict(
        Annotation.objects.current()
        .filter(project=project, submitted_at__gte=first)
        .annotate(day=TruncDate("submitted_at"))
        .values_list("day")
        .annotate(n=Count("pk"))
        .order_by("day")
    )
    days = [(first + timedelta(days=number)).date() for number in range(DAYS)]
    rows = [(day, counted.get(day, 0)) for day in days]
    return Figure(
        "Answers a day",
        f"The last {DAYS} days, in UTC. {_projected_end(wanted, [n for _, n in rows], at=at)}",
        bar_plot([(f"{day:%d %b}", n) for day, n in rows]),
        ["day", "answers"],
        [[day.isoformat(), n] for day, n in rows] if counted else [],
    )


def _projected_end(wanted: int, a_day: list[int], *, at: datetime) -> str:
    # The pace is that of the last week, from its first day with an answer.
    week = a_day[-7:]
    begun = next((number for number, n in enumerate(week) if n), None)
    if not wanted:
        return "No answers are wanted at the moment."
    if begun is None:
        return f"{wanted} more answers are wanted; at no answers a day there is no end in sight."
    pace = sum(week[begun:]) / len(week[begun:])
    end = at + timedelta(days=wanted / pace)
    return f"{wanted} more answers are wanted: at {pace:.1f} a day until about {end:%d %B %Y}."


def accuracy(project: Project, *, named: Named) -> Figure:
    """Balanced accuracy of the workers who answered the most references. 1 query."""
    records = list(
        Record.objects.filter(project=project, references__gt=0)
        .select_related("worker")
        .order_by("-references", "pk")[:MOST_ROWS]
    )
    records.sort(key=lambda record: -1.0 if record.balanced_accuracy is None else record.balanced_accuracy)
    measured = [
        Measured(named(record.worker), record.balanced_accuracy, record.low, record.high, n=record.references)
        for record in records
    ]
    return Figure(
        "Balanced accuracy",
        f"On references, with 95 % intervals, lowest first: the {MOST_ROWS} workers who met the most of them. "
        "Guessing gets 50 %.",
        interval_plot(measured),
        ["worker", "balanced_accuracy", "low", "high", "references"],
        [[one.label, one.value, one.low, one.high, one.n] for one in measured],
    )


def references(project: Project) -> Figure:
    """The references that the fewest workers answered right. 1 query."""
    # Some answers have no score: their reference was retired, or the worker's earlier steps already went wrong.
    scored = Annotation.objects.counting().on_references().filter(project=project, score__isnull=False)
    newest = _newest(scored)
    tally: dict[str, list[int]] = {}
    for whole, key, score in newest.values_list("task__part_of__key", "task__key", "score"):
        one = tally.setdefault(whole or key, [0, 0])
        one[0] += score == 1
        one[1] += 1
    lowest = sorted(tally.items(), key=lambda item: (item[1][0] / item[1][1], item[0]))[:MOST_ROWS]
    measured = [Measured(key, right / n, *wilson(right, n), n=n) for key, (right, n) in lowest]
    return Figure(
        "Pass rates of references",
        f"The {MOST_ROWS} that fewest workers got right, with 95 % intervals. A low one may have a wrong truth.",
        interval_plot(measured),
        ["reference", "pass_rate", "low", "high", "answers"],
        [[one.label, one.value, one.low, one.high, one.n] for one in measured],
    )


def agreement_of_raters(project: Project, *, named: Named) -> Figure:
    """How often the most active workers agreed in pairs, and Krippendorff's alpha. 2 queries."""
    verdict_in = verdict_of(tool_named(project.tool))
    rows = [
        (task, worker, said)
        for task, worker, answer in _newest(Annotation.objects.counting().filter(project=project)).values_list(
            "task_id", "worker_id", "answer"
        )
        if (said := verdict_in(answer)) is not None
    ]
    units, raters, values = ([row[column] for row in rows] for column in range(3))
    matrix = agreement.agreement_matrix(units, raters, values, most=MOST_RATERS)
    workers = Worker.objects.in_bulk(matrix.raters)
    names = [named(workers[pk]) for pk in matrix.raters]
    pairs = [
        (i, j, share, matrix.common[i][j])
        for i in range(len(names))
        for j in range(len(names))
        if i != j and (share := matrix.share(i, j)) is not None
    ]
    return Figure(
        "Agreement",
        f"Of the {len(names)} most active workers, in percent of the tasks that both judged. "
        f"{_alpha_in_words(units, [int(value) for value in values])}",
        heat_plot(names, {(i, j): (share, f"{n} task{'s' * (n != 1)} in common") for i, j, share, n in pairs}),
        ["worker", "other", "agreement", "tasks_in_common"],
        [[names[i], names[j], share, n] for i, j, share, n in pairs if i < j],
    )


def _alpha_in_words(units: list[int], values: list[int]) -> str:
    alpha, interval = agreement.alpha_of(units, values), agreement.alpha_interval(units, values)
    if alpha is None:
        return "Krippendorff's alpha is not defined yet: it needs tasks that several judged, and both outcomes."
    between = f" (95 % interval {interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
    return f"Krippendorff's alpha over everybody is {alpha:.2f}{between}; 1 is full agreement, 0 is chance."


def times(project: Project, *, worker: Worker | None = None) -> Figure:
    """The time per task, of all workers or of one worker in the same bins. 1 query, 2 for a worker."""
    everyone = _seconds(Annotation.objects.current().filter(project=project))
    own = everyone if worker is None else _seconds(Annotation.objects.current().filter(project=project, worker=worker))
    within = (min(everyone), max(everyone)) if everyone else None
    histogram = answer_times.log_histogram(own, bins=BINS, within=within)
    edges, limits = histogram.edges_s, answer_times.fast_limits(everyone)
    bins = list(zip(edges, edges[1:], histogram.counts, strict=False))
    summary = answer_times.worker_times(own, everyone)
    about = "On a logarithmic scale."
    if limits is not None and summary.median_s is not None:
        about += (
            f" Median {_short(summary.median_s)}; {summary.fast} of {summary.n} took less than a third of the "
            "project's median or lie far below all others."
        )
    return Figure(
        f"Time per task{'' if worker is None else f' in {project.title}'}",
        about,
        bar_plot(
            [(f"{_short(low)} to {_short(high)}", n) for low, high, n in bins],
            edges=[(number / BINS, _short(edges[number])) for number in range(0, len(edges), BINS // 4)],
        ),
        ["from_s", "to_s", "answers"],
        [list(one) for one in bins] if own else [],
    )


def accuracy_over_time(worker: Worker, project: Project | None) -> Figure:
    """A worker's share of right answers on references, over windows of time from first to last. 1 query."""
    rows = Annotation.objects.current().on_references().filter(worker=worker, score__isnull=False)
    if project is not None:
        rows = rows.filter(project=project)
    newest = list(rows.order_by("-pk").values_list("score", "task__truth_class", "project__gates")[:NEWEST])[::-1]
    windows = accuracy_windows([score == 1 for score, _, _ in newest], WINDOW)
    last = max(len(newest), 1)
    return Figure(
        "Right on references over time",
        f"Each point is {WINDOW} references, with its 95 % interval. {_drift_in_words(newest)}",
        line_plot(
            [
                Point((window.first + window.last - 1) / 2 / last, window.share, window.low, window.high)
                for window in windows
            ],
            bounds=(0.0, 1.0),
            edges=[(0.0, "first"), (1.0, f"reference {last}")],
            levels=[(1.0, "100 %"), (0.5, "50 %")],
        ),
        ["first", "last", "right", "share", "low", "high"],
        [list(window) for window in windows],
    )


def _drift_in_words(rows: list[tuple[float | None, bool | None, Any]]) -> str:
    answered = [sequential.Answered(truth, score == 1) for score, truth, _ in rows if truth is not None]
    if not answered:
        return ""
    bounds = [gate["below"] for gate in rows[-1][2]]
    plan = sequential.plan_for(max(bounds, default=DRIFT_BELOW))
    path = sequential.gate_path(answered, plan, minimum_n=1)
    now = path.cusum[-1] if path.cusum else 0.0
    return f"The running test for a drop stands at {now:.1f}; it speaks up at {sequential.DRIFT_AT:g}."


def _newest(rows: AnnotationQuerySet) -> "QuerySet[Annotation]":
    return rows.order_by("-pk")[:NEWEST]


def _seconds(rows: AnnotationQuerySet) -> list[float]:
    """The time on a task: the active time that the page measured, else the time from claim to answer."""
    return [
        (submitted_at - claimed_at).total_seconds() if active_s is None else active_s
        for active_s, claimed_at, submitted_at in _newest(rows).values_list("active_s", "claimed_at", "submitted_at")
    ]


def _short(seconds: float) -> str:
    """A duration in few characters.

    >>> [_short(value) for value in (0.42, 9.0, 75.0, 7200.0)]
    ['0.4 s', '9 s', '1 min', '2 h']
    """
    if seconds < 1:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.0f} h"
