"""Every setting has a typed reader that fails with the name and the bad value; the first start makes what they name."""

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from config.env_types import Environment
from config.first_start import ADMIN, WeakCredential, prepare_first_start
from config.private_files import kept_secret
from tests.conftest import api_client

ROOT = Path(settings.BASE_DIR)


def test_only_the_settings_read_the_environment() -> None:
    allowed = {"config/env_types.py"}
    read = re.compile(r"os\.environ(?!\.setdefault\()|os\.getenv")
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
        (lambda env: env.choice("NAME", "A", ("A", "B")), "c"),
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
    assert (embedded["ENGINE"], embedded["NAME"]) == ("common.data.fair_sqlite", tmp_path / "a.sqlite3")
    options = embedded["OPTIONS"]
    assert isinstance(options, dict)
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]
    assert "synchronous=NORMAL" in options["init_command"]
    assert Environment({"NAME": "full"}).choice("NAME", "NORMAL", ("NORMAL", "FULL")) == "FULL"


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


def test_processes_that_start_at_once_share_one_secret_key(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "CROSSWALK_SECRET_KEY"}
    environment |= {"CROSSWALK_DATA_DIR": str(tmp_path), "DATABASE_URL": ""}
    say = [sys.executable, "-c", "from config import settings; print(settings.SECRET_KEY)"]
    started = [subprocess.Popen(say, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = {process.communicate()[0].strip() for process in started}
    assert said == {(tmp_path / "secret_key").read_text()}


def test_a_secret_that_another_process_is_writing_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    with path.open("w") as file, ThreadPoolExecutor() as pool:
        fcntl.flock(file, fcntl.LOCK_EX)
        read = pool.submit(kept_secret, path)
        file.write("made by the other")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_UN)
        assert read.result() == "made by the other"


def test_what_an_earlier_secret_signed_stays_valid(tmp_path: Path) -> None:
    def run(words: str, secret: str, fallbacks: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "CROSSWALK_DATA_DIR": str(tmp_path),
            "CROSSWALK_SECRET_KEY": secret,
            "CROSSWALK_SECRET_KEY_FALLBACKS": fallbacks,
        }
        script = [sys.executable, "-c", f"from django.core.signing import Signer; print(Signer().{words})"]
        return subprocess.run(script, cwd=ROOT, env=environment, capture_output=True, text=True)

    signed = run("sign('address')", "old").stdout.strip()
    assert run(f"unsign({signed!r})", "new", "older, old").stdout.strip() == "address"
    assert "BadSignature" in run(f"unsign({signed!r})", "new").stderr


KEY, PASSWORD = "a-key-of-my-own-machine", "a-long-password"


@pytest.fixture
def first_start(db: None, settings: Any) -> Callable[[str, str], None]:
    """Prepares the start of a server whose environment has this key and this password."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    def start(key: str, password: str) -> None:
        settings.FIRST_API_KEY, settings.FIRST_ADMIN_PASSWORD = key, password
        prepare_first_start()

    return start


def test_the_first_start_makes_the_key_and_the_password(first_start: Callable[[str, str], None]) -> None:
    for _ in range(2):
        first_start(KEY, PASSWORD)
    key = ApiKey.objects.get()
    assert set(key.scopes) == set(ApiKey.Scope.values)
    assert api_client(KEY).get("/api/v1/agents/").status_code == 200
    assert not [value for value in vars(key).values() if str(value) and str(value) in KEY]
    admin = User.objects.get()
    assert (admin.username, admin.check_password(PASSWORD)) == (ADMIN, True)
    assert (admin.is_staff, admin.is_superuser) == (True, True)


def test_a_later_start_undoes_no_change(first_start: Callable[[str, str], None]) -> None:
    first_start(KEY, PASSWORD)
    ApiKey.objects.update(scopes=["read"], revoked_at=timezone.now())
    admin = User.objects.get()
    admin.set_password("changed-by-hand")
    admin.username = "renamed"
    admin.save()
    kept = list(ApiKey.objects.values()), list(User.objects.values())
    for key, password in ((KEY, PASSWORD), ("another-key-of-this-machine", "another-password"), ("weak", "weak")):
        first_start(key, password)
    assert (list(ApiKey.objects.values()), list(User.objects.values())) == kept


def test_the_key_of_the_built_in_agent_does_not_count(first_start: Callable[[str, str], None]) -> None:
    create_key(name="the built-in agent", scopes=["agents"], at=timezone.now())
    first_start(KEY, "")
    assert api_client(KEY).get("/api/v1/agents/").status_code == 200


@pytest.mark.parametrize(
    ("key", "password", "why"),
    [
        ("fifteen-letters", "", "16"),
        ("ababababababababab", "", "different"),
        ("a key with blanks in it", "", "blanks"),
        ("1q2w3e4r5t6y7u8i9o0p", "", "common"),
        ("", "too-short", "10"),
        ("", "1234567890", "common"),
    ],
)
def test_a_weak_first_credential_stops_the_start_with_a_sentence(
    first_start: Callable[[str, str], None], key: str, password: str, why: str
) -> None:
    with pytest.raises(WeakCredential, match=why) as refused:
        first_start(key, password)
    assert (key or password) not in str(refused.value)
    assert (ApiKey.objects.count(), User.objects.count()) == (0, 0)


def test_without_them_nothing_is_made(first_start: Callable[[str, str], None]) -> None:
    first_start("", "")
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
