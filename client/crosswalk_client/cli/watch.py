"""`crosswalk watch`: how far the runs of a suite are, until they are complete."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import Any

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Fault, say, table, write, write_json
from crosswalk_client.client import Client
from crosswalk_client.types import RunAnswer

HEADS = ["agent", "version", "expected", "received", "preparing", "judged", "pending", "unjudged", "missing"]
INCOMPLETE = 1


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "watch",
        watch,
        help="show how far the runs of a suite are; end when all are complete",
        examples="""
            crosswalk watch --suite rooms --version v1
            crosswalk watch --suite rooms --agent wanderer-1 --timeout 3600 --json
        """,
    )
    made.add_argument("--suite", required=True, help="the suite that is run")
    made.add_argument("--version", help="only this frozen version")
    made.add_argument("--project", help="the project whose workers' verdicts count")
    made.add_argument("--agent", action="append", default=[], help="only this agent; may be repeated")
    made.add_argument("--every", type=float, default=10.0, metavar="SECONDS", help="ask again after so long (10)")
    made.add_argument("--timeout", type=float, metavar="SECONDS", help="give up after so long, with status 1")
    made.add_argument("--once", action="store_true", help="ask once; status 1 if a run is not complete")


def watch(asked: Namespace) -> int:
    """Ask until every run is complete. With --json each change is a line."""
    ends = time.monotonic() + asked.timeout if asked.timeout is not None else None
    shown: Any = None
    with client_of(asked) as client, told_if_missing(client, "runs", suite=asked.suite):
        while True:
            runs = _runs(client, asked)
            if runs != shown:
                shown = runs
                _show(client, asked, runs)
            if runs and all(run["complete"] for run in runs):
                return 0
            if asked.once or (ends is not None and time.monotonic() >= ends):
                say("Not every run is complete." if runs else "There is no run yet.")
                return INCOMPLETE
            time.sleep(max(asked.every, 0.1))


def _runs(client: Client, asked: Namespace) -> list[RunAnswer]:
    found = client.suites.runs(asked.suite, version=asked.version, project=asked.project)
    runs = [run for run in found if not asked.agent or run["agent"] in asked.agent]
    if lost := set(asked.agent) - {run["agent"] for run in runs}:
        known = ", ".join(sorted({run["agent"] for run in found})) or "none"
        raise Fault(f"No run of {', '.join(sorted(lost))}; agents with a run: {known}.")
    return runs


def _show(client: Client, asked: Namespace, runs: list[RunAnswer]) -> None:
    if asked.json:
        write_json(runs, in_one_line=True)
        return
    rows = []
    for run in runs:
        preparing = run["received"] - run["ready"]
        pending = run["ready"] - run["judged"] - run["unjudged"]
        counts = [run["expected"], run["received"], preparing, run["judged"], pending, run["unjudged"]]
        rows.append([run["agent"], run.get("version"), *counts, len(run["missing"]) + run["missing_left"]])
    write(time.strftime("%H:%M:%S"))
    write(table(HEADS, rows) if rows else "There is no run yet.")
    if asked.project:
        _show_money(client, asked.project)


def _show_money(client: Client, project: str) -> None:
    found = client.projects.get(project)
    pay, progress = found.get("pay"), found["progress"]
    if pay and pay.get("base"):
        base = pay["base"]
        owed = float(base["amount"]) * progress["annotations"]
        write(f"{progress['annotations']} annotations, {owed:.2f} {base['currency']} of base pay")
