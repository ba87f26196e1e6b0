"""Who fetches commands and reports in turns sees each once, whatever the order in which transactions end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections, transaction
from rest_framework.test import APIClient

from common import arrivals
from interaction.models import Command
from interaction.past_commands import post_commands
from tests.builders import NOON, make_project
from tests.calls import lines
from tests.interaction.live import both, make_live_project
from tests.interaction.past import make_past
from tests.interaction.test_cases import judge, misread
from tests.routing.reports import make_report

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time: none can be late"),
]
PATIENCE_S = 60


@dataclass(frozen=True)
class Export:
    """One of the two exports, and how a row of it is made."""

    path: str
    id: str
    write: Callable[[str], object]

    def get(self, pipe: APIClient, *, since: str = "old") -> Any:
        return pipe.get(f"/api/v1/{self.path}?since={since}")

    def ids(self, pipe: APIClient, *, since: str = "old") -> list[str]:
        return [line[self.id] for line in lines(self.get(pipe, since=since))]


def write_command(name: str) -> object:
    return Command.objects.create(public_id=name, project=make_project(), text="dig", sent_at=NOON)


def write_report(name: str) -> object:
    return make_report(public_id=name, worker=None)


COMMANDS = Export("commands.jsonl", "command", write_command)
REPORTS = Export("error_reports.jsonl", "report", write_report)


@contextmanager
def open_transaction(act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """A transaction of another connection that has done this and is not committed yet; what it gives commits it."""
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
    """An export that would have to wait gives up at once."""
    monkeypatch.setattr(arrivals, "PATIENCE_S", 0)


@pytest.mark.usefixtures("in_haste")
@pytest.mark.parametrize("export", [COMMANDS, REPORTS])
def test_a_row_that_is_committed_late_is_not_passed_by(pipe: APIClient, export: Export) -> None:
    export.write("old")
    with open_transaction(partial(export.write, "lower")) as commit:
        export.write("higher")
        refused = export.get(pipe)
        commit()
    assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (503, "1", "unavailable")
    assert export.ids(pipe) == ["lower", "higher"]


@pytest.mark.parametrize("export", [COMMANDS, REPORTS])
def test_an_export_waits_for_those_who_write_and_nobody_waits_for_it(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch, export: Export
) -> None:
    export.write("old")
    with ExitStack() as late:
        commit = late.enter_context(open_transaction(partial(export.write, "lower")))
        export.write("higher")
        looks = []

        def meanwhile(_: float) -> None:
            looks.append("again")
            # Somebody else begins to write, and is not waited for: then the export would come here once more.
            late.enter_context(open_transaction(partial(export.write, f"later-{len(looks)}")))
            commit()

        monkeypatch.setattr(arrivals, "sleep", meanwhile)
        assert export.ids(pipe) == ["lower", "higher"]
        assert looks == ["again"]
    assert export.ids(pipe, since="higher") == ["later-1"]


@pytest.mark.usefixtures("in_haste")
def test_what_was_taken_back_is_not_waited_for(pipe: APIClient) -> None:
    def write_and_regret() -> None:
        with transaction.atomic():
            COMMANDS.write("never")
            transaction.set_rollback(True)

    COMMANDS.write("old")
    with open_transaction(write_and_regret):
        COMMANDS.write("higher")
        assert COMMANDS.ids(pipe) == ["higher"]


@pytest.mark.usefixtures("in_haste")
def test_who_reads_or_locks_rows_holds_nobody_up(pipe: APIClient) -> None:
    def lock() -> None:
        assert len(Command.objects.select_for_update()) == 2

    COMMANDS.write("old")
    COMMANDS.write("new")
    with open_transaction(lock):
        assert COMMANDS.ids(pipe) == ["new"]


@pytest.mark.usefixtures("in_haste")
def test_where_nothing_is_new_nobody_is_waited_for(pipe: APIClient) -> None:
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
    for export in (COMMANDS, REPORTS):
        export.write("old")
    with open_transaction(come):
        for export in (COMMANDS, REPORTS):
            export.write("higher")
            assert export.get(pipe).status_code == 503
    for export in (COMMANDS, REPORTS):
        *came, last = export.ids(pipe)
        assert (len(came), last) == (1, "higher")
