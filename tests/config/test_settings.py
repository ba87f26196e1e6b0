"""Every setting has a typed reader that fails with the name and the bad value; the first start makes what they name."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured

from agents.models import ApiKey
from config.env_types import Environment
from config.first_start import ADMIN, prepare_first_start
from tests.conftest import api_client

ROOT = Path(settings.BASE_DIR)


def test_only_the_settings_read_the_environment() -> None:
    # `serve` passes the environment on to its processes.
    allowed = {"config/env_types.py", "config/management/commands/serve.py"}
    read = re.compile(r"os\.environ(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE\")|os\.getenv")
    apps = [app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir()]
    paths = [path for package in (*apps, "lib", "builder") for path in (ROOT / package).rglob("*.py")]
    readers = {str(path.relative_to(ROOT)) for path in paths if read.search(path.read_text())}
    assert readers == allowed


def test_unset_and_empty_are_the_same() -> None:
    for values in ({}, {"NAME": ""}):
        env = Environment(values)
        assert env.text("NAME", "default") == "default"
        assert env.flag("NAME", default=True) is True
        assert env.whole("NAME", 7, least=9) == 7
        assert env.words("NAME", "a, b") == ["a", "b"]
        assert env.folder("NAME", Path("/x")) == Path("/x")


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("1", True),
        ("true", True),
        ("YES", True),
        ("on", True),
        ("0", False),
        ("False", False),
        ("no", False),
        ("off", False),
    ],
)
def test_a_flag(raw: str, value: bool) -> None:
    assert Environment({"NAME": raw}).flag("NAME", default=not value) is value


def test_a_whole_number_words_and_a_folder() -> None:
    env = Environment({"N": " 12 ", "W": "a,, b ,", "F": "~/data", "R": "data"})
    assert env.whole("N", 1) == 12
    assert env.words("W") == ["a", "b"]
    assert env.folder("F", Path()) == Path.home() / "data"
    assert env.folder("R", Path()) == Path.cwd() / "data"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("", ""),
        ("https://id.example.org/realms/crowd/", "https://id.example.org/realms/crowd"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_an_address(raw: str, value: str) -> None:
    assert Environment({"NAME": raw}).address("NAME") == value


@pytest.mark.parametrize(
    ("read", "raw"),
    [
        (lambda env: env.flag("NAME"), "maybe"),
        (lambda env: env.whole("NAME", 1), "1.5"),
        (lambda env: env.whole("NAME", 1), "many"),
        (lambda env: env.whole("NAME", 1, least=5), "4"),
        (lambda env: env.address("NAME"), "http://id.example.org"),
        (lambda env: env.address("NAME"), "id.example.org"),
        (lambda env: env.address("NAME"), "https:///id"),
    ],
)
def test_a_bad_value_fails_with_its_name_and_itself(read: Any, raw: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"NAME='{raw}'"):
        read(Environment({"NAME": raw}))


def test_the_database_is_embedded_unless_an_address_is_given(tmp_path: Path) -> None:
    embedded = Environment({}).database("DATABASE_URL", embedded=tmp_path / "a.sqlite3")
    assert (embedded["ENGINE"], embedded["NAME"]) == ("django.db.backends.sqlite3", tmp_path / "a.sqlite3")
    options = embedded["OPTIONS"]
    assert isinstance(options, dict)
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_an_address_names_a_postgresql_database(scheme: str, tmp_path: Path) -> None:
    url = f"{scheme}://ann%40x:p%2Fw%3A@db.example:5433/cross%20walk?sslmode=require"
    found = Environment({"DATABASE_URL": url}).database("DATABASE_URL", embedded=tmp_path)
    expected = {"NAME": "cross walk", "USER": "ann@x", "PASSWORD": "p/w:", "HOST": "db.example", "PORT": "5433"}
    assert {name: found[name] for name in expected} == expected
    assert found["OPTIONS"]["sslmode"] == "require"  # type: ignore[index]
    assert "pool" in found["OPTIONS"]  # type: ignore[operator]


def test_an_address_of_another_database_fails(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        Environment({"DATABASE_URL": "mysql://x/y"}).database("DATABASE_URL", embedded=tmp_path)


def test_the_key_and_the_password_of_the_environment_exist_after_the_start(db: None, settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.FIRST_API_KEY, settings.FIRST_ADMIN_PASSWORD = "a-key-of-my-own", "a-long-password"
    for _ in range(2):
        prepare_first_start()
    key = ApiKey.objects.get()
    assert set(key.scopes) == set(ApiKey.Scope.values)
    assert "a-key-of-my-own" not in (key.digest, key.prefix)
    assert api_client("a-key-of-my-own").get("/api/v1/agents/").status_code == 200
    admin = User.objects.get()
    assert (admin.username, admin.check_password("a-long-password")) == (ADMIN, True)
    assert (admin.is_staff, admin.is_superuser) == (True, True)
    settings.FIRST_ADMIN_PASSWORD = "another-password"
    prepare_first_start()
    assert User.objects.get().check_password("another-password")


def test_without_them_nothing_is_made(db: None, settings: Any) -> None:
    settings.FIRST_API_KEY, settings.FIRST_ADMIN_PASSWORD = "", ""
    prepare_first_start()
    assert (ApiKey.objects.count(), User.objects.count()) == (0, 0)


def test_a_sign_in_service_without_its_credentials_stops_the_start(tmp_path: Path) -> None:
    service = {
        "CROSSWALK_OIDC_SERVER_URL": "https://id.example.org",
        "CROSSWALK_OIDC_CLIENT_ID": "crosswalk",
        "CROSSWALK_OIDC_CLIENT_SECRET": "secret",
    }
    check = [sys.executable, "-c", "import config.settings"]
    for missing in ("", "CROSSWALK_OIDC_CLIENT_ID", "CROSSWALK_OIDC_CLIENT_SECRET"):
        given = {name: value for name, value in service.items() if name != missing}
        environment = {**os.environ, "CROSSWALK_DATA_DIR": str(tmp_path), **given}
        done = subprocess.run(check, cwd=ROOT, env=environment, capture_output=True, text=True)
        is_told = "CROSSWALK_OIDC_CLIENT_SECRET must be set" in done.stderr
        assert (done.returncode, is_told, bool(done.stderr)) == (bool(missing),) * 3
