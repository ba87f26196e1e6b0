"""What whoever watches the server sees."""

import pytest
from rest_framework.test import APIClient


def test_the_server_says_that_it_is_alive_and_ready(db: None, stranger: APIClient) -> None:
    assert stranger.get("/healthz").status_code == 200
    ready = stranger.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"missing": []})


@pytest.mark.parametrize(
    ("target", "missing"),
    [
        ("django.db.backends.base.base.BaseDatabaseWrapper.ensure_connection", "database"),
        ("web.http.health.default_storage.exists", "files"),
    ],
)
def test_what_is_missing_is_named(
    target: str, missing: str, db: None, stranger: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def falls(*args: object) -> None:
        raise OSError

    with monkeypatch.context() as broken:
        broken.setattr(target, falls)
        ready = stranger.get("/readyz")
        assert stranger.get("/healthz").status_code == 200
    assert ready.status_code == 503
    assert missing in ready.json()["missing"]


def test_a_migration_that_waits_is_missing(db: None, stranger: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = "django.db.migrations.executor.MigrationExecutor.migration_plan"
    monkeypatch.setattr(plan, lambda executor, targets: ["0002"])
    assert stranger.get("/readyz").json() == {"missing": ["migrations"]}


def test_metrics_are_in_the_format_of_prometheus(db: None, stranger: APIClient) -> None:
    got = stranger.get("/metrics")
    assert got.status_code == 200
    assert got["Content-Type"].startswith("text/plain")
    assert b"# TYPE" in got.content
