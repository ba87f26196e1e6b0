"""Reports of the content security policy: what is counted of them, and what is refused."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from audit import blocked_content
from audit.models import BlockedContent
from tests.support.builders import NOON
from web.monitoring import policy_reports
from web.monitoring.policy_reports import MOST_BYTES

pytestmark = pytest.mark.django_db

PAGE = "http://testserver/staff/workers/7/?q=ann"
ROUTE = "staff/workers/<int:pk>/"


def send(body: object) -> Any:
    text = body if isinstance(body, str) else json.dumps(body)
    return Client(enforce_csrf_checks=True).post("/policy-reports", text, content_type="application/csp-report")


def report(page: object = PAGE, directive: object = "script-src-elem", blocked: object = "inline") -> object:
    told = {"document-uri": page, "effective-directive": directive, "blocked-uri": blocked}
    return {"csp-report": {**told, "referrer": PAGE, "script-sample": "name = 'ann'", "status-code": 200}}


def kept() -> list[tuple[str, str, str, int]]:
    return list(BlockedContent.objects.order_by("pk").values_list("page", "directive", "blocked", "count"))


def test_pages_tell_browsers_where_to_report() -> None:
    for page in ("/staff/sign-in/", "/api/v1/docs/", "/admin/login/"):
        assert "report-uri /policy-reports" in Client().get(page)["Content-Security-Policy"]


def test_reports_are_counted_by_kind() -> None:
    for blocked in ("inline", "eval", "inline"):
        assert send(report(blocked=blocked)).status_code == 204
    assert kept() == [(ROUTE, "script-src-elem", "inline", 2), (ROUTE, "script-src-elem", "eval", 1)]


@pytest.mark.parametrize(
    ("blocked", "shown"),
    [
        ("eval", "eval"),
        ("https://evil.example/ann@example.org?token=cww_secret", "https://evil.example"),
        ("http://testserver/enter/marks?token=cww_secret", "self"),
        ("moz-extension://0d6c1b3c-1d5e/inject.js", "moz-extension"),
        ("data", "data"),
        ("https://ann:secret@evil.example/", "other"),
        ("<script>alert(1)</script>", "other"),
        ("http://[", "other"),
        (["inline"], "other"),
        (None, "other"),
    ],
)
def test_what_was_blocked_is_kept_without_anything_of_a_person(blocked: object, shown: str) -> None:
    assert send(report(blocked=blocked)).status_code == 204
    assert kept() == [(ROUTE, "script-src-elem", shown, 1)]


def test_a_page_that_is_not_there_is_kept_without_its_address() -> None:
    assert send(report(page="http://testserver/ann@example.org/")).status_code == 204
    assert kept() == [("other", "script-src-elem", "inline", 1)]


@pytest.mark.parametrize(
    "body",
    [
        report(page="https://elsewhere.example/"),
        report(page=None),
        report(directive="a-directive-of-another-site"),
        report(directive=["script-src"]),
        {"csp-report": None},
        [report()],
        "7",
    ],
)
def test_what_is_no_report_of_ours_is_not_counted(body: object) -> None:
    assert send(body).status_code == 204
    assert kept() == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [("{", 400, "malformed"), ("\udcff".encode("utf-8", "replace").decode(), 400, "malformed"),
     (json.dumps(report(blocked="x" * MOST_BYTES)), 413, "too_large")],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_refused(body: str, status: int, code: str) -> None:
    answer = send(body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert kept() == []


def test_reports_of_one_address_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    # So few that none is free again while the test runs.
    monkeypatch.setattr(policy_reports, "REPORTS_A_MINUTE", 3)
    for _ in range(3):
        assert send(report()).status_code == 204
    answer = send(report())
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert int(answer["Retry-After"]) >= 1
    assert kept()[0][3] == 3


def test_a_full_table_counts_new_kinds_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocked_content, "MOST_KINDS", 1)
    for host in ("a", "b", "c"):
        send(report(blocked=f"https://{host}.example"))
    assert kept() == [
        (ROUTE, "script-src-elem", "https://a.example", 1),
        ("(more)", "script-src-elem", "(more)", 2),
    ]


def test_kinds_are_forgotten_thirty_days_after_their_last_report() -> None:
    kind = {"page": ROUTE, "directive": "img-src"}
    for blocked, days in (("old", 31), ("recent", 29)):
        blocked_content.count(**kind, blocked=blocked, at=NOON - timedelta(days=days))
    assert blocked_content.forget_old(NOON) == 1
    assert [row[2] for row in kept()] == ["recent"]


def test_directives_of_the_policy_are_known() -> None:
    assert {"script-src", "script-src-elem", "style-src-attr", "img-src"} <= policy_reports.DIRECTIVES
