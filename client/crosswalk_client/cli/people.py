"""`crosswalk links` and `crosswalk erase`: workers of one's own, and what is kept about a person."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace

from crosswalk_client.cli.common import Subparsers, client_of, command, told_if_missing
from crosswalk_client.cli.output import Fault, result, say
from crosswalk_client.errors import NotFound


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    links_ = command(
        commands,
        common,
        "links",
        links,
        help="make a link for each named worker, with which they work in a project",
        examples="""
            crosswalk links rooms-marks ana ben
            crosswalk links rooms-marks --from names.txt --json
        """,
    )
    links_.add_argument("project", help="the project's name in addresses")
    links_.add_argument("worker", nargs="*", help="your name for the worker")
    links_.add_argument(
        "--from", dest="names", metavar="FILE", help="a file with a name a line; - is the standard input"
    )
    erase_ = command(
        commands,
        common,
        "erase",
        erase,
        help="erase a person: their name, their texts, what ties answers to them",
        examples="crosswalk erase prolific:5f8a… --yes --wait",
    )
    erase_.add_argument(
        "worker", metavar="PLATFORM:ID", help="the person, as direct:ana for one whom you named yourself"
    )
    erase_.add_argument("--yes", action="store_true", help="do not ask")
    erase_.add_argument("--wait", action="store_true", help="end when nothing is left")


def links(asked: Namespace) -> int:
    names = [*asked.worker, *(_names(asked.names) if asked.names else ())]
    if not names:
        raise Fault("Name a worker.")
    with client_of(asked) as client, told_if_missing(client, "links", project=asked.project):
        made = [{"worker": name, **client.projects.link(asked.project, name)} for name in names]
    result(asked, made, "\n".join(f"{one['worker']}\t{one['url']}" for one in made))
    return 0


def erase(asked: Namespace) -> int:
    platform, _, external_id = asked.worker.partition(":")
    if not external_id:
        raise Fault("Name the person as PLATFORM:ID, as direct:ana.")
    if not asked.yes and not _agrees(f"Erase {asked.worker} for good? Type yes: "):
        raise Fault("Nothing was erased.")
    with client_of(asked) as client:
        try:
            report = client.workers.erase(platform, external_id)
        except NotFound:
            raise Fault(f"There is no worker {asked.worker!r}, or they are erased already.") from None
        while asked.wait and report["finished_at"] is None:
            time.sleep(1)
            report = client.workers.erasure(report["report"])
    done = "is erased" if report["finished_at"] else f"is being erased (report {report['report']})"
    result(asked, report, f"{asked.worker} {done}.")
    return 0


def _names(path: str) -> list[str]:
    if path == "-":
        lines = sys.stdin.read().splitlines()
    else:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - a path as it was typed
            lines = file.read().splitlines()
    return [line.strip() for line in lines if line.strip()]


def _agrees(question: str) -> bool:
    if not sys.stdin.isatty():
        say("Nobody can be asked here: use --yes.")
        return False
    return input(question).strip() == "yes"
