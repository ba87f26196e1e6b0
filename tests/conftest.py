"""People whom every test may ask for, a project that two of them have roles in, and the clients they use."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Project
from annotation.roles import Role
from tests.builders import client_of, make_project, make_staff, make_worker, token_for
from workforce.models import Worker


@pytest.fixture(autouse=True)
def _files_of_this_test(tmp_path: Path, settings: Any) -> None:
    """Each test has a folder of its own for stored files."""
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "files"},
        },
    }


@pytest.fixture(autouse=True)
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
