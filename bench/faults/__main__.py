"""`python -m bench.faults --operations 10000 --database sqlite`: one long run, and its table.

PostgreSQL and Redis are started by the run itself. As root, the disk is a small filesystem in memory that is filled;
another account cannot mount one, so that fault is left out.
"""

import argparse
import signal
import statistics
import sys
import tempfile
from pathlib import Path

from bench.faults.runs import Result, run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.faults")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-minutes", type=float, default=600)
    parser.add_argument("--fault", action="append", default=[], help="Only this fault; can be given several times.")
    parser.add_argument("--keep", type=Path, help="A new folder, which is left with the logs.")
    asked = parser.parse_args()
    # So that what was started is stopped, and what was mounted is unmounted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if asked.keep:
        asked.keep.mkdir()
    with tempfile.TemporaryDirectory(prefix="crosswalk-faults-") as made:
        result = run(
            asked.keep or Path(made),
            asked.database,
            operations=asked.operations,
            seed=asked.seed,
            chosen=asked.fault,
            most_s=60 * asked.most_minutes,
        )
    print(table(result))  # noqa: T201
    sys.exit(any(kind.lost or kind.doubled for kind in result.kinds) or bool(result.faults))


def table(result: Result) -> str:
    """The faults and the kinds of operations, as two tables of Markdown."""
    lines = [
        "| fault | times | acknowledged until the next | s until healthy: median | most |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, row in result.rows.items():
        median = statistics.median(row.healthy_s) if row.healthy_s else 0.0
        most = max(row.healthy_s, default=0.0)
        lines.append(f"| {name} | {row.times} | {row.acknowledged} | {median:.1f} | {most:.1f} |")
    lines += ["", "| operation | acknowledged | lost | doubled |", "|---|--:|--:|--:|"]
    for kind in result.kinds:
        lines.append(f"| {kind.name} | {kind.acknowledged} | {len(kind.lost)} | {len(kind.doubled)} |")
    total = [
        sum(kind.acknowledged for kind in result.kinds),
        sum(len(kind.lost) for kind in result.kinds),
        sum(len(kind.doubled) for kind in result.kinds),
    ]
    lines.append(f"| all | {total[0]} | {total[1]} | {total[2]} |")
    lines += ["", f"Without a final answer at the end: {result.unknown}. Answers by status: {result.answers}."]
    lines += [
        f"{kind.name}: lost {kind.lost[:10]}, doubled {kind.doubled[:10]}"
        for kind in result.kinds
        if kind[2:] != ([], [])
    ]
    return "\n".join([*lines, *result.faults])


if __name__ == "__main__":
    main()
