"""Compares what was acknowledged with what the server has, over HTTP; then checks the database itself."""

import csv
import io
import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any, NamedTuple

import httpx

from bench.faults.acknowledged import Acknowledged, Line
from bench.faults.cashier import Cashier
from bench.faults.load import AGENT, MARKS, PAST, PAY, PLAY
from bench.faults.server import Server

PAID = frozenset({"approved", "sent"})
STATES = {"approved": PAID, "softly_rejected": PAID, "rejected": {"rejected"}, "": {"owed"}}
"""The states that the base pay of an answer may have, by the decision on it."""
PREPARED_S = 120.0


class Kind(NamedTuple):
    """One kind of operation: how many were acknowledged, and which of them the server lost or has twice."""

    name: str
    acknowledged: int
    lost: list[str]
    doubled: list[str]


class Reconciliation:
    """The acknowledged acts that the server still has."""

    def __init__(self, server: Server, log: Acknowledged) -> None:
        self._server, self._log = server, log
        self._api = httpx.Client(base_url=f"{server.url}/api/v1/", headers=server.authorization, timeout=60)

    def close(self) -> None:
        self._api.close()

    def kinds(self) -> list[Kind]:
        """One row a kind. Waits until all episodes are prepared."""
        return [
            *self._submissions(),
            self._tasks(),
            self._compared("posted command", "name", (row["command"] for row in self._lines(PAST, "commands"))),
            self._compared("metric", "value", (round(row["value"]) for row in self._pages(f"agents/{AGENT}/metrics/"))),
            self._episodes(),
            *self._live(),
        ]

    def faults(self) -> list[str]:
        """The faults of the database: its own check, counted slots, consensus, and the chain of the audit log."""
        found: list[str] = json.loads(self._server.run("bench.faults.integrity").splitlines()[-1])
        checks: list[Callable[[], object]] = [lambda: self._server.manage("audit_verify")]
        if self._server.database == "sqlite":
            checks.append(self._check_sqlite)
        for check in checks:
            try:
                check()
            except AssertionError as error:
                found.append(str(error))
        return found

    def _check_sqlite(self) -> None:
        with closing(sqlite3.connect(self._server.disk.folder / "data" / "crosswalk.sqlite3")) as connection:
            said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            assert said == ["ok"], f"PRAGMA integrity_check: {said}"
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
            assert not broken, f"PRAGMA foreign_key_check: {broken}"

    # Work and money ------------------------------------------------------------------------------------------------

    def _submissions(self) -> Iterator[Kind]:
        wanted, rows = self._log.lines("submission"), list(self._lines(f"projects/{MARKS}", "annotations"))
        kept = {row["annotation"]: row["answer"] for row in rows}
        lost = [line["annotation"] for line in wanted if kept.get(line["annotation"]) != line["answer"]]
        places = Counter((row["task"], row["worker"]) for row in rows)
        ids = Counter(row["annotation"] for row in rows)
        yield Kind("submission", len(wanted), lost, [*_repeated(places), *_repeated(ids)])
        data = {name: self._data(name) for name in sorted({line["worker"] for line in wanted})}
        yield self._decisions(data)
        yield self._ledger(data, set(kept))
        yield from self._payments()

    def _decisions(self, data: dict[str, Any]) -> Kind:
        wanted = self._log.lines("decision")
        rows = [row for one in data.values() for row in one["decisions"]]
        kept = {row["answer"]: row["decision"] for row in rows}
        lost = [line["annotation"] for line in wanted if kept.get(line["annotation"]) != line["decision"]]
        return Kind("decision", len(wanted), lost, _repeated(Counter(row["answer"] for row in rows)))

    def _ledger(self, data: dict[str, Any], annotations: set[str]) -> Kind:
        """Each answer has one entry, with the amount of the project, in the state that its decision asks for."""
        entries = [row for one in data.values() for row in one["money"]]
        decided = {row["answer"]: row["decision"] for one in data.values() for row in one["decisions"]}
        good = {
            row["for"].removeprefix("base:annotation:")
            for row in entries
            if Decimal(row["amount"]) == Decimal(PAY)
            and row["state"] in STATES[decided.get(row["for"].removeprefix("base:annotation:"), "")]
        }
        lost = sorted(annotations - good)
        doubled = _repeated(Counter(row["for"] for row in entries)) + sorted(good - annotations)
        for name, one in data.items():
            payable = sum(Decimal(row["amount"]) for row in one["money"] if row["state"] != "rejected")
            earned = Decimal(one["projects"][0]["earned"]["amount"])
            if payable != earned:
                lost.append(f"{name} earned {earned}, and their entries are {payable}")
        return Kind("ledger entry", len(annotations), lost, doubled)

    def _payments(self) -> Iterator[Kind]:
        """The acts of staff on their pages: the marks and the corrections."""
        cashier = Cashier(self._server, self._log, threading.Event(), Counter(), project=MARKS)
        with closing(cashier):
            cashier.sign_in()
            text = cashier.get(f"/staff/ledger/ledger.csv?project={MARKS}").text
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        sent = {row["entry"] for row in rows if row["state"] == "sent"}
        marked = {line["entry"] for line in self._log.lines("payment")}
        yield Kind("payment", len(marked), sorted(marked - sent), [])
        kept = (row["for"].removeprefix("correction:") for row in rows if row["kind"] == "correction")
        yield self._compared("correction", "key", kept)

    # What pipelines posted -----------------------------------------------------------------------------------------

    def _tasks(self) -> Kind:
        """Tasks are counted: the API lists them nowhere. A number between those acknowledged and sent is right."""
        wanted = len(self._log.lines("task"))
        kept = self._get(f"projects/{MARKS}/")["progress"]["tasks"]
        return Kind("task", wanted, [f"{wanted - kept} tasks"] if kept < wanted else [], [])

    def _episodes(self) -> Kind:
        until, wanted = time.monotonic() + PREPARED_S, {line["name"] for line in self._log.lines("episode")}
        while True:
            rows = list(self._pages("episodes/"))
            ready = {row["external_id"] for row in rows if row["status"] == "ready"}
            if wanted <= ready or time.monotonic() > until:
                break
            time.sleep(1)
        return Kind(
            "episode", len(wanted), sorted(wanted - ready), _repeated(Counter(row["external_id"] for row in rows))
        )

    def _compared(self, kind: str, name: str, kept: Iterable[object]) -> Kind:
        counted, wanted = Counter(kept), [line[name] for line in self._log.lines(kind)]
        return Kind(kind, len(wanted), [str(one) for one in wanted if one not in counted], _repeated(counted))

    # Live sessions -------------------------------------------------------------------------------------------------

    def _live(self) -> Iterator[Kind]:
        lines = self._log.lines("message")
        by_worker: dict[str, list[Line]] = {}
        for line in lines:
            by_worker.setdefault(line["worker"], []).append(line)
        commands = Counter(row["worker"] for row in self._lines(PLAY, "commands"))
        lost: dict[str, list[str]] = {"live command": [], "live message": []}
        doubled = _repeated(Counter((line["worker"], line["seq"]) for line in lines))
        for name, theirs in by_worker.items():
            said = Counter(line["type"] for line in theirs)
            kept = Counter(self._data(name)["sessions"][0]["did"])
            lost["live message"] += [f"{name}: {kind}" for kind, number in said.items() if kept[kind] < number]
            if commands[f"direct:{name}"] < said["command"]:
                lost["live command"].append(name)
            doubled += [f"{name}: command" for _ in range(commands[f"direct:{name}"] - 2)]
        ids = [line for line in lines if line["type"] == "command"]
        yield Kind("live command", len(ids), lost["live command"], doubled)
        yield Kind("live message", len(lines) - len(ids), lost["live message"], [])

    # HTTP ----------------------------------------------------------------------------------------------------------

    def _get(self, path: str, **params: str) -> Any:
        answer = self._api.get(path, params=params or None)
        answer.raise_for_status()
        return answer.json()

    def _data(self, worker: str) -> Any:
        return self._get(f"workers/direct/{worker}/data/")

    def _lines(self, of: str, name: str) -> Iterator[Any]:
        where = (f"{of}/{name}.jsonl", {}) if "/" in of else (f"{name}.jsonl", {"project": of})
        with self._api.stream("GET", where[0], params=where[1]) as answer:
            answer.raise_for_status()
            for line in answer.iter_lines():
                yield json.loads(line)

    def _pages(self, path: str) -> Iterator[Any]:
        following: str | None = path
        while following:
            page = self._get(following)
            yield from page["results"]
            following = page["next"]


def _repeated(counted: Counter[Any]) -> list[str]:
    return [str(one) for one, number in counted.items() if number > 1]
