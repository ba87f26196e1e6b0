"""Simulated tasks, raters and labels for the fits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Labelled:
    """One row per label; `truth` by task, rates by rater. Ids are places."""

    tasks: npt.NDArray[np.int64]
    raters: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]
    truth: npt.NDArray[np.bool_]
    sensitivity: npt.NDArray[np.float64]
    specificity: npt.NDArray[np.float64]

    def majority(self) -> npt.NDArray[np.bool_]:
        shares = np.bincount(self.tasks, self.labels) / np.bincount(self.tasks)
        return np.asarray(shares > 0.5, dtype=np.bool_)


def labelled(
    *, tasks: int, raters: int, each: int, successes: float = 0.6, spammers: float = 0.1, seed: int = 0
) -> Labelled:
    """Raters of sensitivity and specificity U(.75, .98), a share of them guessing; `each` different ones per task."""
    draw = np.random.default_rng(seed)
    sensitivity, specificity = draw.uniform(0.75, 0.98, raters), draw.uniform(0.75, 0.98, raters)
    guessing = draw.permutation(raters) < spammers * raters
    sensitivity[guessing] = specificity[guessing] = 0.5
    truth = draw.random(tasks) < successes
    # A window of a shuffled circle: different raters within a task, everyone meets many others.
    circle = np.concatenate([draw.permutation(raters) for _ in range(tasks * each // raters + 2)])
    who = circle[: tasks * each].reshape(tasks, each)
    for row in [row for row, ids in enumerate(who.tolist()) if len(set(ids)) < each]:
        who[row] = draw.permutation(raters)[:each]
    task, rater = np.repeat(np.arange(tasks), each), who.ravel()
    label = np.where(
        truth[task], draw.random(len(task)) < sensitivity[rater], draw.random(len(task)) >= specificity[rater]
    )
    return Labelled(task, rater, label.astype(np.int64), truth, sensitivity, specificity)
