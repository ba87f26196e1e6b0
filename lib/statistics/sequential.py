"""The quality gate of a worker: a sequential test on references, then a watch for drift."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DRIFT_AT = 5.0
"""The height at which the watch for drift acts. In a test of .9 against .7, a good worker reaches it by chance about
once in 2000 references, and a worker who fell to .7 reaches it after about 30."""


class SprtPlan(NamedTuple):
    """The test of accuracy `good` against accuracy `bad`, each in 0..1.

    `alpha` is the chance that the gate acts on a good worker, `beta` the chance that a bad worker passes. All
    increments and bounds are natural logarithms of likelihood ratios, bad over good: they rise with mistakes.

    Source: Wald (1945), "Sequential tests of statistical hypotheses".

    >>> plan = SprtPlan(good=0.9, bad=0.7)
    >>> round(plan.right, 4), round(plan.wrong, 4), round(plan.act_at, 4)
    (-0.2513, 1.0986, 2.9444)
    """

    good: float
    bad: float
    alpha: float = 0.05
    beta: float = 0.05

    def checked(self) -> "SprtPlan":
        """Return the plan itself if it is valid.

        Raises:
            ValueError: not 0 < bad < good < 1, or an error rate outside 0..0.5.
        """
        if not 0 < self.bad < self.good < 1:
            raise ValueError(f"a test needs 0 < bad < good < 1, not {self.bad} and {self.good}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"error rates lie between 0 and 0.5, not {self.alpha} and {self.beta}")
        return self

    @property
    def right(self) -> float:
        """The increment of a right answer; negative."""
        return math.log(self.bad / self.good)

    @property
    def wrong(self) -> float:
        """The increment of a wrong answer; positive."""
        return math.log((1 - self.bad) / (1 - self.good))

    @property
    def act_at(self) -> float:
        """The bound: at this value or above it a worker counts as bad."""
        return math.log((1 - self.beta) / self.alpha)

    @property
    def pass_at(self) -> float:
        """The bound: at this value or below it a worker counts as good."""
        return math.log(self.beta / (1 - self.alpha))


def plan_for(below: float, *, alpha: float = 0.05, beta: float = 0.05) -> SprtPlan:
    """The plan that acts on workers of accuracy `below`; its `good` is two thirds of the way from `below` to 1.

    Raises:
        ValueError: `below` outside 0..1, or an error rate outside 0..0.5.

    >>> round(plan_for(0.7).good, 12)
    0.9
    """
    return SprtPlan(good=below + (1 - below) * 2 / 3, bad=below, alpha=alpha, beta=beta).checked()


class Answered(NamedTuple):
    """One answer to a reference: whether success is its truth, and whether the answer was right."""

    truth: bool
    right: bool


class Decision(NamedTuple):
    """The state of a worker at the gate.

    `test` is the current test: "sprt" until the worker passes it, "cusum" afterwards. `llr` is its statistic after the
    last answer, or for "act" after the answer that decided. `at_n` counts the answers up to the one that led to the
    state; for "continue" it counts all.
    """

    state: Literal["continue", "pass", "act"]
    llr: float
    at_n: int
    test: Literal["sprt", "cusum"]


class GatePath(NamedTuple):
    """The gate's statistics after each answer, and its decision.

    `sprt` has one value for each answer until the test ended, `cusum` one for each answer after a pass. `passed_at` is
    the number of answers until the pass, None without a pass.
    """

    sprt: list[float]
    passed_at: int | None
    cusum: list[float]
    decision: Decision


def gate_path(answers: Sequence[Answered], plan: SprtPlan, minimum_n: int, *, drift_at: float = DRIFT_AT) -> GatePath:
    """The decision on a worker after `answers`, oldest first, on balanced accuracy, with the statistic on the way.

    The statistic of the first test is `balanced_llr`. The test ends at the first answer n where either

    - it is at or below `plan.pass_at`: the worker passes, whatever `minimum_n` is, since a pass has no consequence; or
    - n >= `minimum_n` and it is at or above `plan.act_at`: the gate acts.

    A bound that was reached before `minimum_n` therefore counts only if the statistic is there again, or still, at
    `minimum_n` or later. After a pass the watch for drift begins at 0 with the next answer (`balanced_cusum`), and acts
    at the first n >= `minimum_n` at which it is at or above `drift_at`. "act" is final: later answers change nothing.
    Where a person has lifted a pause, pass only the answers after it.

    Errors of the first test, simulated with 20 000 workers (.9 against .7, both rates .05): of workers at .9/.9, and of
    ones at .8/1, 1/.8 and .95/.85, at most .03 are acted on, for any share of successes among the references from .5
    to 1; of workers at .7/.7 at most .042 pass, of clickers with one answer for all none, of .95/.4 at most .007.

    Costs: O(n).
    """
    truth = np.array([answer.truth for answer in answers], dtype=bool)
    right = np.array([answer.right for answer in answers], dtype=bool)
    llr = balanced_llr(truth, right, plan)
    return _walk(llr, _steps(truth, right, plan), plan=plan, minimum_n=minimum_n, drift_at=drift_at)


def plain_path(rights: Sequence[bool], plan: SprtPlan, minimum_n: int = 1, *, drift_at: float = DRIFT_AT) -> GatePath:
    """The decision for tools whose answers are not success or failure: Wald's test and Page's CUSUM on plain accuracy.

    >>> plain_path([False] * 3, SprtPlan(good=0.9, bad=0.7)).decision.state
    'act'
    """
    steps = np.where(np.asarray(rights, dtype=bool), plan.right, plan.wrong)
    return _walk(np.cumsum(steps), steps, plan=plan, minimum_n=minimum_n, drift_at=drift_at)


def _walk(llr: Floats, steps: Floats, *, plan: SprtPlan, minimum_n: int, drift_at: float) -> GatePath:
    enough = np.arange(1, len(llr) + 1) >= minimum_n
    passed = _first(llr <= plan.pass_at)
    acted = _first((llr >= plan.act_at) & enough)
    if acted is not None and (passed is None or acted < passed):
        return GatePath(llr[:acted].tolist(), None, [], Decision("act", float(llr[acted - 1]), acted, "sprt"))
    if passed is None:
        last = float(llr[-1]) if len(llr) else 0.0
        return GatePath(llr.tolist(), None, [], Decision("continue", last, len(llr), "sprt"))
    watch = cusum(steps[passed:])
    drifted = _first((watch >= drift_at) & enough[passed:])
    if drifted is None:
        decision = Decision("pass", float(watch[-1]) if len(watch) else 0.0, passed, "cusum")
        return GatePath(llr[:passed].tolist(), passed, watch.tolist(), decision)
    decision = Decision("act", float(watch[drifted - 1]), passed + drifted, "cusum")
    return GatePath(llr[:passed].tolist(), passed, watch[:drifted].tolist(), decision)


def _first(reached: npt.NDArray[np.bool_]) -> int | None:
    """The number, from 1, of the first answer with True; None without one."""
    return int(np.argmax(reached)) + 1 if reached.any() else None


def balanced_llr(truth: npt.ArrayLike, right: npt.ArrayLike, plan: SprtPlan) -> Floats:
    """The log likelihood ratio on balanced accuracy after each answer.

    With n1 answers on true successes, of mean increment l1, and n0 on true failures, of mean l0, it is the greater of

    - min(n1, n0) (l1 + l0): each class counts as many answers as the rarer one has, so a run of easy successes cannot
      outweigh the failures. Its expectation depends on the balanced accuracy alone;
    - the plain sum, with the rarer class filled up to the other by right answers, which is the best case for the
      worker. So a worker whose every answer is wrong is found even if all references are of one class, and no worker
      passes on one class alone.

    With n1 = n0 both are the plain statistic of Wald's test; otherwise both decide later rather than wrongly, as the
    simulations in `gate_path` confirm.

    Args:
        truth: Whether success is the truth, shape (..., n), oldest first.
        right: Whether the answer was right, same shape.

    Returns:
        Shape (..., n), in nats.
    """
    positive, correct = np.asarray(truth, dtype=bool), np.asarray(right, dtype=bool)
    step = np.where(correct, plan.right, plan.wrong)
    n1, n0 = np.cumsum(positive, axis=-1), np.cumsum(~positive, axis=-1)
    sum1, sum0 = np.cumsum(step * positive, axis=-1), np.cumsum(step * ~positive, axis=-1)
    scaled = np.minimum(n1, n0) * (sum1 / np.maximum(n1, 1) + sum0 / np.maximum(n0, 1))
    filled = sum1 + sum0 + np.abs(n1 - n0) * plan.right
    # Both are equal at n1 = n0; rounding must not lift the greater one over a bound.
    return np.asarray(np.where(n1 == n0, sum1 + sum0, np.maximum(scaled, filled)), dtype=np.float64)


def balanced_cusum(truth: npt.ArrayLike, right: npt.ArrayLike, plan: SprtPlan) -> Floats:
    """The statistic of the watch for drift after each answer: `cusum` of increments with a weight for each class.

    An answer of a class has the weight min(n1, n0) over the count of its class so far, so both classes count equally
    whatever their shares are; with equal counts the weights are 1 and this is Page's CUSUM.

    Args:
        truth: Whether success is the truth, shape (n,), oldest first.
        right: Whether the answer was right, same shape.
    """
    return cusum(_steps(np.asarray(truth, dtype=bool), np.asarray(right, dtype=bool), plan))


def _steps(truth: npt.NDArray[np.bool_], right: npt.NDArray[np.bool_], plan: SprtPlan) -> Floats:
    n1, n0 = np.cumsum(truth), np.cumsum(~truth)
    weight = np.minimum(n1, n0) / np.maximum(np.where(truth, n1, n0), 1)
    return np.asarray(weight * np.where(right, plan.right, plan.wrong), dtype=np.float64)


def cusum(steps: npt.ArrayLike) -> Floats:
    """The running sum that never falls below 0: s = max(0, s + step), starting at 0.

    Args:
        steps: Shape (..., n).

    Source: Page (1954), "Continuous inspection schemes".

    >>> cusum([1.0, -3.0, 2.0, 0.5]).tolist()
    [1.0, 0.0, 2.0, 2.5]
    """
    total = np.cumsum(np.asarray(steps, dtype=np.float64), axis=-1)
    if total.shape[-1] == 0:
        return total
    return np.asarray(total - np.minimum(np.minimum.accumulate(total, axis=-1), 0.0), dtype=np.float64)
