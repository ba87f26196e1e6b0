"""Live sessions: the time until a message is stored, compared with the simplest server; memory of open sessions.

Each server has the first core to itself, and the load runs on the last one. The two servers take turns.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bench.rows import Row
from bench.socket_load import TimedSocket, open_all, send_paced
from tests.support.servers import AGENT_KEY, Site, Staged, own_site, staged

SESSIONS, OPEN = 500, 2000
EVERY_S, ROUND_S, ROUNDS = 0.5, 5.0, 4
MOST_RATIO, MOST_MB = 4, 250
AGENTS = 2
SETTLED = 0.2


def run() -> list[Row]:
    folder = Path(os.environ["CROSSWALK_DATA_DIR"]) / "sessions"
    folder.mkdir()
    with own_site(folder, CROSSWALK_AGENT_SILENCE_S="600") as site:
        found = staged(site, OPEN, minimum_s=300)
        with _on_core(0):
            site.start()
            bare, port = _bare(site)
        try:
            with _on_core(-1):
                return asyncio.run(_measured(site, found, bare.pid, port))
        finally:
            bare.kill()
            bare.wait()


@contextmanager
def _on_core(index: int) -> Iterator[None]:
    """Run this process and those that it starts on one core, if the system supports that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(before)[index]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _bare(site: Site) -> "tuple[subprocess.Popen[str], int]":
    """Starts the simplest server. Returns its process and port."""
    command = [sys.executable, "-m", "bench.bare_sockets", str(site.folder / "bare.db")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = process.stdout.readline().strip()
    assert port.isdecimal(), "the bare server did not start"
    return process, int(port)


async def _measured(site: Site, found: Staged, bare_pid: int, bare_port: int) -> list[Row]:
    agents = [asyncio.create_task(_agent(site, found.agent, number)) for number in range(AGENTS)]
    ours = await open_all([_address(site, *session) for session in found.sessions[:SESSIONS]])
    bare = await open_all([(f"ws://127.0.0.1:{bare_port}/", "")] * SESSIONS)
    assert site.web is not None
    await _settled(site.web.pid)
    await send_paced(ours, every_s=EVERY_S, for_s=ROUND_S)
    await send_paced(bare, every_s=EVERY_S, for_s=ROUND_S)
    sides = {"bare": (bare, bare_pid), "ours": (ours, site.web.pid)}
    took: dict[str, list[float]] = {"bare": [], "ours": []}
    busy_s = {"bare": 0.0, "ours": 0.0}
    for _ in range(ROUNDS):
        for name, (senders, pid) in sides.items():
            before_s = _busy_s(pid)
            took[name] += await send_paced(senders, every_s=EVERY_S, for_s=ROUND_S)
            busy_s[name] += _busy_s(pid) - before_s
    lost = await asyncio.to_thread(_lost, site, ours)
    rows = [*_trips(took, lost), *_efforts(busy_s, took)]
    idle = await open_all([_address(site, *session) for session in found.sessions[SESSIONS:]])
    await _settled(site.web.pid)
    rows.append(_weight(site, len(ours) + len(idle)))
    await _all_closed([*ours, *bare, *idle], agents)
    return rows


def _address(site: Site, assignment: str, token: str) -> tuple[str, str]:
    hello = json.dumps({"t": "hello", "token": token, "resume": "bench", "have": 0})
    return f"{site.socket_url}/ws/work/{assignment}/", hello


async def _agent(site: Site, agent: str, number: int) -> None:
    """An agent's process that takes its share of the sessions and only listens."""
    headers = {"Authorization": f"Api-Key {AGENT_KEY}"}
    address = f"{site.socket_url}/ws/agents/{agent}/"
    with suppress(ConnectionClosed):
        async with connect(
            address, additional_headers=headers, compression=None, ping_interval=None, max_size=None
        ) as socket:
            await socket.send(json.dumps({"t": "hello", "resume": f"bench-{number}", "capacity": OPEN // AGENTS}))
            async for _ in socket:
                pass


async def _all_closed(senders: list[TimedSocket], agents: "list[asyncio.Task[None]]") -> None:
    for agent in agents:
        agent.cancel()
    for sender in senders:
        sender.socket.transport.abort()
    tasks = [sender.reading for sender in senders if sender.reading] + agents
    await asyncio.gather(*tasks, return_exceptions=True)


def _trips(took: dict[str, list[float]], lost: int) -> list[Row]:
    tails = {name: statistics.quantiles(seconds, n=20)[-1] * 1000 for name, seconds in took.items()}
    part = f"message to acknowledgement: {SESSIONS} sessions, {1 / EVERY_S:.0f} a second each"

    def row(case: str, name: str, ratio_of: float, to: str, budget: str) -> Row:
        return Row(part, case, statistics.median(took[name]) * 1000, tails[name], "ms", ratio_of, to, budget=budget)

    medians = {name: statistics.median(seconds) for name, seconds in took.items()}
    return [
        row("bare websockets, SQLite", "bare", 1.0, "itself", ""),
        row("our server, p50", "ours", medians["ours"] / medians["bare"], "bare p50", ""),
        row("our server, p95", "ours", tails["ours"] / tails["bare"], "bare p95", f"{MOST_RATIO} x"),
        Row("messages lost", "our server", lost, None, "", 0.0, "", budget="0"),
    ]


def _busy_s(pid: int) -> float:
    """The processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _settled(pid: int) -> None:
    """Wait until a process has little to do: each session first goes to an agent with its whole world."""
    async with asyncio.timeout(300):
        before_s, share = _busy_s(pid), 1.0
        while share > SETTLED:
            await asyncio.sleep(1)
            share, before_s = _busy_s(pid) - before_s, _busy_s(pid)


def _efforts(busy_s: dict[str, float], took: dict[str, list[float]]) -> list[Row]:
    """The processor time of a message, which other users of the machine change least."""
    costs = {name: busy_s[name] / len(took[name]) * 1000 for name in took}
    ratio = costs["ours"] / costs["bare"]
    return [
        Row("processor time of a message", "our server", costs["ours"], None, "ms", ratio, "bare websockets, SQLite")
    ]


def _lost(site: Site, ours: list[TimedSocket]) -> int:
    """The number of messages that were sent and are not in the log; a log with a gap counts as one."""
    logs = site.ask("count")
    kept: int = sum(log["worker"] for log in logs)
    gaps: int = sum(log["all_events"] != log["last_seq"] for log in logs)
    return sum(sender.cseq for sender in ours) - kept + gaps + sum(len(sender.refused) for sender in ours)


def _weight(site: Site, sockets: int) -> Row:
    assert site.web is not None
    status = Path(f"/proc/{site.web.pid}/status").read_text()
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    megabytes = int(resident.split()[1]) / 1024
    part = f"memory of the web process with {sockets:,} open sessions"
    return Row(part, "after the load", megabytes, None, "MB", megabytes / MOST_MB, "budget", budget=f"{MOST_MB} MB")
