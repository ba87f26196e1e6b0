"""Many sessions between real processes, while the web process, agents and the database's lines are killed.

What was acknowledged is there, once; and every session comes to an end that may be. Two free cores take a minute and a
half for the 200 sessions; CROSSWALK_TEST_SESSIONS says how many else.
"""

import asyncio
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from interaction.models import Event
from interaction.session.messages import TO_AGENTS
from tests.support.quick_agent import block_of
from tests.support.servers import Staged, own_site, staged
from tests.support.worker_page import Killer, Page, drawn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SESSIONS = int(os.environ.get("CROSSWALK_TEST_SESSIONS", "200"))
AT_ONCE = 24
PATIENCE_S = 600
"""For all of it, on a machine that others use too."""
COMMANDS = 2
KILLS = {"web": max(3, SESSIONS // 66), "agent": max(3, SESSIONS // 33), "database": max(5, SESSIONS // 33)}
"""It takes seconds until a web process is there again."""
ACKS_A_SESSION = 8
"""There are two more; the last sessions may come to their end in peace."""
SIDE = 8
FLOOR = [[x, 0, z, 2] for x in range(SIDE) for z in range(SIDE)]
WORLD = {"size": [SIDE, SIDE, SIDE], "blocks": FLOOR, "agent": None, "player": None}
SEED = 20261122

Log = dict[str, Any]


class Aftermath:
    """The events that pages and agents received, and the rows of the database."""

    def __init__(
        self, killer: Killer, pages: dict[str, Page], logs: dict[str, Log], notes: list[dict[str, Any]]
    ) -> None:
        self.killer, self.pages, self.logs, self.notes = killer, pages, logs, notes

    def finished(self) -> list[Log]:
        return [log for log in self.logs.values() if log["reason"] == "finished"]


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """Run it all once."""
    folder, chance = tmp_path_factory.mktemp("kills"), random.Random(SEED)
    settings = {"CROSSWALK_AGENT_SILENCE_S": "5", "CROSSWALK_SECRET_KEY": "only-for-the-tests"}
    with own_site(folder, application="tests.support.hurried:application", **settings) as site:
        found = staged(site, SESSIONS, minimum_s=0, world=WORLD)
        moments = drawn(KILLS, within=ACKS_A_SESSION * SESSIONS, chance=chance)
        killer = Killer(site, found.agent, folder / "notes", chance, moments)
        killer.begin()
        try:
            pages = asyncio.run(_play(killer, found, chance))
        finally:
            killer.end()
        yield Aftermath(killer, pages, site.ask("read"), _lines(folder / "notes"))


async def _play(killer: Killer, found: Staged, chance: random.Random) -> dict[str, Page]:
    gate = asyncio.Semaphore(AT_ONCE)
    pages = {
        assignment: Page(
            f"{killer.site.socket_url}/ws/work/{assignment}/", token, random.Random(chance.random()), killer.count
        )
        for assignment, token in found.sessions
    }
    killer.pages = list(pages.values())

    async def work(page: Page) -> None:
        async with gate:
            await page.work(COMMANDS)

    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(work(page) for page in pages.values()))
        await killer.settled()
    return pages


def _lines(path: Path) -> list[dict[str, Any]]:
    # The last line of a process that was killed is whole: it is written in one go.
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_all_were_killed_as_often_as_was_drawn(aftermath: Aftermath) -> None:
    assert Counter(aftermath.killer.done) == Counter(KILLS)


def test_every_acknowledged_message_is_in_the_log(aftermath: Aftermath) -> None:
    for name, page in aftermath.pages.items():
        log = {seq: (role, kind, body) for seq, role, _, kind, body in aftermath.logs[name]["events"]}
        for seq, held in page.acked.items():
            role, kind, body = log[seq]
            assert (role, kind) == ("worker", held.kind)
            assert body == held.body


def test_no_log_has_a_gap_or_a_message_twice(aftermath: Aftermath) -> None:
    for log in aftermath.logs.values():
        assert [event[0] for event in log["events"]] == list(range(1, log["last_seq"] + 1))
        counted = [(role, cseq) for _, role, cseq, _, _ in log["events"] if cseq is not None]
        assert len(set(counted)) == len(counted)


def test_every_command_is_there_once(aftermath: Aftermath) -> None:
    for name, log in aftermath.logs.items():
        said = [(seq, body["id"]) for seq, _, _, kind, body in log["events"] if kind == "command"]
        assert [(command["seq"], command["name"]) for command in log["commands"]] == said
        assert len({command for _, command in said}) == len(said)
        acked = {held.body["id"] for held in aftermath.pages[name].acked.values() if held.kind == "command"}
        assert acked <= {command for _, command in said}


def test_an_agent_carries_out_a_command_at_most_once(aftermath: Aftermath) -> None:
    for log in aftermath.logs.values():
        edits = [body["changes"] for _, _, _, kind, body in log["events"] if kind == "blocks"]
        for command in log["commands"]:
            times = edits.count([list(block_of(command["name"]))])
            assert times <= 1
            assert times == 1 or command["status"] == "failed"
        assert len(edits) <= len(log["commands"])


def test_a_command_whose_agent_died_has_failed_for_good(aftermath: Aftermath) -> None:
    for log in aftermath.logs.values():
        for command in log["commands"]:
            if command["why_failed"] == "agent_lost":
                states = [
                    (role, body["state"])
                    for _, role, _, kind, body in log["events"]
                    if kind == "status" and body["command"] == command["name"]
                ]
                # An agent had begun it, or another would have been told of it; and none has said a word of it since.
                assert states[-1] == ("server", "failed")
                assert states[:-1]
                assert {role for role, _ in states[:-1]} == {"agent"}


def test_every_command_came_to_an_end_of_which_the_log_tells(aftermath: Aftermath) -> None:
    for log in aftermath.logs.values():
        for command in log["commands"]:
            if log["reason"] == "finished":
                assert command["outcome"]
                assert command["status"] in {"done", "failed"}
            if command["status"] == "failed":
                assert command["why_failed"] in {"agent_lost", "silent", "no_agent", "restarted"}


def test_every_session_has_ended_as_it_may(aftermath: Aftermath) -> None:
    assert {log["reason"] for log in aftermath.logs.values()} <= {"finished", "agent_lost"}
    # All came in, and most handed in although they were disturbed.
    assert len(aftermath.logs) == SESSIONS
    assert len(aftermath.finished()) > SESSIONS / 2
    for log in aftermath.logs.values():
        ends = [body for _, _, _, kind, body in log["events"] if kind == "closed"]
        assert ends == [{"reason": log["reason"]}]
        assert log["events"][-1][3] == "closed"


def test_a_handed_in_session_is_one_annotation_paid_once(aftermath: Aftermath) -> None:
    for log in aftermath.logs.values():
        if log["reason"] == "finished":
            assert (log["hold"], log["annotations"], log["ledger"]) == ("submitted", 1, ["base"])
        else:
            assert (log["hold"], log["annotations"]) == ("released", 0)
            assert log["ledger"] == ["partial"] * bool(log["owed_s"])


def test_each_worker_saw_each_event_once_and_in_order(aftermath: Aftermath) -> None:
    for name, page in aftermath.pages.items():
        seen = [[event["seq"], event["from"], event["type"], event["body"]] for event in page.events]
        kept = [[seq, role, kind, body] for seq, role, _, kind, body in aftermath.logs[name]["events"]]
        assert seen == kept


def test_each_agent_received_each_event_once_and_in_order(aftermath: Aftermath) -> None:
    logs = {log["session"]: log for log in aftermath.logs.values()}
    for session, log in logs.items():
        meant = [seq for seq, role, _, kind, _ in log["events"] if kind in TO_AGENTS[Event.Role(role)]]
        for received in _received(aftermath.notes, session):
            assert received == sorted(set(received))
            if received:
                assert received == [seq for seq in meant if received[0] <= seq <= received[-1]]


def _received(notes: list[dict[str, Any]], session: str) -> Iterator[list[int]]:
    """The events that each process received of a session, from each world that it was given on."""
    stretches: dict[int, list[list[int]]] = {}
    for note in notes:
        if note["session"] != session:
            continue
        if "have" in note:
            stretches.setdefault(note["process"], []).append([])
        else:
            stretches[note["process"]][-1].append(note["seq"])
    for mine in stretches.values():
        yield from mine
        assert all(a[-1] < b[0] for a, b in pairwise(filter(None, mine)))
