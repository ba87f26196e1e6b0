"""The masks that workers marked in one scene, compared with each other and with the consensus."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.consensus.votes import weighted_votes
from annotation.models import Task
from annotation.review.side_by_side import GivenAnswer, SideBySide
from annotation.tools.voxels.agreement import agent_mask_of, mask_of
from lib.voxels.likeness import MOST_COMPARED, Likeness, likest
from lib.voxels.mask import Keys
from lib.voxels.votes import Shares, shares

STEPS = 5
"""Steps of the confidence map: up to 20 % of the weight, up to 40 % and so on."""
_ROUNDING = 1e-9
_AT_ONCE = 1 << 14


class MarkedAnswer(NamedTuple):
    """One current answer.

    `mask` is empty if the answer says that the object is not there, and None if the answer names an object. `share` is
    its part of the total weight, 0..1; None if it does not count. A likeness is None if there is nothing to compare
    with; with several truths it is the likeness to the nearest.
    """

    said: GivenAnswer
    mask: Keys | None
    share: float | None
    to_consensus: Likeness | None
    to_truth: Likeness | None
    to_agent: Likeness | None

    @property
    def says_absent(self) -> bool:
        return self.mask is not None and not self.mask.size


class Step(NamedTuple):
    """The voxels that more than `above` and at most `up_to` percent of the weight marked."""

    number: int
    above: int
    up_to: int
    mask: Keys


class Pairs(NamedTuple):
    """The IoU of each two of the first answers, None on the diagonal; `left_out` is the number of further answers."""

    answers: tuple[MarkedAnswer, ...]
    rows: tuple[tuple[float | None, ...], ...]
    left_out: int


class Masks(NamedTuple):
    """All masks of one task; `absent` is the share of the weight that says the object is not there.

    `proposed` is the mask that one reviewer proposed and another must confirm. A mask is None if it does not exist.
    """

    answers: tuple[MarkedAnswer, ...]
    consensus: Keys | None
    proposed: Keys | None
    truths: tuple[Keys, ...]
    agent: Keys | None
    confidence: Shares
    absent: float
    pairs: Pairs


def masks_of(seen: SideBySide) -> Masks:
    """The masks of a task. At most 3 queries more than `side_by_side`.

    The confidence map uses the same weights as the consensus.
    """
    task = seen.task
    standing = [said for said in seen.answers if said.is_current]
    weights = weights_in(task)
    whole = sum(weights.values())
    consensus = mask_of(seen.consensus.answer) if seen.consensus else None
    truths = tuple(_known(mask_of(answer) for answer in (seen.truth.answers if seen.truth else [])))
    agent = agent_mask_of(task)
    answers = []
    for said in standing:
        mask = mask_of(said.annotation.answer)
        weight = weights.get(said.annotation.worker_id)
        answers.append(
            MarkedAnswer(
                said=said,
                mask=mask,
                share=None if weight is None else weight / whole,
                to_consensus=_nearest(mask, [consensus]),
                to_truth=_nearest(mask, truths),
                to_agent=_nearest(mask, [agent]),
            )
        )
    counted = [(one.mask, one.share) for one in answers if one.mask is not None and one.share is not None]
    return Masks(
        answers=tuple(answers),
        consensus=consensus,
        proposed=mask_of(seen.proposed.answer) if seen.proposed else None,
        truths=truths,
        agent=agent,
        confidence=confidence([mask for mask, _ in counted], [share for _, share in counted]),
        absent=sum(share for mask, share in counted if not mask.size),
        pairs=_pairs(answers),
    )


def weights_in(task: Task) -> dict[int, float]:
    """The weight of each counting answer in the task's consensus, by worker; their sum is above 0. 1 to 3 queries."""
    votes = weighted_votes(task.project, [task.pk]).get(task.pk, [])
    return {vote.worker: weight for vote, weight in votes}


# Pure ----------------------------------------------------------------------------------------------------------


def confidence(masks: Sequence[Keys], weights: Sequence[float]) -> Shares:
    """The confidence map; empty if there are no masks."""
    if not masks:
        return Shares(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float64))
    return shares(masks, weights)


def steps_of(found: Shares) -> tuple[Step, ...]:
    """The confidence map in steps, lowest confidence first.

    >>> from lib.voxels.mask import keys_of
    >>> keys = keys_of([[0, 0, 0], [0, 0, 1], [0, 0, 2]])
    >>> [step.mask.tolist() for step in steps_of(Shares(keys, np.array([0.2, 0.21, 1.0])))]
    [[0], [1], [], [], [2]]
    """
    numbers = np.clip(np.ceil(found.shares * STEPS - _ROUNDING), 1, STEPS)
    width = 100 // STEPS
    return tuple(
        Step(number, (number - 1) * width, number * width, found.keys[numbers == number])
        for number in range(1, STEPS + 1)
    )


def pairwise(masks: Sequence[Keys]) -> npt.NDArray[np.float64]:
    """The IoU of each two masks, shape (n, n).

    >>> from lib.voxels.mask import keys_of
    >>> pairwise([keys_of([[0, 0, 0], [0, 0, 1]]), keys_of([[0, 0, 1]])]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    n = len(masks)
    sizes = np.array([mask.size for mask in masks], dtype=np.float64)
    common = np.zeros((n, n))
    if n:
        every, place = np.unique(np.concatenate(masks), return_inverse=True)
        owner = np.repeat(np.arange(n), [mask.size for mask in masks])
        # A piece of the scene at a time: all of it would be a wide table for large masks.
        for first in range(0, every.size, _AT_ONCE):
            is_here = (place >= first) & (place < first + _AT_ONCE)
            table = np.zeros((n, _AT_ONCE), dtype=np.float32)
            table[owner[is_here], place[is_here] - first] = 1
            common += table @ table.T
    either = sizes[:, None] + sizes[None, :] - common
    return np.where(either > 0, common / np.where(either > 0, either, 1), 1.0)


def _pairs(answers: Sequence[MarkedAnswer]) -> Pairs:
    compared: Mapping[int, Keys] = {place: one.mask for place, one in enumerate(answers) if one.mask is not None}
    shown = list(compared)[:MOST_COMPARED]
    table = pairwise([compared[place] for place in shown]).tolist()
    rows = tuple(
        tuple(None if row == column else value for column, value in enumerate(values))
        for row, values in enumerate(table)
    )
    return Pairs(tuple(answers[place] for place in shown), rows, len(compared) - len(shown))


def _nearest(mask: Keys | None, others: Iterable[Keys | None]) -> Likeness | None:
    """The likeness to the most similar of the others; None if there is nothing to compare."""
    return None if mask is None else likest(mask, _known(others))


def _known(masks: Iterable[Keys | None]) -> list[Keys]:
    return [mask for mask in masks if mask is not None]
