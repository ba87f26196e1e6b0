"""`/metrics` answers the questions of whoever is on call, and costs little however many ask."""

import asyncio
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from rest_framework.test import APIClient

from annotation.work import claims
from common.metrics import SOCKETS
from jobs import tasks
from jobs.models import Job
from lib.briefly_kept import BrieflyKept
from tests.support.api_clients import with_token
from tests.support.builders import NOON, make_project, make_task, make_worker, token_for
from tests.support.calls import ANSWER
from tests.support.sessions import both
from tests.support.shared_data import ROOT
from web.monitoring import metrics
from web.sockets.connection import Connection

pytestmark = pytest.mark.django_db
Values = dict[tuple[str, ...], float]


@pytest.fixture(autouse=True)
def _measured_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_gauges", BrieflyKept(metrics._measure, keep_s=0.0, patience_s=1.0))


def read(stranger: APIClient, name: str) -> Values:
    """The values of one metric by the values of their labels, in the order of the labels' names."""
    got = stranger.get("/metrics")
    assert got.status_code == 200
    assert got["Content-Type"].startswith("text/plain")
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(got.content.decode())
        for sample in family.samples
        if sample.name == name
    }


def grown(before: Values, after: Values) -> Values:
    return {key: value - before.get(key, 0) for key, value in after.items() if value != before.get(key, 0)}


def test_requests_and_errors_are_counted_by_route_and_never_by_address(pipe: APIClient, stranger: APIClient) -> None:
    name = "crosswalk_requests_total"
    before = read(stranger, name)
    pipe.get("/api/v1/agents/alfa/")
    pipe.get("/api/v1/agents/bravo/")
    pipe.generic("BREW", "/api/v1/agents/")
    stranger.get("/no/such/page/")
    after = grown(before, read(stranger, name))
    route = "api/v1/agents/<name:slug>/"
    assert after[("GET", route, "404")] == 2
    assert after[("other", "api/v1/agents/", "405")] == 1
    assert after[("GET", "none", "404")] == 1
    assert not [key for key in after if "alfa" in str(key)]
    assert read(stranger, "crosswalk_request_seconds_count")[(route,)] >= 2


def test_claims_and_submissions_are_counted_by_what_came_of_them(
    stranger: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, worker = make_project(), make_worker()
    make_task(project)
    client = with_token(token_for(project, worker))
    before = {name: read(stranger, f"crosswalk_{name}_total") for name in ("claims", "submissions")}
    claimed = {client.post("/api/v1/work/claim/").json()["assignment"] for _ in range(2)}
    for body in ({"answer": {"outcome": "no such outcome"}}, ANSWER):
        client.post(f"/api/v1/work/assignments/{claimed.copy().pop()}/submit/", body, format="json")
    client.post("/api/v1/work/claim/")
    worker.status, worker.blocked_reason = "blocked", "asked for"
    worker.save()
    client.post("/api/v1/work/claim/")
    after = {name: grown(values, read(stranger, f"crosswalk_{name}_total")) for name, values in before.items()}
    assert after["claims"] == {("new",): 1, ("again",): 1, ("none",): 1, ("refused",): 1}
    assert after["submissions"] == {("taken",): 1, ("refused",): 1}

    def twice(**named: Any) -> None:
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr(claims, "claim_next", twice)
    doubled = read(stranger, "crosswalk_double_claim_attempts_total")
    client.post("/api/v1/work/claim/")
    assert grown(doubled, read(stranger, "crosswalk_double_claim_attempts_total")) == {(): 1}


def test_a_socket_counts_while_it_is_open(stranger: APIClient) -> None:
    seen: list[float] = []

    class Counted(Connection):
        kind = "test"

        async def dispatch(self, message: Any) -> None:
            seen.append(SOCKETS.labels("test")._value.get())
            raise ConnectionError

    async def receive() -> None:
        return None

    with pytest.raises(ConnectionError):
        asyncio.run(Counted()({}, receive, None))
    assert seen == [1.0]
    assert read(stranger, "crosswalk_sockets")[("test",)] == 0.0


def test_jobs_sessions_and_the_disk_are_told(stranger: APIClient) -> None:
    both()
    minute_ago = timezone.now() - timedelta(minutes=1)
    for state, changes in (
        ("waiting", {"due_at": minute_ago}),
        ("waiting", {"held_since": NOON}),
        ("failed", {"finished_at": NOON}),
    ):
        fields = {"due_at": timezone.now() + timedelta(hours=1), **changes}
        Job.objects.create(kind="k", subject="1", created_at=NOON, state=state, **fields)
    tasks.sweep()
    assert read(stranger, "crosswalk_jobs")[("k", "waiting")] == 2
    assert read(stranger, "crosswalk_jobs_failed") == {("k",): 1}
    assert read(stranger, "crosswalk_jobs_held") == {(): 1}
    assert read(stranger, "crosswalk_jobs_oldest_due_seconds")[()] >= 60
    assert read(stranger, "crosswalk_sweep_age_seconds")[()] < 60
    assert sum(read(stranger, "crosswalk_sessions").values()) == 1
    assert read(stranger, "crosswalk_disk_free_bytes")[()] > 0


def test_whoever_asks_again_and_again_costs_the_database_nothing(
    stranger: APIClient, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr(metrics, "_gauges", BrieflyKept(metrics._measure, keep_s=60.0, patience_s=1.0))
    with django_assert_max_num_queries(7):
        for _ in range(10):
            read(stranger, "crosswalk_jobs_held")


def test_several_processes_count_together_and_a_dead_one_keeps_no_socket(
    tmp_path: Path, settings: Any, stranger: APIClient
) -> None:
    settings.METRICS_DIR = str(tmp_path)
    counts = (
        "from common.metrics import REQUESTS, SOCKETS\n"
        "REQUESTS.labels('r', 'GET', '200').inc(3)\n"
        "SOCKETS.labels('worker').inc()\n"
    )
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", counts], cwd=ROOT, env=environment, check=True)
    assert read(stranger, "crosswalk_requests_total") == {("GET", "r", "200"): 6}
    assert read(stranger, "crosswalk_sockets") == {}
    assert read(stranger, "crosswalk_jobs_held") == {(): 0}


def test_the_docs_list_every_metric(stranger: APIClient) -> None:
    both()
    Job.objects.create(kind="k", subject="1", created_at=NOON, due_at=NOON)
    tasks.sweep()
    told = set(re.findall(r"^\| `(crosswalk_\w+)` \|", (ROOT / "docs/operations.md").read_text(), re.MULTILINE))
    there = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in text_string_to_metric_families(stranger.get("/metrics").content.decode())
    }
    assert told == {name for name in there if name.startswith("crosswalk_")}
