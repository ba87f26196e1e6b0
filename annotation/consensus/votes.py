"""Voices: the answers to a task that count in its consensus, and how much each of them does."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from annotation.consensus import aggregation
from annotation.consensus.aggregation import Voice
from annotation.models import Annotation, Fit, Method, Project, Rater
from lib.statistics import posterior
from workforce.models import Worker

Raters = dict[int, posterior.Rater]


def voices_of(tasks: Collection[int]) -> tuple[dict[int, list[Voice]], set[int]]:
    """The counting answers of each task in the order of commit, and the tasks that have others too."""
    rows = Annotation.objects.standing().filter(task__in=tasks).order_by("number")
    heard: dict[int, list[Voice]] = defaultdict(list)
    unheard: set[int] = set()
    columns = ("task_id", "worker_id", "answer", "worker__weighting", "is_dropped")
    for task, worker, answer, weighting, is_dropped in rows.values_list(*columns):
        share = 0.0 if is_dropped else share_of(weighting)
        if share:
            heard[task].append(Voice(worker, answer, share))
        else:
            unheard.add(task)
    return heard, unheard


def weighed(project: Project, tasks: Collection[int]) -> dict[int, list[tuple[Voice, float]]]:
    """The counting answers of each task with how much each counts in its consensus. 1 to 3 queries.

    For tools whose answers are no yes or no.
    """
    voices, _ = voices_of(tasks)
    raters, _ = raters_of(project, voices)
    return {
        task: list(zip(heard, aggregation.weights_of(heard, raters) or [1.0] * len(heard), strict=True))
        for task, heard in voices.items()
    }


def share_of(weighting: str) -> float:
    """What one answer of such a worker counts: a whole vote, half of one, or nothing."""
    match Worker.Weighting(weighting):
        case Worker.Weighting.FULL:
            return 1.0
        case Worker.Weighting.REDUCED:
            return aggregation.HALF_A_VOTE
        case Worker.Weighting.NONE:
            return 0.0


def raters_of(project: Project, voices: Mapping[int, Sequence[Voice]]) -> tuple[Raters | None, float]:
    """What the last fit says of these workers, and its prior; None and 0.5 where the method needs none."""
    if project.consensus_method == Method.MAJORITY:
        return None, 0.5
    fit: Fit | None = getattr(project, "fit", None)
    if fit is None:
        return {}, 0.5
    workers = {voice.worker for ones in voices.values() for voice in ones}
    rows = Rater.objects.filter(fit=fit, worker__in=workers)
    columns = rows.values_list("worker_id", "sensitivity", "specificity", "positives", "negatives")
    return {worker: posterior.Rater(se, sp, n1, n0) for worker, se, sp, n1, n0 in columns}, fit.prior
