"""People whom every test may ask for, a project that two of them have roles in, and the clients they use."""

import json
import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.utils import timezone
from hypothesis import settings as examples
from rest_framework.test import APIClient
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from agents.keys import create_key
from agents.models import ApiKey
from annotation.access.roles import Role
from annotation.models import Project
from annotation.quality import gates
from annotation.tools.parse import chains
from annotation.work import claims, posting
from commands import corpora
from common import rates
from interaction import db_threads
from interaction.session import commands as session_commands
from jobs import outbox
from tests.support.builders import client_of, make_project, make_staff, make_worker, token_for
from tests.support.servers import make_tables_once
from tests.support.shared_data import DATA
from workforce.models import Worker

# What numpy and scikit-learn share out over threads is small here: on a busy machine these mostly wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# `make test` tries few examples of each property; `--hypothesis-profile=long`, as in `make test-long`, tries many.
examples.register_profile("quick", max_examples=25, deadline=None)
examples.register_profile("long", max_examples=300, deadline=None)
examples.load_profile("quick")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool, django_db_use_migrations: bool
) -> Iterator[None]:
    """Let only the first process of a run make the test database by migrations; the others copy it."""
    with pytest.MonkeyPatch.context() as patch:
        if connection.vendor == "sqlite" and django_db_use_migrations and not django_db_keepdb:
            make = connection.creation.create_test_db

            def make_once(*given: Any, **named: Any) -> str:
                database = Path(connection.settings_dict["TEST"]["NAME"])
                if make_tables_once(database, lambda: make(*given, **named)):
                    make(*given, **{**named, "keepdb": True})
                return str(database)

            patch.setattr(connection.creation, "create_test_db", make_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _tables_can_be_emptied() -> Iterator[None]:
    """Empty the tables after a test with transactions although triggers protect the audit log."""
    operations = type(connection.ops)
    plain = operations.sql_flush

    def past_the_triggers(self: Any, *given: Any, **named: Any) -> list[str]:
        statements = plain(self, *given, **named)
        if connection.vendor == "postgresql":
            return ["SET LOCAL session_replication_role = replica", *statements]
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
        return [*(f"DROP TRIGGER {name}" for name, _ in triggers), *statements, *(made for _, made in triggers)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "sql_flush", past_the_triggers)
        yield


@pytest.fixture(scope="session", autouse=True)
def _static_files_listed_once() -> Iterator[None]:
    """Each client of a test starts the middleware anew, and that would list all static files: 25 ms each time.

    What is listed follows from the finders, which Django makes anew where a test changes the settings of static files.
    """
    listed: dict[Any, dict[str, Any]] = {}
    look = WhiteNoiseMiddleware.add_files_from_finders

    def look_once(self: WhiteNoiseMiddleware) -> None:
        key = (self.static_prefix, *finders.get_finders())
        if key not in listed:
            look(self)
            listed[key] = dict(self.files)
        self.files.update(listed[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", look_once)
        yield


@pytest.fixture(autouse=True)
def _state_of_this_test(request: pytest.FixtureRequest) -> None:
    """Each test that uses the database has its own files and cache. For other tests these cost more than the test."""
    if "django_db" in request.keywords or {"db", "transactional_db"} & set(request.fixturenames):
        request.getfixturevalue("_files_of_this_test")
        request.getfixturevalue("_cache_of_this_test")


class _InOrder:
    """A source of "random" numbers that grow from draw to draw, and stay far below any other place of the index."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def random(self) -> float:
        return next(self._numbers) / 1e9


class _Last:
    """A source of "random" numbers close to 1: claims find the oldest task, and no reference below a rate of 1."""

    def random(self) -> float:
        return 0.99


@pytest.fixture(autouse=True)
def _no_chance(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve the oldest task first and let gates look at once, unless a test is marked `by_chance`."""
    if "by_chance" in request.keywords:
        return
    places = _InOrder()
    monkeypatch.setattr(posting, "_random", places)
    monkeypatch.setattr(chains, "_random", places)
    monkeypatch.setattr(claims, "_random", _Last())
    monkeypatch.setattr(gates, "LAG", (0, 0))


@pytest.fixture
def _files_of_this_test(tmp_path: Path, settings: Any) -> None:
    """Each test has a folder of its own for stored files."""
    (tmp_path / "files").mkdir()
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "common.file_storage.FileStorage", "OPTIONS": {"location": tmp_path / "files"}},
    }
    settings.AUDIT_ANCHOR_DIR = tmp_path / "audit"


@pytest.fixture
def _cache_of_this_test(tmp_path: Path, settings: Any) -> None:
    """Each test counts attempts and used codes by itself, also where the settings name a Redis that others share."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": memory, "LOCATION": str(tmp_path)}}


@pytest.fixture
def alice(db: None) -> Worker:
    """A trusted worker."""
    return make_worker("alice")


@pytest.fixture
def bob(db: None) -> Worker:
    """A new worker."""
    return make_worker("bob")


@pytest.fixture
def charlie(db: None) -> Worker:
    """A blocked worker."""
    return make_worker("charlie", status=Worker.Status.BLOCKED, blocked_reason="answers at random")


@pytest.fixture
def dora(db: None) -> Client:
    """A superuser, signed in: admin everywhere."""
    return client_of(User.objects.create_superuser("dora"))


@pytest.fixture
def marking(db: None) -> Project:
    """The project in which rita and victor have their roles."""
    return make_project("marking")


@pytest.fixture
def rita(marking: Project) -> Client:
    """A reviewer of one project, signed in."""
    return client_of(make_staff("rita", Role.REVIEWER, marking))


@pytest.fixture
def victor(marking: Project) -> Client:
    """A viewer of one project, signed in."""
    return client_of(make_staff("victor", Role.VIEWER, marking))


@pytest.fixture
def pipe(db: None) -> APIClient:
    """A pipeline with every scope."""
    return api_client(create_key(name="pipe", scopes=ApiKey.Scope.values, at=timezone.now()))


@pytest.fixture
def stranger() -> APIClient:
    """A program without a credential."""
    return APIClient()


@pytest.fixture
def as_worker() -> Callable[[Project, Worker], APIClient]:
    """A worker's browser in a project."""

    def enter(project: Project, worker: Worker) -> APIClient:
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_for(project, worker)}")
        return client

    return enter


def api_client(key: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
    return client


@pytest.fixture(autouse=True)
def _trees_of_this_test() -> None:
    """A version of a tree never changes, but the next test's may have the same number."""
    session_commands._tree.cache_clear()


@pytest.fixture(autouse=True)
def _counts_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test counts requests and failed credentials anew, also where the settings name a Redis that others share."""
    monkeypatch.setattr(rates, "_counters", rates.Counters(redis_url=""))


@pytest.fixture(autouse=True)
def _corpora_of_this_test() -> None:
    corpora.forget()


@pytest.fixture
def sockets(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets tests open sockets: their messages are committed by other threads."""
    run = db_threads._run

    def run_and_close(work: Callable[[], Any]) -> Any:
        try:
            return run(work)
        finally:
            connection.close()

    monkeypatch.setattr(db_threads, "_run", run_and_close)


@pytest.fixture
def no_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test runs the jobs itself: no message of a job leaves."""
    monkeypatch.setattr(outbox, "_send", lambda pk: None)


@pytest.fixture(scope="session")
def computed() -> dict[str, Any]:
    """Values that statsmodels, scikit-learn, krippendorff, lifelines and crowd-kit computed, to agree with."""
    values = DATA / "quality_fixtures.json"
    if not values.exists():
        pytest.skip(f"the computed values are not there: {values}")
    found: dict[str, Any] = json.loads(values.read_text())
    return found
