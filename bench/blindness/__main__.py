"""Plays all strategies on a tree of the product and prints what a worker could tell; see `docs/blindness.md`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from bench.blindness.exploits import score_rules
from bench.blindness.judging import BLIND, FOUND, JunkScore, StrategyScore, score_junk, score_leaks, score_strategies
from bench.blindness.processes import ROOT, trials_of
from bench.blindness.strategies import STRATEGIES
from bench.blindness.trial import Trial


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.blindness", description=__doc__)
    parser.add_argument("--projects", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout of the product")
    parser.add_argument("--trials", type=Path, help="keep the trials in this file, or read them if it is there")
    parser.add_argument(
        "--strategy", action="append", choices=STRATEGIES, help="Only this; can be given several times."
    )
    parser.add_argument("--leaks", action="store_true", help="only try the distinguisher on the planted leaks")
    given = parser.parse_args()
    start = perf_counter()
    if given.leaks:
        print_leaks(seed=given.seed)
    else:
        asked = tuple(given.strategy or STRATEGIES)
        trials = trials_of(
            given.tree.resolve(), projects=given.projects, seed=given.seed, strategies=asked, kept=given.trials
        )
        print_trials(trials)
    print(f"\n{perf_counter() - start:.0f} s")  # noqa: T201


def print_trials(trials: Sequence[Trial]) -> None:
    """Print the tables of a tree, and the trials that the server could not serve."""
    broken = [one for one in trials if any(serving.refusal == "server_error" for serving in one.servings)]
    if broken:
        named = ", ".join(f"{one.strategy} in project {one.project}" for one in broken)
        print(f"\nServer errors: {named}")  # noqa: T201
    print_table(
        ("strategy", "units", "AUC", "low", "high", "references", "trials", "tells most by itself"),
        [_cells(one) for one in score_strategies(trials)],
    )
    print_table(
        ("rule", "accuracy", "right", "found", "accused", "references"),
        [
            (one.rule, *(f"{value:.2f}" for value in one[1:4]), str(one.accused), str(one.references))
            for one in score_rules(trials)
        ],
    )
    print_table(
        ("junk after", "answers", "references met", "expected", "share of the rate", "trials"),
        [_junk_cells(one) for one in score_junk(trials)],
    )


def print_leaks(*, seed: int) -> None:
    """Print how well each planted leak is found."""
    print_table(
        ("planted leak", "found by", "units", "AUC", "low", "high", "references", "trials", "tells most by itself"),
        [(leak, *_cells(one)) for leak, one in score_leaks(seed=seed).items()],
    )
    print(f"\nA leak counts as found from {FOUND} on.")  # noqa: T201


def _cells(one: StrategyScore) -> tuple[str, ...]:
    score = one.score
    is_outside = not BLIND[0] <= score.auc <= BLIND[1] and score.trials
    best = ", ".join(f"{name} {auc:.2f}" for name, auc in one.best) if is_outside else ""
    numbers = [f"{value:.3f}" for value in (score.auc, score.low, score.high)]
    return (one.strategy, one.part or "all", *numbers, str(score.n), str(score.trials), best)


def _junk_cells(one: JunkScore) -> tuple[str, ...]:
    return (one.strategy, str(one.answers), str(one.met), f"{one.expected:.1f}", f"{one.share:.2f}", str(one.trials))


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    print("\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines))  # noqa: T201


if __name__ == "__main__":
    main()
