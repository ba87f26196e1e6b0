"""The audit log for staff and programs: filtered, paged by time, taken out; what it costs on a long log."""

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.access.roles import Role
from audit import anchor, chain
from audit.log import Subject, record, redact
from audit.models import AuditEvent
from audit.search import Filters
from jobs import outbox
from tests.support.builders import (
    NOON,
    client_of,
    make_project,
    make_staff,
)
from tests.support.calls import content, lines
from tests.support.pages import words_of
from web.http.keyset_pages import Part
from web.staff.grid.listing import ROWS

PAGE = "/staff/audit/"
DAY = timedelta(days=1)


def note(number: int = 0, *, verb: str = "task.noted", **changes: Any) -> AuditEvent:
    given = {
        "actor": "staff:dora",
        "subject": Subject("task", "7"),
        "at": NOON + number * timedelta(minutes=1),
        "reason": f"reason {number}",
        **changes,
    }
    return record(verb=verb, **given)


def reasons(page: str) -> list[str]:
    return [word for word in page.replace("reason ", "reason-").split() if word.startswith("reason-")]


@pytest.fixture
def various(db: None) -> None:
    note(1)
    note(2, verb="worker.blocked", subject=Subject("worker", "12"), actor="key:pipe")
    note(3, project="p")
    note(4, project="other", at=NOON + 2 * DAY)
    note(5, verb="worker.blocked", subject=Subject("worker", "13"), project="p", at=NOON - 2 * DAY)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [4, 3, 2, 1, 5]),
        ("verb=worker.blocked", [2, 5]),
        ("actor=key:pipe", [2]),
        ("subject=worker", [2, 5]),
        ("subject=worker:13", [5]),
        ("project=p", [3, 5]),
        ("since=2026-11-21", [4, 3, 2, 1]),
        ("until=2026-11-21", [3, 2, 1, 5]),
        ("since=2026-11-21&until=2026-11-21&verb=task.noted", [3, 1]),
        ("verb=nothing", []),
    ],
)
def test_each_filter_narrows_page_and_exports_alike(
    query: str, found: list[int], various: None, dora: Client, pipe: APIClient
) -> None:
    wanted = [f"reason {number}" for number in found]
    # The key is made now, between the other events, and each export is an event that the following exports hold.
    aside = {"key.made", "export.taken"}
    page = dora.get(f"{PAGE}?{query}")
    assert [event.reason for event, _ in page.context["events"] if event.verb not in aside] == wanted
    as_lines = map(json.loads, content(dora.get(f"{PAGE}audit.jsonl?{query}")).decode().splitlines())
    assert [line["reason"] for line in as_lines if line["verb"] not in aside] == wanted
    rows = csv.DictReader(io.StringIO(content(dora.get(f"{PAGE}audit.csv?{query}")).decode()))
    assert [row["reason"] for row in rows if row["verb"] not in aside] == wanted
    told = lines(pipe.get(f"/api/v1/audit.jsonl?{query}"))
    assert [line["reason"] for line in told if line["verb"] not in aside] == wanted


def test_one_pages_through_everything_and_back(dora: Client) -> None:
    for number in range(2 * ROWS + 3):
        # Several at one moment: the id tells them apart.
        note(number, at=NOON + (number // 4) * timedelta(minutes=1))
    everything = [event.pk for event in Filters().rows()]
    seen: list[int] = []
    query: dict[str, str] = {}
    while True:
        context = dora.get(PAGE, query).context
        seen += [event.pk for event, _ in context["events"]]
        if not context["grid"].following:
            break
        query = {"after": context["grid"].following}
    assert seen == everything
    back = dora.get(PAGE, {"before": context["grid"].preceding}).context
    assert [event.pk for event, _ in back["events"]] == everything[ROWS : 2 * ROWS]
    first = dora.get(PAGE, {"before": back["grid"].preceding}).context
    assert [event.pk for event, _ in first["events"]] == everything[:ROWS]
    assert first["grid"].preceding == ""


def test_paging_keeps_the_filter(dora: Client) -> None:
    for number in range(ROWS + 1):
        note(number, verb="a.b")
    note(99, verb="c.d")
    older = re.search(r'rel="next" href="([^"]+)"', dora.get(f"{PAGE}?verb=a.b").content.decode())
    assert older is not None
    assert "verb=a.b" in older[1]
    assert len(dora.get(PAGE + unescape(older[1])).context["events"]) == 1


@pytest.mark.parametrize(
    "query",
    [
        *("since=yesterday", "until=2026-13-01", "verb=" + "x" * 201, "actor=%00"),
    ],
)
def test_nonsense_in_the_address_is_answered_politely(query: str, dora: Client) -> None:
    assert dora.get(f"{PAGE}?{query}").status_code == 422


def test_an_admin_of_one_project_sees_what_was_done_there(various: None, db: None) -> None:
    adam = client_of(make_staff("adam", Role.ADMIN, make_project("p")))
    assert [event.reason for event, _ in adam.get(PAGE).context["events"]] == ["reason 3", "reason 5"]
    for query in ("project=other", "subject=worker:12", "actor=key:pipe"):
        assert adam.get(f"{PAGE}?{query}").context["events"] == []
        assert content(adam.get(f"{PAGE}audit.jsonl?{query}")) == b""
    rita = client_of(make_staff("rita", Role.REVIEWER, make_project("q")))
    assert rita.get(PAGE).status_code == 403
    assert rita.get(f"{PAGE}audit.csv").status_code == 403


def test_what_is_redacted_says_so(db: None, dora: Client) -> None:
    note(1, subject=Subject("worker", "7"), verb="worker.blocked")
    redact(worker_id=7, at=NOON)
    page = words_of(dora, PAGE)
    assert "redacted" in page
    assert "reason 1" not in page


def test_a_spreadsheet_takes_nothing_for_a_formula(db: None, dora: Client) -> None:
    note(1, reason='=HYPERLINK("http://example.org")')
    answer = dora.get(f"{PAGE}audit.csv")
    assert answer.streaming
    (row,) = csv.DictReader(io.StringIO(content(answer).decode()))
    assert row["reason"] == '\'=HYPERLINK("http://example.org")'


# What it costs -----------------------------------------------------------------------------------------------


def plans(run: Any) -> Iterator[str]:
    with CaptureQueriesContext(connection) as queries:
        run()
    for query in queries.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            yield " ".join(str(row) for row in cursor.fetchall())


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL scans tables as small as these")
@pytest.mark.parametrize(
    ("filters", "index"),
    [
        (Filters(), "audit_by_time"),
        (Filters(verb="task.noted"), "audit_of_verb"),
        (Filters(actor="staff:dora"), "audit_of_actor"),
        (Filters(subject_kind="task"), "audit_of_kind"),
        (Filters(subject_kind="task", subject="7"), "audit_of_subject"),
        (Filters(project="p"), "audit_of_project"),
        (Filters(since=NOON.date(), until=NOON.date()), "audit_by_time"),
    ],
)
def test_each_filter_walks_its_index_in_order(filters: Filters, index: str, various: None) -> None:
    """Without a sort, a page stops after its rows, wherever in the log it is."""
    middle = Filters().rows()[2]
    part = Part(filters.rows(), ("at", "id"), is_descending=True)
    place = [middle.at, middle.pk]
    for run in (
        lambda: part.read(None, ROWS, backwards=False),
        lambda: part.read(place, ROWS, backwards=False),
        lambda: part.read(place, ROWS, backwards=True),
    ):
        for plan in plans(run):
            assert index in plan, plan
            assert "TEMP B-TREE" not in plan, plan


def test_the_page_says_whether_the_chain_holds(dora: Client) -> None:
    assert "Not verified yet" in words_of(dora, PAGE)
    for number in range(3):
        note(number)
    assert "3 events not sealed yet" in words_of(dora, PAGE)
    chain.seal()
    chain.check()
    page = words_of(dora, PAGE)
    assert "✓ The log is intact" in page
    assert f"Last sealed: 3 {chain.head().digest}" in page
    anchor.anchor_file().unlink()
    chain.check()
    page = words_of(dora, PAGE)
    assert "✕ The log is not intact" in page
    assert "1 fault: Anchor: there is no anchor file" in page


def test_an_admin_of_all_has_the_chain_verified(
    dora: Client, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_send", outbox.run)
    note()
    chain.seal()
    with django_capture_on_commit_callbacks(execute=True):
        dora.post(f"{PAGE}verify/")
    assert "✓ The log is intact" in words_of(dora, PAGE)
