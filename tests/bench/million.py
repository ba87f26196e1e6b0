"""Staff pages and what is written and computed behind them, at a thousand annotations and at a million.

A tenth as many workers as annotations (100,000), each with ten answers, one of them to a reference; a fifth as many
tasks. Each size has a database and a process of its own; they take turns.
"""

import sys
from typing import Any

from tests.bench.database import own_database
from tests.bench.rows import Row, compared
from tests.bench.stations import ask, serve, stations

SIZES = (1_000, 1_000_000)
ROUNDS = 4
PAGE = "15 queries, 300 ms"
BUDGETS = {"page": PAGE, "submit": "40 queries, 100 ms", "records": "20 queries, 300 ms", "fit": "2 minutes"}


def run() -> list[Row]:
    found: dict[int, list[dict[str, Any]]] = {size: [] for size in SIZES}
    with stations("tests.bench.million", SIZES) as running:
        for _ in range(ROUNDS):
            for size, station in running.items():
                found[size].append(ask(station, "round"))
        fits = {size: ask(station, "fit") for size, station in running.items()}
    rows = []
    small = f"{SIZES[0]:,} annotations"
    for what, first in found[SIZES[0]][0].items():
        cases = {f"{size:,} annotations": [one[what]["s"] for one in found[size]] for size in SIZES}
        queries = {f"{size:,} annotations": found[size][-1][what]["queries"] for size in SIZES}
        rows += [
            row._replace(queries=queries[row.case], budget=BUDGETS[first["kind"]] if row.case != small else "")
            for row in compared(what, cases, against=small)
        ]
    for what in fits[SIZES[0]]:
        for size in SIZES:
            s, base = fits[size][what], fits[size]["bare read of the answers"]
            budget = BUDGETS["fit"] if size == SIZES[-1] and what.endswith("again") else ""
            rows.append(Row(what, f"{size:,} annotations", s, None, "s", s / base, "bare read", budget=budget))
    return rows


def _serve(size: int) -> None:
    with own_database():
        from tests.bench.million_rows import fill
        from tests.bench.million_turns import Turns

        turns = Turns(fill(size))
        turns.round()
        serve(lambda what: turns.fits() if what == "fit" else turns.round())


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
