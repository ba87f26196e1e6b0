"""`crosswalk post`: recordings to the server, several at once, each once."""

from __future__ import annotations

import queue
import sys
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any

from crosswalk_client.cli.common import Subparsers, client_of, command
from crosswalk_client.cli.output import result, say
from crosswalk_client.cli.posting.journal import Journal
from crosswalk_client.cli.posting.plan import Post, planned
from crosswalk_client.client import Client
from crosswalk_client.errors import CrosswalkError, NotFound, Unauthorized

AT_ONCE, MOST_AT_ONCE = 4, 64
INTERRUPTED = 130


def add_to(commands: Subparsers, common: ArgumentParser) -> None:
    made = command(
        commands,
        common,
        "post",
        post,
        help="post recordings, each once; the same command again goes on where it stopped",
        examples="""
            crosswalk post episodes/*.mp4 --suite rooms --agent wanderer-1
                red-box-3.mp4 is continuation 3 of the scenario red-box
            crosswalk post take*.mp4 --suite rooms --agent wanderer-1 --scenario red-box --wait
            crosswalk post s3://recordings/run-7/ --suite rooms --agent wanderer-1
            crosswalk post --manifest episodes.jsonl --parallel 8
                a line: {"file": "a.mp4", "external_id": "a", "agent": "wanderer-1", "suite": "rooms",
                "scenario": "red-box", "continuation": 0}
        """,
    )
    made.add_argument("files", nargs="*", metavar="FILE", help="or s3://BUCKET/PREFIX, whose files the server copies")
    made.add_argument("--suite", help="the suite of all files; a manifest names it in each line")
    made.add_argument("--agent", help="the agent whose tries these are; a manifest names it in each line")
    made.add_argument("--scenario", help="of all files; else the name of a file says it")
    made.add_argument("--make-agent", action="store_true", help="make the agent if the server does not know it")
    made.add_argument("--manifest", type=Path, metavar="M.jsonl", help="a file with the data of an episode a line")
    made.add_argument("--parallel", type=_number, default=AT_ONCE, metavar="N", help=f"files at once ({AT_ONCE})")
    made.add_argument("--wait", action="store_true", help="end when all are prepared; status 1 if one failed")


def post(asked: Namespace) -> int:
    with client_of(asked) as client:
        posts = planned(asked, client)
        if asked.make_agent:
            _make_agents(client, {str(one.data["agent"]) for one in posts})
        journal = Journal(client.url)
        waiting = [one for one in posts if not journal.has(one)]
        posting = Posting(client, journal, waiting)
        if not posting.run(parallel=asked.parallel):
            say(f"Stopped: {len(posting.posted)} of {len(waiting)} posted. The same command goes on from there.")
            return INTERRUPTED
        told: dict[str, Any] = {
            "posted": sorted(posting.posted),
            "posted_before": sorted({one.external_id for one in posts} - {one.external_id for one in waiting}),
            "refused": posting.refused,
        }
        if asked.wait:
            told["failed"] = _failed(client, [one for one in posts if one.external_id not in posting.refused])
    result(asked, told, _words(told))
    return 1 if told["refused"] or told.get("failed") else 0


class Posting:
    """Posts files with several threads.

    Attributes:
        posted: The external ids that the server has answered.
        refused: For each other one, why.
    """

    def __init__(self, client: Client, journal: Journal, posts: list[Post]) -> None:
        self.posted: list[str] = []
        self.refused: dict[str, str] = {}
        self._client = client
        self._journal = journal
        self._count = len(posts)
        self._waiting: queue.SimpleQueue[Post] = queue.SimpleQueue()
        for one in posts:
            self._waiting.put(one)
        self._stop = threading.Event()

    def run(self, *, parallel: int) -> bool:
        """Post all; False if the person stopped it."""
        # As daemons they end with the program, in the middle of a file too: its parts are noted.
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(min(parallel, self._count))]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)
                    self._show()
        except KeyboardInterrupt:
            self._stop.set()
            return False
        finally:
            self._show(ends=True)
        return True

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                one = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._post(one)
            except Unauthorized as error:
                self.refused[one.external_id] = str(error)
                self._stop.set()
            except (CrosswalkError, OSError, TypeError) as error:
                self.refused[one.external_id] = str(error)
            else:
                self._journal.add(one)
                self.posted.append(one.external_id)

    def _post(self, one: Post) -> None:
        if isinstance(one.video, str):
            self._client.episodes.post_from_bucket(one.video, **one.data)
            return
        notes = self._journal.notes(one)
        self._client.episodes.post(one.video, trajectory=one.trajectory, notes=notes, **one.data)

    def _show(self, *, ends: bool = False) -> None:
        if sys.stderr.isatty() and self._count:
            refused = f", {len(self.refused)} refused" if self.refused else ""
            sys.stderr.write(f"\r{len(self.posted)} of {self._count} posted{refused}" + ("\n" if ends else ""))
            sys.stderr.flush()


def _make_agents(client: Client, slugs: set[str]) -> None:
    for slug in sorted(slugs):
        try:
            client.agents.get(slug)
        except NotFound:
            client.agents.put(slug, name=slug)


def _failed(client: Client, posts: list[Post]) -> dict[str, str]:
    """Wait until all are prepared; for each that failed, what is wrong with it."""
    failed = {}
    for one in posts:
        while (found := client.episodes.get(one.external_id))["status"] == "preparing":
            time.sleep(0.5)
        if found["status"] == "failed" and (problem := found["problem"]):
            failed[one.external_id] = f"{problem['code']}: {problem['detail']}"
    return failed


def _words(told: dict[str, Any]) -> str:
    counts = [f"{len(told['posted'])} posted", f"{len(told['posted_before'])} posted before"]
    counts += [f"{len(told[kind])} {kind}" for kind in ("refused", "failed") if told.get(kind)]
    reasons = [f"{name}: {why}" for kind in ("refused", "failed") for name, why in told.get(kind, {}).items()]
    return "\n".join([*reasons, ", ".join(counts) + "."])


def _number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST_AT_ONCE:
        raise ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_AT_ONCE}")
    return int(text)
