"""What a simulated crowd's answers come to by each method, and where tasks may close early: many tasks, no server.

`python -m tests.annotation.verdicts` prints the tables of `docs/quality.md`.
"""

import math
import os
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import django
import numpy as np
import numpy.typing as npt

from demo.crowd import ALWAYS_SUCCESS, CARELESS, SPAMMER, Behaviour, Colluding, Honest
from tests.annotation.fates import member

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from annotation import aggregation
from annotation.aggregation import Voice
from annotation.fitting import Answers, Estimate, estimate
from annotation.models import Method
from annotation.statistics.posterior import Rater, rater_from_counts
from annotation.tools import tool_named
from tests.annotation.simulation import answers_from, said_by

Bools = npt.NDArray[np.bool_]
REDUNDANCY = 5
REFERENCES = 40
"""That each worker answered, half of them successes."""
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
    """Answers of a crowd to tasks whose truth the test knows, and the server does not."""

    answers: Answers
    truths: dict[int, bool]
    behaviours: Sequence[Behaviour]


def said_of(behaviours: Sequence[Behaviour], *, tasks: int, seed: int, references: int = REFERENCES) -> Said:
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
    """Paired: what both find or both miss says nothing of which is better."""
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
    raters: dict[int, Rater] = {}
    for who, one in enumerate(members):
        yes, no = (
            sum(one.says(f"{truth}-{number}", truth) == truth for number in range(REFERENCES // 2))
            for truth in (True, False)
        )
        raters[who] = rater_from_counts(yes, REFERENCES // 2, no, REFERENCES // 2)
    rule = aggregation.Rule(redundancy=2, confidence=confidence, least=2, most=MOST)
    closed: list[tuple[int, bool]] = []
    fixed: dict[int, list[bool]] = {n: [] for n in range(1, MOST + 1)}
    for task in range(tasks):
        truth, voices, is_done = luck.random() < 0.5, list[Voice](), False
        for who in luck.sample(range(len(members)), MOST):
            said = members[who].says(str(task), truth)
            voices.append(Voice(who, {"outcome": "success" if said else "failure", "frame": 1, "time_s": 1.0}))
            found = aggregation.aggregate(tool, voices, raters=raters)
            right = tool.verdict(found.answer) is truth
            fixed[len(voices)].append(right)
            if not is_done and aggregation.course(rule, n=len(voices), confidence=found.confidence).is_done:
                is_done = True
                closed.append((len(voices), right))
    return Grown(
        np.array([n for n, _ in closed]),
        np.array([right for _, right in closed]),
        {n: np.array(rights) for n, rights in fixed.items()},
    )


def main() -> None:
    print("| crowd | majority | weighted | Dawid–Skene |\n|---|---|---|---|")  # noqa: T201
    for name, behaviours in CROWDS.items():
        said = said_of(behaviours, tasks=20_000, seed=1)
        by = " | ".join(f"{right_by(said, method).mean():.3f}" for method in Method)
        print(f"| {name} | {by} |")  # noqa: T201
    print("\n| tasks close | annotations a task | right |\n|---|---|---|")  # noqa: T201
    grown = {confidence: grow(FEW_SPAMMERS, tasks=4000, confidence=confidence, seed=1) for confidence in (0.9, 0.95)}
    for confidence, found in grown.items():
        print(f"| at confidence {confidence} | {found.annotations.mean():.2f} | {found.right.mean():.3f} |")  # noqa: T201
    for n in (2, 3, 5, MOST):
        print(f"| at redundancy {n} | {n} | {grown[0.9].fixed[n].mean():.3f} |")  # noqa: T201


if __name__ == "__main__":
    main()
