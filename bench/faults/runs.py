"""A run: a server under load, faults at moments drawn by a seed, and what was lost or doubled."""

import random
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bench.faults.acknowledged import Acknowledged
from bench.faults.faults import faults_of
from bench.faults.load import Load
from bench.faults.reconcile import Kind, Reconciliation
from bench.faults.server import Database, Server


@dataclass
class Row:
    """One fault: how often, how much was acknowledged until the next, and the seconds until the server was healthy."""

    times: int = 0
    acknowledged: int = 0
    healthy_s: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    """The result of a run.

    Attributes:
        rows: By the name of the fault.
        faults: Wrong answers, and what the checks of the database found.
        unknown: Requests without a final answer when the load ended.
    """

    rows: dict[str, Row]
    kinds: list[Kind]
    faults: list[str]
    unknown: int
    answers: dict[int, int]


def run(
    folder: Path, database: Database, *, operations: int, seed: int, chosen: Iterable[str] = (), most_s: float = 1e9
) -> Result:
    """Load a server until so many operations are acknowledged, and break it meanwhile, all in a new folder.

    Args:
        chosen: The faults; else all that this server can have, again and again.
        most_s: After this time the load ends, with fewer operations.

    Raises:
        AssertionError: the server did not get healthy again.
    """
    server = Server(folder, database)
    log, chance = Acknowledged(folder / "acknowledged.jsonl"), random.Random(seed)
    try:
        server.start()
        load = Load(server, log, seed)
        load.prepare()
        load.start()
        rows = _break_meanwhile(server, load, log, operations, chance, list(chosen), time.monotonic() + most_s)
        load.stop()
        server.wait_healthy()
        with closing(Reconciliation(server, log)) as found:
            return Result(rows, found.kinds(), load.faults + found.faults(), load.unknown, dict(load.answers))
    finally:
        server.stop()
        log.close()


def _break_meanwhile(
    server: Server,
    load: Load,
    log: Acknowledged,
    operations: int,
    chance: random.Random,
    chosen: list[str],
    until: float,
) -> dict[str, Row]:
    acts = faults_of(server)
    order = chosen or list(acts)
    rows = {name: Row() for name in order}
    waiting: list[str] = []
    # Every fault comes, and on long runs one about every 60 operations.
    apart = min(60, operations // (len(order) + 1))

    def goes_on() -> bool:
        return load.is_running() and time.monotonic() < until

    while goes_on() and (log.count < operations or not all(row.times for row in rows.values())):
        if not waiting:
            waiting = chance.sample(order, len(order))
        name, begun = waiting.pop(), log.count
        row = rows[name]
        acts[name](server, chance)
        broken_at = time.monotonic()
        server.wait_healthy()
        row.healthy_s.append(time.monotonic() - broken_at)
        row.times += 1
        wanted = log.count + chance.randint(1, 2 * apart)
        while goes_on() and log.count < wanted:
            time.sleep(0.01)
        row.acknowledged += log.count - begun
    return rows
