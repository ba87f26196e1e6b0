"""The distinguisher on a few projects: a short form of `python -m bench.blindness`."""

from bench.blindness.judging import BLIND, score_junk, score_strategies
from bench.blindness.processes import ROOT, trials_of
from bench.rows import Row

PROJECTS, SEED = 20, 1
LEAST_JUNK = 0.8


def run() -> list[Row]:
    trials = trials_of(ROOT, projects=PROJECTS, seed=SEED)
    budget = f"{BLIND[0]}–{BLIND[1]}"
    rows = [
        Row(
            "blindness, AUC inside projects",
            f"{one.strategy}{one.part and f', {one.part}'}, {one.score.n} references",
            one.score.auc,
            None,
            f"{one.score.low:.2f}–{one.score.high:.2f}",
            one.score.auc / 0.5,
            "0.5, blind",
            budget=budget,
        )
        for one in score_strategies(trials)
        if one.score.trials
    ]
    junk = score_junk(trials)[-1]
    share = Row(
        "blindness, junk answers that met references",
        f"{junk.answers} answers",
        junk.share,
        None,
        "of the rate",
        junk.share / LEAST_JUNK,
        "budget",
        budget=f"≥ {LEAST_JUNK}",
    )
    return [*rows, share]
