"""Staff pages, and the writes and computations behind them, with a thousand and with a million annotations.

All pages of the staff's table of addresses are among them. There is one worker for ten annotations, each with ten
answers, one of them to a reference; and one task for five annotations. Each size has its own database and process; they
take turns.
"""

import sys
from typing import Any

from bench.database import own_database
from bench.processes import ask, serve, size_processes
from bench.rows import Row, compared

SIZES = (1_000, 1_000_000)
ROUNDS = 4
PAGE = "30 queries, 150 ms"
BUDGETS = {"page": PAGE, "submit": "40 queries, 100 ms", "records": "20 queries, 300 ms", "fit": "2 minutes"}


def run() -> list[Row]:
    found: dict[int, list[dict[str, Any]]] = {size: [] for size in SIZES}
    with size_processes("bench.parts.million", SIZES) as running:
        for _ in range(ROUNDS):
            for size, process in running.items():
                found[size].append(ask(process, "round"))
        fits = {size: ask(process, "fit") for size, process in running.items()}
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
        from bench.million_rows import fill
        from bench.million_turns import Turns
        from bench.staff_pages import pages_over
        from tests.web.staff.conftest import make_world

        world = make_world()
        filled = fill(size)
        turns = Turns(filled, pages_over(filled, world))
        turns.round()
        serve(lambda what: turns.fits() if what == "fit" else turns.round())


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
