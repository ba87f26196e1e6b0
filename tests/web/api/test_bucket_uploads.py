"""Recordings by a bucket: parts that clients send to it themselves, and files that the server copies from one."""

import hashlib
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import Limits, create_key
from agents.models import ApiKey
from crosswalk_client.cli.main import main
from evaluation.bucket_files import imports
from evaluation.bucket_files.direct_uploads import addresses
from evaluation.models import Episode, Upload
from evaluation.uploads import begin, forget_unused, parts_of
from tests.support.api_clients import with_key
from tests.support.bucket import BUCKET, Line, bucket_server, line_to
from tests.support.builders import make_agent, make_scenario, make_suite
from tests.support.calls import problem

pytestmark = [pytest.mark.long, pytest.mark.django_db]
PART = 5 * 1024 * 1024
WHOLE = bytes(range(256)) * 4 * 1024 * 11  # two parts of the smallest size that S3 takes, and a fifth of one
SHA256 = hashlib.sha256(WHOLE).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with bucket_server() as address:
        yield address


@pytest.fixture
def line(server: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """The line to the bucket in which the server keeps its files."""
    settings.UPLOAD_PART_BYTES = PART
    with line_to(server) as line:
        options = {**line.options(), "direct_origin": line.address}
        backend = {"BACKEND": "common.bucket_storage.BucketStorage", "OPTIONS": options}
        settings.STORAGES = {**settings.STORAGES, "default": backend}
        monkeypatch.setattr(imports, "_storage", line.storage)
        yield line


def announce(pipe: APIClient, **changes: Any) -> dict[str, Any]:
    body = {"filename": "a.mp4", "bytes": len(WHOLE), "sha256": SHA256, **changes}
    answer = pipe.post("/api/v1/uploads/", body, format="json")
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


def send(upload: dict[str, Any], *numbers: int, whole: bytes = WHOLE) -> list[dict[str, Any]]:
    """Send these parts as any client does: with a plain PUT to the address."""
    tags = []
    for part in upload["parts"]:
        if part["number"] in numbers:
            start = (part["number"] - 1) * PART
            answer = httpx.request(part["method"], part["url"], content=whole[start : start + PART])
            assert answer.status_code == 200, answer.text
            tags.append({"number": part["number"], "etag": answer.headers["ETag"]})
    return tags


def complete(pipe: APIClient, upload: dict[str, Any], parts: list[dict[str, Any]]) -> Any:
    return pipe.post(f"/api/v1/uploads/{upload['upload']}/complete/", {"parts": parts}, format="json")


def test_the_parts_go_to_the_bucket_itself_and_become_the_file(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    assert all(part["url"].startswith(f"{line.address}/{BUCKET}/uploads/") for part in upload["parts"])
    tags = send(upload, 3, 1, 2, 1)
    done = [complete(pipe, upload, tags) for _ in range(2)]
    assert [(one.status_code, one.json()["sha256"]) for one in done] == [(200, SHA256)] * 2
    with default_storage.open(Upload.objects.get().file) as file:
        assert file.read() == WHOLE


def test_parts_that_are_missing_short_or_named_wrongly_are_told(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    tags = send(upload, 1, 3)
    short = httpx.put(upload["parts"][1]["url"], content=WHOLE[:100])
    for parts, said in [
        ([*tags, {"number": 2, "etag": short.headers["ETag"]}], "Part 2 must have 5242880 bytes; 100 came."),
        (tags[1:], "arrived with the ETag"),
    ]:
        refused = complete(pipe, upload, parts)
        assert refused.status_code == 422
        assert any(said in fault["detail"] for fault in problem(refused)["errors"])
    whole = [tags[0], *send(upload, 2), tags[1]]
    assert complete(pipe, upload, whole).status_code == 200


def test_a_part_that_is_cut_off_is_not_there_and_can_be_sent_again(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)

    def breaks_off() -> Iterator[bytes]:
        yield WHOLE[:1000]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        httpx.put(upload["parts"][0]["url"], content=breaks_off(), headers={"Content-Length": str(PART)})
    rest = send(upload, 2, 3)
    refused = complete(pipe, upload, [{"number": 1, "etag": "x"}, *rest])
    assert [fault["detail"] for fault in problem(refused)["errors"]] == ["Part 1 has not arrived."]
    assert complete(pipe, upload, [*send(upload, 1), *rest]).status_code == 200


def test_bytes_that_changed_on_their_way_are_found_and_nothing_is_kept(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    line.corrupts = True
    tags = send(upload, 1, 2, 3)
    line.corrupts = False
    refused = complete(pipe, upload, tags)
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/sha256")
    assert list(line.storage().names("uploads/")) == []
    assert complete(pipe, upload, tags).status_code == 404


def test_an_address_that_has_expired_takes_nothing(line: Line) -> None:
    upload = begin(filename="a", size=10, at=timezone.now(), is_direct=True)
    [address] = addresses(upload, 1, seconds=1)
    time.sleep(1.1)
    assert httpx.put(address, content=b"0123456789").status_code == 403


def test_a_bucket_that_refuses_parts_leaves_the_way_through_the_server(pipe: APIClient, line: Line) -> None:
    line.refusal = (403, "AccessDenied")
    upload = announce(pipe)
    assert all("/api/v1/uploads/" in part["url"] for part in upload["parts"])
    line.refusal = None
    direct = announce(pipe)
    tags = send(direct, 1, 2, 3)
    line.refusal = (403, "AccessDenied")
    assert complete(pipe, direct, tags).status_code == 503
    line.refusal = None
    assert complete(pipe, direct, tags).status_code == 200, "nothing was lost by it"


def test_a_server_that_died_after_the_parts_were_joined_goes_on(
    pipe: APIClient, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = announce(pipe)
    tags = send(upload, 1, 2, 3)

    def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Upload, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            complete(pipe, upload, tags)
    assert Upload.objects.get().state == "open"
    assert complete(pipe, upload, tags).json()["sha256"] == SHA256


def test_browsers_send_parts_to_the_server(line: Line) -> None:
    upload = begin(filename="a", size=10, at=timezone.now())
    assert "/api/v1/uploads/" in parts_of(upload)[0]["url"]


def test_what_nobody_completes_is_dropped_from_the_bucket_too(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    send(upload, 1)
    client = line.storage().client
    assert len(client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ())) == 1
    assert forget_unused(timezone.now() + timedelta(days=1)) == 0
    assert forget_unused(timezone.now() + timedelta(days=3)) == 1
    assert client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ()) == ()


# Files that lie in a bucket ------------------------------------------------------------------------------------------


@pytest.fixture
def recordings(line: Line, settings: Any) -> Line:
    """A bucket with recordings below two prefixes; one of them may be read."""
    settings.S3_IMPORTS = [f"{BUCKET}/nightly/"]
    for name in ("nightly/7/lid-0.mp4", "nightly/7/lid-1.mp4", "nightly/7/notes/", "private/lid-2.mp4"):
        line.storage().client.put_object(Bucket=BUCKET, Key=name, Body=name.encode())
    return line


def test_files_below_a_prefix_are_listed_page_by_page(pipe: APIClient, recordings: Line) -> None:
    path = f"/api/v1/imports/?prefix=s3://{BUCKET}/nightly/7/&page_size=1"
    first = pipe.get(path).json()
    second = pipe.get(first["next"]).json()
    assert first["results"] == [{"address": f"s3://{BUCKET}/nightly/7/lid-0.mp4", "bytes": 19}]
    assert [one["address"][-5:] for one in second["results"]] == ["1.mp4"]
    assert second["next"] is None


def test_a_file_is_copied_and_posted_once(pipe: APIClient, recordings: Line) -> None:
    copied = pipe.post("/api/v1/imports/", {"address": f"s3://{BUCKET}/nightly/7/lid-0.mp4"}, format="json")
    assert copied.status_code == 201
    content = b"nightly/7/lid-0.mp4"
    assert copied.json()["sha256"] == hashlib.sha256(content).hexdigest()
    with default_storage.open(Upload.objects.get().file) as file:
        assert file.read() == content


def test_two_copies_at_once_leave_the_first_and_it_is_kept_as_long_as_a_new_one(
    pipe: APIClient, recordings: Line, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    address = f"s3://{BUCKET}/nightly/7/lid-0.mp4"
    now = timezone.now()
    with monkeypatch.context() as patched:
        # As if each had stored its copy before the other looked for one.
        patched.setattr(imports, "_copied_before", lambda copied, **_: None)
        first, second = (imports.import_file(address, at=now) for _ in range(2))
    late = now + timedelta(days=settings.UPLOAD_KEEP_DAYS, hours=-1)
    assert [imports._copied_before(one, at=late) for one in (first, second)] == [None, first]
    assert forget_unused(late + timedelta(days=1)) == 0
    assert list(Upload.objects.all()) == [first]


@pytest.mark.parametrize(
    "address",
    [
        f"s3://{BUCKET}/private/lid-2.mp4",
        f"s3://{BUCKET}/nightly",
        f"s3://{BUCKET}/nightly/../private/lid-2.mp4",
        "s3://other/nightly/x.mp4",
        "http://169.254.169.254/latest",
        f"s3://{BUCKET}/nightly/no-such.mp4",
    ],
)
def test_what_the_settings_do_not_name_is_not_read(address: str, pipe: APIClient, recordings: Line) -> None:
    refused = pipe.post("/api/v1/imports/", {"address": address}, format="json")
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/address")
    assert Upload.objects.count() == 0


@pytest.mark.parametrize("place", [f"{BUCKET}/nightly", f"{BUCKET}/nightly/", f"s3://{BUCKET}/nightly"])
def test_a_place_of_the_settings_has_no_files_of_its_namesakes(
    place: str, pipe: APIClient, recordings: Line, settings: Any
) -> None:
    settings.S3_IMPORTS = [place]
    namesake = f"s3://{BUCKET}/nightly-private/lid-3.mp4"
    recordings.storage().client.put_object(Bucket=BUCKET, Key="nightly-private/lid-3.mp4", Body=b"3")
    assert pipe.post("/api/v1/imports/", {"address": namesake}, format="json").status_code == 422
    for prefix in ("nightly-private/", "nightly-"):
        assert pipe.get(f"/api/v1/imports/?prefix=s3://{BUCKET}/{prefix}").status_code == 422
    for prefix in ("nightly", "nightly/", "nightly/7", "nightly/7/lid"):
        found = pipe.get(f"/api/v1/imports/?prefix=s3://{BUCKET}/{prefix}").json()["results"]
        assert [one["address"][-5:] for one in found] == ["0.mp4", "1.mp4"]


def test_a_limited_key_may_not_look_into_a_bucket(recordings: Line) -> None:
    limits = Limits(["p"], ["s"], [])
    client = with_key(create_key(name="l", scopes=ApiKey.Scope.values, limits=limits, at=timezone.now()))
    assert client.get(f"/api/v1/imports/?prefix=s3://{BUCKET}/nightly/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_program_posts_a_prefix_and_each_file_once(
    recordings: Line,
    live_server: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_scenario(make_suite("rooms"), "lid")
    make_agent("w1")
    monkeypatch.setenv("CROSSWALK_URL", live_server.url)
    monkeypatch.setenv("CROSSWALK_KEY", create_key(name="p", scopes=ApiKey.Scope.values, at=timezone.now()))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    words = ["post", f"s3://{BUCKET}/nightly/7/", "--suite", "rooms", "--agent", "w1", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["posted"] == ["rooms:w1:lid:0", "rooms:w1:lid:1"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["posted"] == []
    assert set(Episode.objects.values_list("external_id", flat=True)) == {"rooms:w1:lid:0", "rooms:w1:lid:1"}
