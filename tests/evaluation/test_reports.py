"""Reports of suites: frozen, complete without anything outside, and the same for the same data."""

import csv
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from agents.models import Metric
from annotation.models import Project
from audit.models import AuditEvent
from evaluation.figures.rank_intervals import Asked
from evaluation.models import Report
from evaluation.reports import keep_report
from evaluation.suites import freeze
from tests.evaluation.test_ranking_certainty import judged
from tests.support.builders import NOON, make_agent, make_project, make_suite
from tests.support.pages import words_of
from web.staff.evaluation.report.making import make_report

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("p", suite=make_suite("s"))
    for agent, shift in (("alfa", 3), ("bravo", 1), ("cesar", 0)):
        judged(project, agent, {f"k{number}": (number + shift, 10) for number in range(6)})
        Metric.objects.create(agent=make_agent(agent), metric="probe", value=shift, created_at=NOON)
    freeze(suite=make_suite("s"), slug="v1", by="system", at=NOON)
    return project


def post(pipe: APIClient, body: Any) -> Any:
    response = pipe.post("/api/v1/suites/s/reports/", body, format="json")
    assert response.status_code == 201, response.content
    return response.json()


def test_a_report_is_one_file_that_needs_nothing_outside(pipe: APIClient, project: Project) -> None:
    made = post(pipe, {"version": "v1"})
    answer = pipe.get(made["url"])
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    policy = answer["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "style-src 'unsafe-inline'"} <= set(policy)
    assert sha256(answer.content).hexdigest() == made["sha256"]
    page = answer.content.decode()
    assert page.count("<svg") >= 3
    assert not re.search(r"<script|<link|<img|\bsrc=|@import|url\(", page)
    version = pipe.get("/api/v1/suites/s/versions/v1/").json()
    for words in ("alfa", "Version v1", version["sha256"], "No rater met a reference", "Rogan and Gladen", "Wilson"):
        assert words in page
    assert AuditEvent.objects.filter(verb="suite.reported").count() == 1


def test_a_report_never_changes_and_equal_data_gives_the_same(pipe: APIClient, project: Project) -> None:
    first, again = post(pipe, {}), post(pipe, {})
    assert first == again
    before = pipe.get(first["url"]).content
    judged(project, "delta", {"k0": (9, 10)})
    later = post(pipe, {})
    assert later["report"] != first["report"]
    assert pipe.get(first["url"]).content == before
    assert pipe.get(f"/api/v1/suites/s/reports/{'0' * 32}/").status_code == 404


def test_two_requests_at_once_make_one_report() -> None:
    asked: dict[str, Any] = {
        "suite": make_suite("s"),
        "inputs": {},
        "content": b"the page",
        "by": "key:test",
        "at": NOON,
    }
    first: list[Report] = []

    def files() -> Iterator[bytes]:
        """As if another request had made the report while this one makes its files."""
        if not first:
            first.append(keep_report(files=lambda: iter([b"files"]), **asked))
        return iter([b"files"])

    assert keep_report(files=files, **asked) == first[0]


def test_a_report_has_its_figures_and_tables_as_files(pipe: APIClient, project: Project) -> None:
    made = post(pipe, {"version": "v1"})
    answer = pipe.get(made["files_url"])
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as files:
        manifest = json.loads(files.read("manifest.json"))
        assert manifest["inputs"]["version"] == "v1"
        assert sha256(files.read("report.html")).hexdigest() == made["sha256"]
        for name in ("success", "difficulty", "correlation-1"):
            assert files.read(f"figures/{name}.svg").lstrip().startswith(b"<svg")
        for name in ("tables/ranking", "tables/pairs", "tables/scenarios", "figures/success"):
            rows = list(csv.DictReader(io.StringIO(files.read(f"{name}.csv").decode())))
            table = pyarrow.parquet.read_table(io.BytesIO(files.read(f"{name}.parquet")))
            assert (table.column_names, table.num_rows) == (list(rows[0]), len(rows))
        first = next(csv.DictReader(io.StringIO(files.read("tables/ranking.csv").decode())))
        assert (first["agent"], first["rank"]) == ("alfa", "1")
        assert r"\toprule" in files.read("tables/ranking.tex").decode()


def test_a_report_is_a_pdf_file_that_says_what_its_page_says(pipe: APIClient, project: Project) -> None:
    made = post(pipe, {"version": "v1"})
    answer = pipe.get(made["pdf_url"])
    assert (answer["Content-Type"], answer.content[:5]) == ("application/pdf", b"%PDF-")
    assert pipe.get(made["pdf_url"]).content == answer.content
    with zipfile.ZipFile(io.BytesIO(pipe.get(made["files_url"]).content)) as files:
        assert files.read("report.pdf") == answer.content


def test_without_the_extra_a_report_says_why_it_has_no_parquet(
    pipe: APIClient, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with zipfile.ZipFile(io.BytesIO(pipe.get(post(pipe, {})["files_url"]).content)) as files:
        assert not any(name.endswith(".parquet") for name in files.namelist())
        assert "lacks the extra" in files.read("README.txt").decode()


def test_staff_make_and_open_reports_of_projects_that_they_may_see(dora: Client, project: Project) -> None:
    assert "No report yet" in words_of(dora, "/staff/suites/s/reports/")
    assert dora.post("/staff/suites/s/reports/", {"version": "v1"}).status_code == 302
    made = Report.objects.get()
    assert made.made_by == "staff:dora"
    page = dora.get(f"/staff/suites/s/reports/{made.public_id}/")
    assert sha256(page.content).hexdigest() == made.sha256
    assert "default-src 'none'" in page["Content-Security-Policy"]
    assert dora.get(f"/staff/suites/s/reports/{made.public_id}/files.zip").content.startswith(b"PK")
    assert dora.get(f"/staff/suites/s/reports/{made.public_id}/report.pdf").content.startswith(b"%PDF-")
    Report.objects.update(files="")
    assert dora.get(f"/staff/suites/s/reports/{made.public_id}/files.zip").status_code == 404
    assert "older than such files" in words_of(dora, "/staff/suites/s/reports/")


def test_another_day_is_another_report(project: Project) -> None:
    asked = Asked(make_suite("s"), project, None, None)
    now = timezone.now()
    reports = [make_report(asked, by="key:test", at=now + timedelta(days=days)) for days in (0, 1)]
    assert reports[0].pk != reports[1].pk


def test_a_suite_without_episodes_has_a_report_too(pipe: APIClient) -> None:
    make_suite("s")
    assert b"The agents" in pipe.get(post(pipe, {})["url"]).content
