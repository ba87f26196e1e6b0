"""Plays a strategy on a server, and then lets the first worker answer junk."""

import random

from bench.blindness.client import Client
from bench.blindness.contents import units_of
from bench.blindness.server import Server
from bench.blindness.specs import Spec
from bench.blindness.strategies import JUNK, STRATEGIES, answer_junk
from bench.blindness.trial import Trial


def slugs_of(spec: Spec, strategy: str) -> list[str]:
    """The projects of a trial: one, or two with the same units. Each trial has its own."""
    number = list(STRATEGIES).index(strategy)
    return [f"blind-{spec.number}-{number}-{where}" for where in range(STRATEGIES[strategy].projects)]


def play(server: Server, spec: Spec, name: str) -> Trial:
    """The record of one strategy, played by new workers in projects that are there."""
    strategy, units = STRATEGIES[name], units_of(spec)
    clients = [
        Client(server, project=slug, name=f"worker-{who}", who=who, where=where)
        for who in range(strategy.workers + strategy.others)
        for where, slug in enumerate(slugs_of(spec, name))
    ]
    draw = random.Random(f"{name} {spec.seed}/{spec.number}")
    strategy.play(draw.sample(clients, len(clients)) if strategy.others else clients, draw)
    known = [one for client in clients if client.who < strategy.workers for one in client.servings]
    trial = Trial(
        project=spec.number,
        strategy=name,
        workers=strategy.workers,
        redundancy=spec.redundancy,
        rate=spec.rate,
        is_scarce=spec.is_scarce,
        contents=[unit.content for unit in units],
        references=[unit.content for unit in units if unit.is_reference],
        servings=sorted(known, key=lambda one: one.at),
        stopped=clients[0].refusal,
    )
    gone = {one.content for one in clients[0].servings if one.end in ("submitted", "reported")}
    left = len(set(trial.references) - gone)
    trial.enough = not spec.is_scarce and left >= spec.rate * JUNK
    trial.junk = [one.content for one in answer_junk(clients[0])]
    return trial
