"""The fit of a project's raters to all their answers, in the background, and the renewal of tasks that follows.

Between two fits an answer changes only its own task, by the raters of the last fit. A fit starts from scratch over all
counting answers, with the truths of references known, so it depends neither on the order of the answers nor on earlier
fits. Then every task whose probability has moved is renewed by the new raters, and so is every task that got an answer
while the fit ran. After it, each consensus equals that of a fit from scratch to within 1e-6 (changes below `MOVED` are
not written, and the fit itself stops at 1e-9).

Two fits of one project may overlap. The one that began to read later wins; the other stops at its next batch.
"""

import logging
from array import array
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from annotation.consensus.aggregation import Aggregate, completion_of, is_tied, needs_review
from annotation.consensus.consensus import moved, renew, rule_of
from annotation.consensus.votes import share_of
from annotation.models import Annotation, Consensus, Fit, Method, Project, Rater, Task
from annotation.quality import worker_records
from annotation.tool_registry import Tool, tool_named, verdict_of
from jobs.outbox import Running
from lib.statistics import dawid_skene, posterior
from workforce.models import Worker

logger = logging.getLogger(__name__)

BATCH = 500
"""The number of tasks renewed in one transaction: it bounds how long an answer may wait for the project's row."""
CHUNK = 50_000
"""The number of answers read between two reports of progress."""
MOST_WORK = 400_000_000
"""Answers times iterations of one fit: some minutes, because the lease of the job must not end meanwhile."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Report = Callable[[float], None]
VerdictIn = Callable[[dict[str, Any]], bool | None]


class Superseded(Exception):
    """Another fit of the project, which began to read later, has written its raters; the result of this one is not
    needed."""


class Answers(NamedTuple):
    """A project's answers, one row an answer, shape (n,); `said` is 1 yes, 0 no, -1 neither.

    `truths` maps the references among `task` to their truths, `shares` the workers whose votes are not whole to their
    shares. `scores` are (worker, score) of every answer to a reference.
    """

    task: Ints
    worker: Ints
    said: Ints
    truths: dict[int, bool]
    shares: dict[int, float]
    scores: list[tuple[int, float]]

    @property
    def has_verdicts(self) -> bool:
        return bool((self.said >= 0).all())


class Estimate(NamedTuple):
    """The result of a method: raters by worker, and the chance of yes for each ordinary task.

    `tasks` ascends; `probability`, `answers` (the number of answers) and `yes` (the number of yes) are parallel to it.
    Without yes and no `probability` is None.
    """

    raters: dict[int, posterior.Rater]
    prior: float
    iterations: int
    tasks: Ints
    probability: Floats | None
    answers: Ints
    yes: Ints


def run(running: Running) -> None:
    """Job handler: fit the project named by the subject."""
    # First, so that what is handed in from now on asks for another fit instead of relying on this one.
    running.free_key()
    refit(project_id=int(running.subject), at=timezone.now(), report=running.report)


def refit(*, project_id: int, at: datetime, report: Report = lambda _: None) -> int:
    """Fit the project's raters again, and renew every consensus that this changes; return the number of renewed tasks.

    Args:
        at: Now: of two fits the later one counts.
        report: Called with the progress, 0..1; may raise to end the fit.
    """
    with transaction.atomic():
        # Waits for answers that are handed in now: the fit knows all answers up to this number.
        project = Project.objects.select_for_update().get(pk=project_id)
    through, tool = project.annotation_count, tool_named(project.tool)
    answers = _read(project, tool, through=through, report=report)
    report(0.3)
    found = estimate(Method(project.consensus_method), answers)
    report(0.5)
    try:
        _keep(project, found, answers, through=through, at=at)
        stale = _stale_tasks(project, tool, found, through=through)
        for start in range(0, len(stale), BATCH):
            with transaction.atomic():
                _lock(project, at=at)
                renew(project_id=project.pk, tasks=stale[start : start + BATCH], at=at, outdate=False)
            report(0.5 + 0.5 * start / len(stale))
        if stale:
            worker_records.outdate(workers=project.enrolments.values("worker"), project=project.pk)
    except Superseded:
        logger.info("fit.superseded", extra={"project": project.pk})
        return 0
    logger.info("fit.done", extra={"project": project.pk, "answers": len(answers.task), "renewed": len(stale)})
    return len(stale)


def _read(project: Project, tool: Tool, *, through: int, report: Report) -> Answers:
    """All counting answers up to number `through` that the fit uses: on ordinary tasks that may be judged, and on
    references with one right answer."""
    judged = Q(task__is_reference=False) & ~Q(task__status=Task.Status.UNJUDGEABLE)
    known = Q(task__is_reference=True, task__retired_at=None)
    rows = Annotation.objects.counting().filter(judged | known, project=project, number__lte=through).order_by()
    columns = rows.values_list(
        "task_id", "worker_id", "worker__weighting", "answer", "score", "task__is_reference", "task__truth_class"
    )
    task, worker, said = array("q"), array("q"), array("b")
    truths: dict[int, bool] = {}
    shares: dict[int, float] = {}
    scores: list[tuple[int, float]] = []
    verdict_in = verdict_of(tool)
    seen = 0
    for pk, by, weighting, answer, score, is_reference, truth in columns.iterator(chunk_size=5000):
        seen += 1
        if seen % CHUNK == 0:
            report(min(0.3, 0.3 * seen / max(through, 1)))
        if is_reference:
            if score is not None:
                scores.append((by, score))
            if truth is None:
                continue
            truths[pk] = truth
        if weighting != Worker.Weighting.FULL:
            shares[by] = share_of(weighting)
        verdict = verdict_in(answer)
        task.append(pk)
        worker.append(by)
        said.append(-1 if verdict is None else int(verdict))
    return Answers(_ints(task), _ints(worker), _ints(said), truths, shares, scores)


def _ints(column: "array[int]") -> Ints:
    return np.array(column, dtype=np.int64)


def estimate(method: Method, answers: Answers) -> Estimate:
    """The raters and the tasks' probabilities by this method."""
    is_reference = np.isin(answers.task, np.fromiter(answers.truths, dtype=np.int64, count=len(answers.truths)))
    tasks, place = np.unique(answers.task[~is_reference], return_inverse=True)
    count = np.bincount(place, minlength=len(tasks))
    said, worker = answers.said[~is_reference], answers.worker[~is_reference]
    yes = np.bincount(place, said == 1, minlength=len(tasks)).astype(np.int64)
    share = np.array([answers.shares.get(one, 1.0) for one in worker.tolist()], dtype=np.float64)
    if not answers.has_verdicts:
        raters = {} if method == Method.MAJORITY else _by_scores(answers.scores)
        return Estimate(raters, 0.5, 0, tasks, None, count, yes)
    if method == Method.MAJORITY:
        votes = np.bincount(place, share, minlength=len(tasks))
        probability = np.bincount(place, share * said, minlength=len(tasks)) / votes
        return Estimate({}, 0.5, 0, tasks, probability, count, yes)
    if method == Method.WEIGHTED:
        raters = _by_references(answers, is_reference)
        probability = _e_step(place, worker, said, share, raters, len(tasks))
        return Estimate(raters, 0.5, 0, tasks, probability, count, yes)
    most = min(5000, max(50, MOST_WORK // max(len(answers.task), 1)))
    fitted = dawid_skene.fit(
        answers.task,
        answers.worker,
        answers.said,
        truths=answers.truths,
        weights=answers.shares,
        options=dawid_skene.Options(max_iterations=most),
    )
    at = np.searchsorted(fitted.task_ids, tasks)
    return Estimate(fitted.raters(), fitted.prior, fitted.iterations, tasks, fitted.posterior[at], count, yes)


def _by_references(answers: Answers, is_reference: npt.NDArray[np.bool_]) -> dict[int, posterior.Rater]:
    """Each worker's error rates on references, by outcome alone."""
    counts: dict[int, list[int]] = {}
    rows = zip(
        answers.task[is_reference].tolist(),
        answers.worker[is_reference].tolist(),
        answers.said[is_reference].tolist(),
        strict=True,
    )
    for task, worker, said in rows:
        true = answers.truths[task]
        mine = counts.setdefault(worker, [0, 0, 0, 0])
        first = 0 if true else 2
        mine[first] += int(bool(said) == true)
        mine[first + 1] += 1
    return {
        worker: posterior.rater_from_counts(*mine, smoothing=posterior.SMOOTHING) for worker, mine in counts.items()
    }


def _by_scores(scores: list[tuple[int, float]]) -> dict[int, posterior.Rater]:
    """Each worker's accuracy where answers are no yes or no: both rates are the mean score."""
    sums: dict[int, list[float]] = {}
    for worker, score in scores:
        mine = sums.setdefault(worker, [0.0, 0.0])
        mine[0] += score
        mine[1] += 1
    return {
        worker: posterior.rater_from_counts(right, n, right, n, smoothing=posterior.SMOOTHING)
        for worker, (right, n) in sums.items()
    }


def _e_step(
    place: Ints, worker: Ints, said: Ints, share: Floats, raters: dict[int, posterior.Rater], size: int
) -> Floats:
    """`posterior.posterior_of` of every task at once, at prior 0.5."""
    ids, who = np.unique(worker, return_inverse=True)
    unknown = posterior.unknown_rater()
    known = [raters.get(one, unknown) for one in ids.tolist()]
    sensitivity = np.array([one.sensitivity for one in known], dtype=np.float64)
    specificity = np.array([one.specificity for one in known], dtype=np.float64)
    ratios = posterior.likelihood_ratios(sensitivity, specificity)
    return posterior.sigmoid(np.bincount(place, share * ratios[who, said], minlength=size).astype(np.float64))


def _lock(project: Project, *, at: datetime) -> None:
    """Lock the project's row, if no later fit has replaced this one.

    Raises:
        Superseded: a later fit has.
    """
    Project.objects.select_for_update().values_list("pk").get(pk=project.pk)
    if Fit.objects.filter(project=project, fitted_at__gt=at).exists():
        raise Superseded


def _keep(project: Project, found: Estimate, answers: Answers, *, through: int, at: datetime) -> None:
    """Write the fit and its raters over the last ones."""
    with transaction.atomic():
        _lock(project, at=at)
        Fit.objects.filter(project=project).delete()
        if project.consensus_method == Method.MAJORITY:
            return
        fit = Fit.objects.create(
            project=project,
            prior=found.prior,
            tasks=len(found.tasks),
            annotations=len(answers.task),
            iterations=found.iterations,
            through=through,
            fitted_at=at,
        )
        rows = (
            Rater(
                fit=fit,
                worker_id=worker,
                sensitivity=rater.sensitivity,
                specificity=rater.specificity,
                positives=rater.successes,
                negatives=rater.failures,
            )
            for worker, rater in found.raters.items()
        )
        Rater.objects.bulk_create(rows, batch_size=1000)


def _stale_tasks(project: Project, tool: Tool, found: Estimate, *, through: int) -> list[int]:
    """The tasks whose stored consensus differs, or may differ, from the estimate."""
    later = Annotation.objects.filter(project=project, number__gt=through, task__is_reference=False)
    stale = set(later.values_list("task_id", flat=True))
    place = {task: index for index, task in enumerate(found.tasks.tolist())}
    verdict_in = verdict_of(tool)
    for row in _stored(project):
        index = place.pop(row.task, None)
        if row.method == Consensus.Method.ADJUDICATED:
            continue
        if index is None or found.probability is None or _is_stale(project, verdict_in, found, row, index):
            stale.add(row.task)
    # What is left has answers and no consensus yet.
    return sorted(stale | place.keys())


class StoredConsensus(NamedTuple):
    """A stored consensus, and the columns of its task that depend on it."""

    task: int
    method: str
    answer: dict[str, Any]
    probability: float | None
    annotations: int
    needs_review: bool
    is_settled: bool
    is_accepted: bool
    wanted: int
    own_redundancy: int | None


def _stored(project: Project) -> Iterator[StoredConsensus]:
    rows = Consensus.objects.filter(project=project).annotate(
        is_settled=ExpressionWrapper(Q(settled_at__isnull=False), BooleanField()),
        is_accepted=ExpressionWrapper(Q(accepted_at__isnull=False), BooleanField()),
    )
    own = ("task_id", "method", "answer", "probability", "annotations", "needs_review", "is_settled", "is_accepted")
    columns = rows.values_list(*own, "task__wanted", "task__own_redundancy")
    return (StoredConsensus(*row) for row in columns.iterator(chunk_size=5000))


def _is_stale(project: Project, verdict_in: VerdictIn, found: Estimate, row: StoredConsensus, index: int) -> bool:
    """True if a stored consensus or its task differs from the estimate; details of answers are not compared."""
    assert found.probability is not None  # noqa: S101 - asked only of tools with yes and no
    probability, n, yes = float(found.probability[index]), int(found.answers[index]), int(found.yes[index])
    if row.method != project.consensus_method or row.annotations != n or moved(row.probability, probability):
        return True
    is_tie, winner = is_tied(probability), probability > 0.5
    if verdict_in(row.answer) is not (None if is_tie else winner):
        return True
    sure = Aggregate(
        row.answer,
        max(probability, 1 - probability),
        is_tie=is_tie,
        is_bare=not is_tie and (yes == 0 if winner else yes == n),
    )
    completion = completion_of(rule_of(project, row.own_redundancy), n=n, confidence=sure.confidence)
    if (completion.is_done, completion.wanted) != (row.is_settled, row.wanted):
        return True
    asks = completion.is_done and not row.is_accepted and needs_review(sure, project.confidence_wanted)
    return row.needs_review is not asks
