"""`crosswalk rank`: the agents of a suite, best first."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Cell, table, write, write_csv, write_json
from crosswalk_client.types import RankingAnswer

GROUPINGS = ("category", "skill", "tag", "prompt", "scenario")
HEADS = ["rank", "agent", "rate", "low", "high", "n", "successes", "pending", "unjudged"]


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "rank",
        rank,
        help="show the agents of a suite, best first, with 95 % intervals",
        examples="""
            crosswalk rank --suite rooms
            crosswalk rank --suite rooms --by category --csv > by-category.csv
            crosswalk rank --suite rooms --version v1 --correct rogan_gladen --json
        """,
    )
    made.add_argument("--suite", required=True, help="the suite whose agents are ranked")
    made.add_argument("--by", choices=GROUPINGS, help="split each agent's rate")
    made.add_argument("--version", help="only what belongs to this frozen version")
    made.add_argument("--project", help="the project whose workers' verdicts count")
    made.add_argument("--tag", help="only scenarios with this tag")
    made.add_argument("--correct", choices=("none", "rogan_gladen"), help="correct for raters' errors")
    made.add_argument("--csv", action="store_true", help="write CSV")


def rank(asked: Namespace) -> int:
    with client_of(asked) as client, told_if_missing(client, "such ranking", suite=asked.suite):
        found = client.suites.ranking(
            asked.suite,
            by=asked.by,
            version=asked.version,
            project=asked.project,
            tag=asked.tag,
            correct=asked.correct,
        )
    if asked.json:
        write_json(found)
        return 0
    heads = [*HEADS, *((asked.by,) if asked.by else ())]
    rows = _rows(found, by=asked.by)
    if asked.csv:
        write_csv(heads, rows)
    else:
        write(table(heads, rows) if rows else "No agent has an episode here that is ready.")
    return 0


def _rows(found: RankingAnswer, *, by: str | None) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for one in found["agents"]:
        whole: list[Cell] = [one["rank"], one["agent"], one["rate"], one["low"], one["high"], one["n"]]
        rows.append([*whole, one["successes"], one["pending"], one["unjudged"], *(("all",) if by else ())])
        for group in one["groups"] if by else ():
            part: list[Cell] = [None, one["agent"], group["rate"], None, None, group["n"]]
            rows.append([*part, group["successes"], None, None, group["group"]])
    return rows
