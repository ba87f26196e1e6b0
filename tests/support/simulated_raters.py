"""Simulated raters without a database: labels for the fits, gates met by workers of a kind, early closing."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from annotation.consensus import aggregation
from annotation.consensus.aggregation import Vote
from annotation.consensus.rater_fit import Answers, Estimate, estimate
from annotation.models import Method
from annotation.tool_registry import tool_named, verdict_of
from demo.crowds.markers import ALWAYS_SUCCESS, CARELESS, SPAMMER, Behaviour, Colluding, Honest, Member
from lib.statistics.posterior import Rater, rater_from_counts
from lib.statistics.sequential import DRIFT_AT, Answered, GatePath, SprtPlan, gate_path, plan_for
from tests.support.crowds import answers_from, said_by


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


PLAN = plan_for(0.7)
MINIMUM = 10


def slack(p: float, n: int) -> float:
    """Four standard errors of a share p of n: a right program goes beyond once in 16 000 seeds, on either side."""
    return 4 * math.sqrt(p * (1 - p) / n)


def member(behaviour: Behaviour, *, name: str = "somebody", seed: str = "tests", kind: str = "honest") -> Member:
    return Member(name, kind, behaviour, seed=seed)


def answers_of(one: Member, number: int, *, seed: str, successes: float = 0.5) -> list[Answered]:
    """A worker's answers to references, each of which is a success by a coin, as the server throws it."""
    coin = random.Random(f"coin:{seed}")
    truths = [coin.random() < successes for _ in range(number)]
    return [Answered(truth, one.says(f"{seed}:{index}", truth) == truth) for index, truth in enumerate(truths)]


class Fates(NamedTuple):
    """The gate's decisions on many workers of one kind who each meet the same number of references."""

    paths: list[GatePath]

    @property
    def paused(self) -> list[int]:
        """For each paused worker, the number of references until the pause."""
        return [path.decision.at_n for path in self.paths if path.decision.state == "act"]

    @property
    def share(self) -> float:
        return len(self.paused) / len(self.paths)

    def share_by(self, references: int) -> float:
        """The share of workers who were paused within this number of references."""
        return sum(at <= references for at in self.paused) / len(self.paths)

    @property
    def lengths(self) -> list[int]:
        """For each worker that the first test decided, the number of references that it took."""
        return [len(path.sprt) for path in self.paths if path.decision.state != "continue"]


def fates(behaviour: Behaviour, *, workers: int, references: int, seed: str, minimum: int = MINIMUM) -> Fates:
    """A gate that pauses below .7, on so many workers who each meet so many references."""
    seeds = [f"{seed}:{number}" for number in range(workers)]
    return Fates(
        [
            gate_path(answers_of(member(behaviour, seed=own), references, seed=own), PLAN, minimum_n=minimum)
            for own in seeds
        ]
    )


# Theory --------------------------------------------------------------------------------------------------------


def run_length(accuracy: float, *, height: float = DRIFT_AT, states: int = 1500) -> float:
    """The mean number of answers that a plain CUSUM takes from 0 to `height`, at this accuracy.

    Source: Brook & Evans (1972), "An approach to the probability distribution of cusum run length": a Markov chain on
    a fine grid of heights.
    """
    width = height / states
    heights = np.arange(states) * width
    stays = np.zeros((states, states))
    for step, share in ((PLAN.right, accuracy), (PLAN.wrong, 1 - accuracy)):
        place = np.rint(np.maximum(0.0, heights + step) / width).astype(int)
        inside = place < states
        np.add.at(stays, (np.arange(states)[inside], place[inside]), share)
    return float(np.linalg.solve(np.eye(states) - stays, np.ones(states))[0])


def wald_length(plan: SprtPlan, *, is_good: bool) -> float:
    """Wald's approximation to the mean length of the plain test: less than it takes, for it neglects by how much a
    bound is passed."""
    accuracy, acted = (plan.good, plan.alpha) if is_good else (plan.bad, 1 - plan.beta)
    drift = accuracy * plan.right + (1 - accuracy) * plan.wrong
    return (acted * plan.act_at + (1 - acted) * plan.pass_at) / drift


Bools = npt.NDArray[np.bool_]
REDUNDANCY = 5
KNOWN_REFERENCES = 40
"""The number of references that each worker answered, half of them successes."""
FIRST_REFERENCE = 1_000_000
MOST = 7
GOOD, FAIR = Honest(0.9, 0.9), Honest(0.85, 0.85)
CROWDS: dict[str, list[Behaviour]] = {
    "20 honest of .9, 4 careless, 8 spammers, 8 always success": [
        *[GOOD] * 20,
        *[CARELESS] * 4,
        *[SPAMMER] * 8,
        *[ALWAYS_SUCCESS] * 8,
    ],
    "40 alike, of .85": [FAIR] * 40,
    "40 alike, of .7": [CARELESS] * 40,
    "5 honest of .85, and 2 who copy from each other, of .5": [*[FAIR] * 5, *[Colluding("pair", 0.5)] * 2],
}
FEW_SPAMMERS: list[Behaviour] = [*[GOOD] * 20, *[CARELESS] * 4, *[SPAMMER] * 4]


class Said(NamedTuple):
    """Answers of a crowd to tasks of which only the test knows the truth."""

    answers: Answers
    truths: dict[int, bool]
    behaviours: Sequence[Behaviour]


def said_of(behaviours: Sequence[Behaviour], *, tasks: int, seed: int, references: int = KNOWN_REFERENCES) -> Said:
    """`REDUNDANCY` answers on each task, of which three fifths are successes, and every worker's on the references."""
    members = [member(one, name=str(place), seed=str(seed)) for place, one in enumerate(behaviours)]
    luck = random.Random(seed)
    truths = {task: luck.random() < 0.6 for task in range(tasks)}
    known = {FIRST_REFERENCE + number: number % 2 == 0 for number in range(references)}
    rows = said_by(members, truths, redundancy=REDUNDANCY, seed=seed)
    rows += said_by(members, known, redundancy=len(members), seed=seed)
    return Said(answers_from(rows, truths=known), truths, behaviours)


def right_by(said: Said, method: Method) -> Bools:
    """By task, whether this method finds what is true; a tie does not."""
    return is_right(estimate(method, said.answers), said.truths)


def is_right(found: Estimate, truths: Mapping[int, bool]) -> Bools:
    assert found.probability is not None
    true = np.array([truths[task] for task in found.tasks.tolist()])
    is_tie = np.abs(found.probability - 0.5) <= 1e-9
    return np.asarray(((found.probability > 0.5) == true) & ~is_tie, dtype=np.bool_)


class Lead(NamedTuple):
    """By how much more of the same tasks one method is right than another, and the standard error of that."""

    by: float
    error: float


def lead(one: Bools, other: Bools) -> Lead:
    """A paired comparison: tasks that both methods find or both miss do not count."""
    won, lost = int((one & ~other).sum()), int((other & ~one).sum())
    return Lead((won - lost) / len(one), math.sqrt(max(won + lost, 1)) / len(one))


class Grown(NamedTuple):
    """Tasks that close as soon as they are sure, beside the same answers at fixed numbers; by task."""

    annotations: npt.NDArray[np.int64]
    right: Bools
    fixed: dict[int, Bools]


def grow(behaviours: Sequence[Behaviour], *, tasks: int, confidence: float, seed: int) -> Grown:
    """Tasks of a project with votes weighted by references, from 2 to `MOST` annotations."""
    members = [member(one, name=str(place), seed=str(seed)) for place, one in enumerate(behaviours)]
    tool, luck = tool_named("marker"), random.Random(seed)
    verdict = verdict_of(tool)
    raters: dict[int, Rater] = {}
    for who, one in enumerate(members):
        yes, no = (
            sum(one.says(f"{truth}-{number}", truth) == truth for number in range(KNOWN_REFERENCES // 2))
            for truth in (True, False)
        )
        raters[who] = rater_from_counts(yes, KNOWN_REFERENCES // 2, no, KNOWN_REFERENCES // 2)
    rule = aggregation.Rule(redundancy=2, confidence=confidence, least=2, most=MOST)
    closed: list[tuple[int, bool]] = []
    fixed: dict[int, list[bool]] = {n: [] for n in range(1, MOST + 1)}
    for task in range(tasks):
        truth, votes, is_done = luck.random() < 0.5, list[Vote](), False
        for who in luck.sample(range(len(members)), MOST):
            said = members[who].says(str(task), truth)
            votes.append(Vote(who, {"outcome": "success" if said else "failure", "frame": 1, "time_s": 1.0}))
            found = aggregation.aggregate(tool, votes, raters=raters)
            right = verdict(found.answer) is truth
            fixed[len(votes)].append(right)
            if not is_done and aggregation.completion_of(rule, n=len(votes), confidence=found.confidence).is_done:
                is_done = True
                closed.append((len(votes), right))
    return Grown(
        np.array([n for n, _ in closed]),
        np.array([right for _, right in closed]),
        {n: np.array(rights) for n, rights in fixed.items()},
    )
