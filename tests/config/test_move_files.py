"""`manage.py move_files`: all files go from a folder into a bucket and back, also if it is killed on the way."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from tests.support.bucket import BUCKET, SERVERS, Line, bucket_server, line_to
from tests.support.shared_data import ROOT

pytestmark = pytest.mark.long
TO_BUCKET = f"bucket:{BUCKET}"
FILES = {f"episodes/{n}/{kind}": os.urandom(3000 + n) for n in range(40) for kind in ("source", "proxy.mp4")}


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    with bucket_server(request.param) as address:
        yield address


@pytest.fixture
def line(server: str, monkeypatch: pytest.MonkeyPatch, _files_of_this_test: None) -> Iterator[Line]:
    """The line to an empty bucket; the folder of files has `FILES` and an identity."""
    with line_to(server) as line:
        for name, value in environment(line).items():
            monkeypatch.setenv(name, value)
        for name, content in {"identity": b"abc\n", **FILES}.items():
            default_storage.save(name, ContentFile(content))
        yield line


def environment(line: Line) -> dict[str, str]:
    known = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
    return {**known, "AWS_ENDPOINT_URL": line.address}


def kept(storage: Any) -> dict[str, bytes]:
    return {name: content_of(storage, name) for name, _ in storage.names() if name != "identity"}


def content_of(storage: Any, name: str) -> bytes:
    with storage.open(name) as file:
        return bytes(file.read())


def test_files_go_into_the_bucket_and_back(line: Line, tmp_path: Path, settings: Any) -> None:
    call_command("move_files", TO_BUCKET)
    assert kept(line.storage()) == FILES
    assert kept(default_storage) == FILES
    backend = {"BACKEND": "common.bucket_storage.BucketStorage", "OPTIONS": {"bucket_name": BUCKET}}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    call_command("move_files", f"folder:{tmp_path / 'back'}", "--remove")
    back = {name: (tmp_path / "back" / name).read_bytes() for name in FILES}
    assert (back, kept(line.storage())) == (FILES, {})


def test_a_copy_that_is_killed_goes_on_where_it_stopped(line: Line, settings: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "files").symlink_to(settings.STORAGES["default"]["OPTIONS"]["location"])
    own = {**os.environ, **environment(line), "CROSSWALK_DATA_DIR": str(data), "CROSSWALK_S3_BUCKET": ""}
    command = [sys.executable, "manage.py", "move_files", TO_BUCKET, "--threads", "1"]
    line.seen.clear()
    running = subprocess.Popen(command, cwd=ROOT, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while len(line.asked("PUT")) < 10:
        assert running.poll() is None, "it ended before it was killed"
        assert time.monotonic() < end
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    running.wait()
    first = len(dict(line.storage().names()))
    assert 0 < first < len(FILES)
    line.seen.clear()
    call_command("move_files", TO_BUCKET)
    assert kept(line.storage()) == FILES
    assert len(line.asked("PUT")) == len(FILES) + 1 - first, "each file is sent once"
    line.seen.clear()
    call_command("move_files", TO_BUCKET)
    assert line.asked("PUT") == []


def test_a_copy_that_comes_out_different_is_no_copy(line: Line) -> None:
    line.corrupts = True
    with pytest.raises(CommandError, match=f"{len(FILES) + 1} files"):
        call_command("move_files", TO_BUCKET)
    assert dict(line.storage().names()) == {}
    line.corrupts = False
    call_command("move_files", TO_BUCKET)
    assert kept(line.storage()) == FILES


def test_a_bucket_that_refuses_leaves_everything_here(line: Line) -> None:
    line.refusal = (403, "AccessDenied")
    with pytest.raises(CommandError):
        call_command("move_files", TO_BUCKET, "--remove")
    assert kept(default_storage) == FILES


def test_another_file_of_the_same_name_is_replaced_only_if_asked(line: Line) -> None:
    name = next(iter(FILES))
    changed = bytes(reversed(FILES[name]))
    line.storage().save(name, ContentFile(changed))
    call_command("move_files", TO_BUCKET)
    assert content_of(line.storage(), name) == changed, "of the same size: it is not read"
    with pytest.raises(CommandError, match="1 files"):
        call_command("move_files", TO_BUCKET, "--verify")
    call_command("move_files", TO_BUCKET, "--verify", "--replace", "--remove")
    assert kept(line.storage()) == FILES
    assert kept(default_storage) == {}


def test_the_files_of_another_installation_are_left_alone(line: Line, tmp_path: Path) -> None:
    line.storage().save("identity", ContentFile(b"other\n"))
    with pytest.raises(CommandError, match="another installation"):
        call_command("move_files", TO_BUCKET)
    for wrong in ("here", "bucket:", f"folder:{default_storage.path('')}"):
        with pytest.raises(CommandError):
            call_command("move_files", wrong)
