"""Reports of suites: frozen, complete without anything outside, and the same for the same data."""

import re
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from agents.models import Metric
from annotation.models import Project
from audit.models import AuditEvent
from evaluation.figures.rank_intervals import Asked
from evaluation.suites import freeze
from tests.evaluation.test_ranking_certainty import judged
from tests.support.builders import NOON, make_agent, make_project, make_suite
from web.staff.evaluation import suite_report

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


def test_another_day_is_another_report(project: Project) -> None:
    asked = Asked(make_suite("s"), project, None, None)
    now = timezone.now()
    reports = [suite_report.make_report(asked, by="key:test", at=now + timedelta(days=days)) for days in (0, 1)]
    assert reports[0].pk != reports[1].pk


def test_a_suite_without_episodes_has_a_report_too(pipe: APIClient) -> None:
    make_suite("s")
    assert b"The agents" in pipe.get(post(pipe, {})["url"]).content
