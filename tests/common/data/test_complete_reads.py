"""A client that fetches commands or reports page by page gets each once, in whatever order transactions end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections, transaction
from rest_framework.test import APIClient

from commands.models import Command
from common.data import complete_reads
from routing.models import ErrorReport
from routing.reports import post_commands
from tests.interaction.test_live_commands import judge, misread
from tests.support.builders import NOON, make_project
from tests.support.calls import lines
from tests.support.commands import make_past, make_report
from tests.support.sessions import both, make_live_project

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time: none can be late"),
]
PATIENCE_S = 60


@dataclass(frozen=True)
class Export:
    """One of the two exports, and a function that makes a row of it."""

    path: str
    id: str
    write: Callable[[str], object]

    def get(self, pipe: APIClient, *, since: str = "old") -> Any:
        return pipe.get(f"/api/v1/{self.path}?since={since}")

    def ids(self, pipe: APIClient, *, since: str = "old") -> list[str]:
        return [line[self.id] for line in lines(self.get(pipe, since=since))]


def write_command(name: str) -> object:
    return Command.objects.create(public_id=name, project=make_project(), text="dig", at=NOON)


def write_report(name: str) -> object:
    return make_report(public_id=name, worker=None)


COMMANDS = Export("commands.jsonl", "command", write_command)
REPORTS = Export("error_reports.jsonl", "report", write_report)


@contextmanager
def open_transaction(act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """A transaction of another connection that has run `work` and is not committed; the yielded function commits it."""
    done, may_end = threading.Event(), threading.Event()
    errors: list[Exception] = []

    def run() -> None:
        try:
            with transaction.atomic():
                act()
                done.set()
                assert may_end.wait(PATIENCE_S)
        except Exception as error:
            errors.append(error)
        finally:
            done.set()
            connections.close_all()

    thread = threading.Thread(target=run, daemon=True)

    def commit() -> None:
        may_end.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "a thread hangs"
        if errors:
            raise errors[0]

    thread.start()
    try:
        assert done.wait(PATIENCE_S)
        if errors:
            raise errors[0]
        yield commit
    finally:
        commit()


@pytest.fixture
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets an export that would have to wait fail at once."""
    monkeypatch.setattr(complete_reads, "PATIENCE_S", 0)


@pytest.mark.usefixtures("in_haste")
@pytest.mark.parametrize("export", [COMMANDS, REPORTS])
def test_a_row_that_is_committed_late_is_not_missed(pipe: APIClient, export: Export) -> None:
    export.write("old")
    with open_transaction(partial(export.write, "lower")) as commit:
        export.write("higher")
        refused = export.get(pipe)
        commit()
    assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (503, "1", "unavailable")
    assert export.ids(pipe) == ["lower", "higher"]


@pytest.mark.parametrize("export", [COMMANDS, REPORTS])
def test_an_export_waits_for_writers_and_no_writer_waits_for_it(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch, export: Export
) -> None:
    export.write("old")
    with ExitStack() as late:
        commit = late.enter_context(open_transaction(partial(export.write, "lower")))
        export.write("higher")
        looks = []

        def meanwhile(_: float) -> None:
            looks.append("again")
            # Another transaction begins to write; if the export waited for it too, it would come here once more.
            late.enter_context(open_transaction(partial(export.write, f"later-{len(looks)}")))
            commit()

        monkeypatch.setattr(complete_reads, "sleep", meanwhile)
        assert export.ids(pipe) == ["lower", "higher"]
        assert looks == ["again"]
    assert export.ids(pipe, since="higher") == ["later-1"]


@pytest.mark.usefixtures("in_haste")
def test_a_transaction_that_rolled_back_is_not_waited_for(pipe: APIClient) -> None:
    def write_and_regret() -> None:
        with transaction.atomic():
            COMMANDS.write("never")
            transaction.set_rollback(True)

    COMMANDS.write("old")
    with open_transaction(write_and_regret):
        COMMANDS.write("higher")
        assert COMMANDS.ids(pipe) == ["higher"]


@pytest.mark.usefixtures("in_haste")
def test_a_transaction_that_reads_or_locks_rows_is_not_waited_for(pipe: APIClient) -> None:
    def lock() -> None:
        assert len(Command.objects.select_for_update()) == 2

    COMMANDS.write("old")
    COMMANDS.write("new")
    with open_transaction(lock):
        assert COMMANDS.ids(pipe) == ["new"]


@pytest.mark.usefixtures("in_haste")
def test_an_export_without_new_rows_waits_for_no_writer(pipe: APIClient) -> None:
    COMMANDS.write("old")
    with open_transaction(partial(COMMANDS.write, "new")):
        assert COMMANDS.ids(pipe) == []
    assert COMMANDS.ids(pipe) == ["new"]


@pytest.mark.usefixtures("in_haste")
@pytest.mark.parametrize("way", ["a session", "a post"])
def test_commands_and_reports_are_waited_for_whichever_way_they_come(pipe: APIClient, way: str) -> None:
    make_past()
    worker, agent = both(make_live_project("living"))

    def live() -> None:
        misread(worker, agent)
        judge(worker)

    def posted() -> None:
        post_commands(bodies=[{"command": "c1", "project": "past", "text": "dig", "outcome": "nlu_error"}], at=NOON)

    come = {"a session": live, "a post": posted}[way]
    # A report that is written by hand brings a command of its own.
    for export in (REPORTS, COMMANDS):
        export.write("old")
    with open_transaction(come):
        for export in (COMMANDS, REPORTS):
            export.write("higher")
            assert export.get(pipe).status_code == 503
    (report,) = set(REPORTS.ids(pipe)) - {"higher"}
    assert REPORTS.ids(pipe) == [report, "higher"]
    command = ErrorReport.objects.get(public_id=report).command
    brought = ErrorReport.objects.get(public_id="higher").command
    assert command
    assert brought
    assert COMMANDS.ids(pipe) == [command.public_id, "higher", brought.public_id]
