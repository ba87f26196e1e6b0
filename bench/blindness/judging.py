"""From trials to the tables: AUCs of strategies, junk, and planted leaks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bench.blindness.distinguisher import Score, best_features, distinguished, names_in, samples_of
from bench.blindness.fair_server import FairServer
from bench.blindness.features import Known, known_in
from bench.blindness.leaks import LEAKS
from bench.blindness.playing import play
from bench.blindness.specs import Spec, drawn_specs
from bench.blindness.strategies import STRATEGIES
from bench.blindness.trial import Trial

BLIND = (0.45, 0.55)
FOUND = 0.6
ALL = "all strategies of one worker"
LEAK_PROJECTS, LEAK_TASKS = 120, 80
"""The number of simulated projects for each leak, and the most tasks of one."""
LEAST_TRIALS = 10
"""With fewer trials an AUC is chance."""


class StrategyScore(NamedTuple):
    """The AUC of a strategy, with the single features that told most.

    `part` is "" for all units of single workers; for colluders "narrow" are the units that at most `redundancy` of them
    saw, and "wide" the others.
    """

    strategy: str
    part: str
    score: Score
    best: list[tuple[str, float]]


class JunkScore(NamedTuple):
    """Of the junk answers after a strategy: how many met references, by the project's rate and in fact."""

    strategy: str
    answers: int
    expected: float
    met: int
    trials: int

    @property
    def share(self) -> float:
        return self.met / self.expected if self.expected else float("nan")


def score_strategies(trials: Sequence[Trial]) -> list[StrategyScore]:
    """The AUC of each strategy that was played, and of all strategies of single workers together."""
    known = [(trial, known_in(trial)) for trial in trials if trial.servings]
    found = []
    for name, strategy in STRATEGIES.items():
        of_name = [(trial, one) for trial, one in known if trial.strategy == name]
        if strategy.workers == 1:
            found += _scored(name, "", [(trial.project, one) for trial, one in of_name])
            continue
        narrow = [(trial.project, _part(one, one.seen_by <= trial.redundancy)) for trial, one in of_name]
        wide = [(trial.project, _part(one, one.seen_by > trial.redundancy)) for trial, one in of_name]
        found += _scored(name, "narrow", narrow) + _scored(name, "wide", wide)
    return found + _scored(ALL, "", [(trial.project, one) for trial, one in known if trial.workers == 1])


def _part(known: Known, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Known:
    return known._replace(
        contents=[content for content, there in zip(known.contents, chosen, strict=True) if there],
        values=known.values[chosen],
        is_reference=known.is_reference[chosen],
        seen_by=known.seen_by[chosen],
    )


def _scored(name: str, part: str, known: Sequence[tuple[int, Known]]) -> list[StrategyScore]:
    if not known:
        return []
    names = names_in(known)
    samples = samples_of(known, names)
    return [StrategyScore(name, part, distinguished(samples), best_features(samples, names))]


def score_junk(trials: Sequence[Trial]) -> list[JunkScore]:
    """The junk answers after each strategy, in trials whose unmet references sufficed."""
    found = []
    for name in STRATEGIES:
        counted = [trial for trial in trials if trial.strategy == name and trial.enough and trial.junk]
        met = sum(content in trial.references for trial in counted for content in trial.junk)
        expected = sum(trial.rate * len(trial.junk) for trial in counted)
        found.append(JunkScore(name, sum(len(trial.junk) for trial in counted), expected, met, len(counted)))
    whole = [sum(column) for column in zip(*(one[1:] for one in found), strict=True)]
    return [*found, JunkScore("all strategies", int(whole[0]), whole[1], int(whole[2]), int(whole[3]))]


def simulated(server: type[FairServer], specs: Sequence[Spec]) -> list[Trial]:
    """The trials of the specs' strategies on a simulated server."""
    return [play(server(spec), spec, name) for spec in specs for name in spec.strategies]


def simulated_specs(count: int, *, seed: int, strategies: tuple[str, ...] = tuple(STRATEGIES)) -> list[Spec]:
    """Projects of the one kind of content that a simulated server knows, of moderate size."""
    return [
        spec._replace(kind="experts", tasks=tasks, references=min(spec.references, tasks // 2))
        for spec in drawn_specs(count, seed=seed, strategies=strategies)
        for tasks in [min(spec.tasks, LEAK_TASKS)]
    ]


def score_leaks(*, seed: int, projects: int = LEAK_PROJECTS) -> dict[str, StrategyScore]:
    """For each planted leak the strategy that finds it best, by the low end of its interval."""
    specs = simulated_specs(projects, seed=seed)
    return {name: best_found(simulated(server, specs)) for name, server in LEAKS.items()}


def best_found(trials: Sequence[Trial]) -> StrategyScore:
    """The strategy that tells most, by the low end of its interval."""
    enough = [one for one in score_strategies(trials) if one.score.trials >= LEAST_TRIALS]
    return max(enough, key=lambda one: one.score.low)
