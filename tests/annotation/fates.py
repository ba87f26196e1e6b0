"""What a gate does to many simulated workers of a kind, and what theory says that it should; `python -m
tests.annotation.fates` prints the table of `docs/quality.md`. Needs no database."""

import math
import random
from typing import NamedTuple

import numpy as np

from annotation.statistics.sequential import DRIFT_AT, Answered, GatePath, SprtPlan, gate_path, plan_for
from demo.crowd import ALWAYS_SUCCESS, CARELESS, SPAMMER, Behaviour, Colluding, Drifter, Honest, Member

PLAN = plan_for(0.7)
MINIMUM = 10
TURN = 60
"""References that a drifter answers well."""
REFERENCES = 120
KINDS: dict[str, Behaviour] = {
    "honest, .95": Honest(0.95, 0.95),
    "honest, .9": Honest(0.9, 0.9),
    "careless, .7": CARELESS,
    "colluding, .6": Colluding("pair", 0.6),
    "spammer": SPAMMER,
    "always success": ALWAYS_SUCCESS,
    f"drifter, .92, from {TURN} on .55": Drifter(Honest(0.92, 0.92), Honest(0.55, 0.55), turns_at=TURN),
}


def slack(p: float, n: int) -> float:
    """Four standard errors of a share p of n: a right program goes beyond once in 16 000 seeds, on either side."""
    return 4 * math.sqrt(p * (1 - p) / n)


def member(behaviour: Behaviour, *, name: str = "somebody", seed: str = "tests", kind: str = "honest") -> Member:
    return Member(name, kind, behaviour, seed=seed)


def answers_of(one: Member, number: int, *, seed: str, successes: float = 0.5) -> list[Answered]:
    """What the worker says of so many references, of which each is a success by a coin, as the server throws it."""
    coin = random.Random(f"coin:{seed}")
    truths = [coin.random() < successes for _ in range(number)]
    return [Answered(truth, one.says(f"{seed}:{index}", truth) == truth) for index, truth in enumerate(truths)]


class Fates(NamedTuple):
    """What becomes of many workers of one kind who each meet so many references."""

    paths: list[GatePath]

    @property
    def paused(self) -> list[int]:
        """After how many references, of those who were."""
        return [path.decision.at_n for path in self.paths if path.decision.state == "act"]

    @property
    def share(self) -> float:
        return len(self.paused) / len(self.paths)

    def share_by(self, references: int) -> float:
        """Paused after at most so many."""
        return sum(at <= references for at in self.paused) / len(self.paths)

    @property
    def lengths(self) -> list[int]:
        """How many references the first test took, of those whom it decided."""
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
    """How many answers a plain CUSUM takes on average from 0 to `height`, at this accuracy.

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


def main() -> None:
    print("| worker | paused by 20 | by 40 | by 120 references | of these, median references until then |")  # noqa: T201
    print("|---|---|---|---|---|")  # noqa: T201
    for name, behaviour in KINDS.items():
        found = fates(behaviour, workers=4000, references=REFERENCES, seed=name)
        by = " | ".join(f"{found.share_by(n):.3f}" for n in (20, 40, REFERENCES))
        print(f"| {name} | {by} | {np.median(found.paused):.0f} |")  # noqa: T201


if __name__ == "__main__":
    main()
