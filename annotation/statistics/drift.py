"""A worker's accuracy over time, for a plot."""

from collections.abc import Sequence
from typing import NamedTuple

from annotation.statistics.sequential import DRIFT_AT, Answered, GatePath, SprtPlan, gate_path
from common.statistics import wilson


class Window(NamedTuple):
    """Answers `first` to `last` of a worker, counted from 1: the share right with its 95 % Wilson interval."""

    first: int
    last: int
    right: int
    share: float
    low: float
    high: float


class Drift(NamedTuple):
    """Accuracy in windows, and the path of the gate with the heights at which it passes and acts."""

    windows: list[Window]
    path: GatePath
    pass_at: float
    act_at: float
    drift_at: float


def accuracy_windows(rights: Sequence[bool], size: int) -> list[Window]:
    """Share right in windows of `size` answers, one after another, oldest first; the last may be shorter.

    Windows do not overlap, so that each point of a plot is news.

    Raises:
        ValueError: size < 1.

    >>> [(w.first, w.last, w.share) for w in accuracy_windows([True, True, False, True, False], 2)]
    [(1, 2, 1.0), (3, 4, 0.5), (5, 5, 0.0)]
    """
    if size < 1:
        raise ValueError(f"a window holds at least one answer, not {size}")
    windows = []
    for start in range(0, len(rights), size):
        part = rights[start : start + size]
        right = sum(part)
        interval = wilson(right, len(part))
        windows.append(Window(start + 1, start + len(part), right, right / len(part), interval.low, interval.high))
    return windows


def drift(
    answers: Sequence[Answered], plan: SprtPlan, minimum_n: int, *, window: int = 10, drift_at: float = DRIFT_AT
) -> Drift:
    """A worker's answers on references over time, oldest first, as `sequential.gate_decision` sees them."""
    return Drift(
        windows=accuracy_windows([answer.right for answer in answers], window),
        path=gate_path(answers, plan, minimum_n, drift_at=drift_at),
        pass_at=plan.pass_at,
        act_at=plan.act_at,
        drift_at=drift_at,
    )
