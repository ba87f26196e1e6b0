"""Votes: the answers to a task that count in its consensus, and the weight of each."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from annotation.consensus import aggregation
from annotation.consensus.aggregation import Vote
from annotation.models import Annotation, Fit, Method, Project, Rater
from common.kept_query import KeptForOne
from lib.statistics import posterior
from workforce.models import Worker

Raters = dict[int, posterior.Rater]


def votes_of(tasks: Collection[int]) -> tuple[dict[int, list[Vote]], set[int]]:
    """The votes of each task in the order of commit, and the ids of tasks that also have answers which do not count. 1
    query."""
    counting: dict[int, list[Vote]] = defaultdict(list)
    with_uncounted: set[int] = set()
    for task, worker, answer, weighting, is_dropped in _ANSWERS.rows(tasks):
        share = 0.0 if is_dropped else share_of(weighting)
        if share:
            counting[task].append(Vote(worker, answer, share))
        else:
            with_uncounted.add(task)
    return counting, with_uncounted


_ANSWERS = KeptForOne(
    lambda: (
        Annotation.objects.current()
        .order_by("number")
        .values_list("task_id", "worker_id", "answer", "worker__weighting", "is_dropped")
    ),
    by="task",
)


def weighted_votes(project: Project, tasks: Collection[int]) -> dict[int, list[tuple[Vote, float]]]:
    """The votes of each task with their weights in its consensus. 1 to 3 queries.

    For tools whose answers are no yes or no.
    """
    votes, _ = votes_of(tasks)
    raters, _ = raters_of(project, votes)
    return {
        task: list(zip(counting, aggregation.weights_of(counting, raters) or [1.0] * len(counting), strict=True))
        for task, counting in votes.items()
    }


def share_of(weighting: str) -> float:
    """The share of a vote that one answer of such a worker has: a whole vote, half of one, or none."""
    match Worker.Weighting(weighting):
        case Worker.Weighting.FULL:
            return 1.0
        case Worker.Weighting.REDUCED:
            return aggregation.HALF_A_VOTE
        case Worker.Weighting.NONE:
            return 0.0


def raters_of(project: Project, votes: Mapping[int, Sequence[Vote]]) -> tuple[Raters | None, float]:
    """These workers as the project's last fit estimated them, and its prior; None and 0.5 where the method needs
    none."""
    if project.consensus_method == Method.MAJORITY:
        return None, 0.5
    fit: Fit | None = getattr(project, "fit", None)
    if fit is None:
        return {}, 0.5
    workers = {vote.worker for ones in votes.values() for vote in ones}
    rows = Rater.objects.filter(fit=fit, worker__in=workers)
    columns = rows.values_list("worker_id", "sensitivity", "specificity", "positives", "negatives")
    return {worker: posterior.Rater(se, sp, n1, n0) for worker, se, sp, n1, n0 in columns}, fit.prior
